package learned

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// folds are all folds. A new fold needs a row here.
var folds = map[string]func() Fold{
	"risk":        func() Fold { return NewRisk(slog.New(slog.DiscardHandler)) },
	"runs":        func() Fold { return NewRuns() },
	"corrections": func() Fold { return newCorrections(.5, time.Time{}) },
	"knowledge":   func() Fold { return NewKnowledge() },
	"labels":      func() Fold { return NewLabels(true) },
	"map":         func() Fold { return NewMap(&appmap.Names{}) },
}

// history returns a ledger with entries of every kind, in batches.
func history(n int) (batches [][]ledger.Entry) {
	r := rand.New(rand.NewPCG(1, 2))
	at := func(i int) time.Time { return noon.Add(time.Duration(i) * time.Minute) }
	verdict := func(i int, labelled, correct bool, by string) *ledger.Verdict {
		e := *unlabelled(i)
		e.Reason = fmt.Sprintf("the total %d is shown", i%7)
		f := risk.Extract(&e)
		v := &ledger.Verdict{Evaluation: e.ID, CaseID: fmt.Sprint("case-", i%9), Labelled: labelled, Correct: correct, By: by}
		if labelled {
			v.Features = f.Encode()
		}
		if !correct {
			v.Direction = taxonomy.FalsePass
		}
		return v
	}
	known := map[int]bool{} // runs with a known truth
	for i := range n {
		trial, labelled, correct := fmt.Sprintf("t_%d", i), r.IntN(4) > 0, r.IntN(3) > 0
		batches = append(batches, []ledger.Entry{{At: at(i), Trial: &ledger.Trial{
			ID: trial, At: at(i), Query: "q", Run: true, Arm: []ledger.Arm{ledger.ArmMemory, ledger.ArmHoldout}[i%2], P: .5,
			Eligible: []string{"c_1"}, Injected: []ledger.Injection{{ID: "c_1", Rank: 1}, {ID: fact(i % 13), Rank: 2}},
		}}})
		batches = append(batches, facts(r, i, at(i)))
		batches = append(batches, []ledger.Entry{
			{At: at(i), Verdict: verdict(i, labelled, correct, "")},
			{At: at(i), Outcome: &ledger.Outcome{Trial: trial, Evaluation: unlabelled(i).ID, Correct: correct}},
		})
		known[i] = labelled
		switch said := r.IntN(i + 1); r.IntN(8) {
		case 0: // a person gives, corrects or withdraws a truth
			act := &ledger.Action{ID: fmt.Sprint("a_", i), Kind: tree.DecisionRelabel, By: "ada",
				Evaluation: unlabelled(said).ID}
			gives := !known[said] || r.IntN(3) > 0
			if known[said] {
				act.Verdict = verdict(said, true, true, "")
			}
			batches = append(batches, []ledger.Entry{
				{At: at(i), Verdict: verdict(said, gives, r.IntN(2) == 0, "ada")}, {At: at(i), Act: act},
			})
			known[said] = gives
		case 4: // the truth of an earlier run comes
			if !known[said] {
				batches = append(batches, []ledger.Entry{{At: at(i), Verdict: verdict(said, true, r.IntN(2) == 0, "")}})
				known[said] = true
			}
		case 1:
			batches = append(batches, []ledger.Entry{{At: at(i), Correction: &ledger.Correction{
				Evaluation: unlabelled(said).ID, CaseID: "case", P: .8, Bound: .6, Asked: ledger.Flag, Done: ledger.Flag,
				First: tree.Raw(`"pass"`), Now: tree.Raw(`"pass"`), Other: tree.Raw(`"fail"`),
			}}})
		case 2:
			batches = append(batches, []ledger.Entry{{At: at(i), Tally: &ledger.Tally{Origin: fmt.Sprint("o_", r.IntN(3)),
				Verdicts: 9, Rows: []ledger.TallyRow{{Of: ledger.OfAll, Right: 5, Wrong: 4}}}}})
		case 5:
			w := &ledger.Walk{Source: "bot", Product: fmt.Sprint("p", i%2), Test: fmt.Sprint("T", i%5), Seen: []ledger.Sighting{
				{Kind: ledger.SeenAction, URL: fmt.Sprintf("/a/x%c", 'a'+i%26), Do: "click", Selector: "#b", Name: "B",
					Role: "button", To: "/b", Failed: i%3 == 0, MS: i},
				{Kind: ledger.SeenCall, To: fmt.Sprint("/api/", i), Do: "GET", Status: 200 + i%2, URL: "/b"},
			}}
			w.Identify()
			batches = append(batches, []ledger.Entry{{At: at(i), Walk: w}})
		case 3:
			batches = append(batches, []ledger.Entry{{At: at(i), Evolved: &ledger.TreeChange{Changes: 1}}})
		}
	}
	return batches
}

// fact returns the id of what is said of a seat.
func fact(n int) string { s := seat(n); return s.ID() }

func seat(n int) ledger.Statement {
	return ledger.Statement{Text: fmt.Sprintf("A seat is held for %d minutes.", n), Kind: ledger.Rule,
		Scope: tree.Scope{Product: fmt.Sprint("p", n%2)}, Pages: []string{"/seats"}}
}

// facts returns what is said of facts beside run i: a person's decisions, some of which are taken back, notes, and what
// agents propose.
func facts(r *rand.Rand, i int, at time.Time) []ledger.Entry {
	n := r.IntN(13)
	says := seat(n)
	k := &ledger.FactEntry{Op: ledger.FactStated, Fact: fact(n), Says: &says, Source: ledger.FromNote,
		Case: fmt.Sprint("c_",
			i),
		Test: fmt.Sprint("T", i%5)}
	act := fmt.Sprint("a_f", i)
	switch r.IntN(5) {
	case 0:
		k.Source, k.Case, k.Test, k.By = ledger.FromAgent, "", "", "bot"
	case 1, 2:
		ops := []ledger.KnownOp{ledger.FactConfirmed, ledger.FactContradicted, ledger.FactForgotten,
			ledger.FactSettled, ledger.FactEdited}
		k = &ledger.FactEntry{Op: ops[r.IntN(len(ops))], Fact: fact(n),
			Source: ledger.FromTeam, By: []string{"ada", "bob"}[i%2], Act: act}
		if k.Op == ledger.FactEdited {
			other := seat(r.IntN(13))
			k.Says = &other
		}
	case 3:
		return []ledger.Entry{{At: at, Act: &ledger.Action{ID: fmt.Sprint("a_u", i), Kind: tree.DecisionUndo, Node: fact(n),
			Undoes: fmt.Sprint("a_f", r.IntN(i+1))}}}
	}
	return []ledger.Entry{{At: at, Act: &ledger.Action{ID: act, Kind: "confirm", Node: k.Fact}}, {At: at, Known: k}}
}

func memoryStore(t *testing.T) *jsonstore.Store {
	t.Helper()
	s, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func write(t *testing.T, s store.Store, batches [][]ledger.Entry) {
	t.Helper()
	for _, b := range batches {
		_, err := s.Commit(t.Context(), store.Batch{Entries: b})
		require.NoError(t, err)
	}
}

func follow(s store.Store) *Follower { return New(s, false, slog.New(slog.DiscardHandler)) }

// bytesOf returns the content of a fold after the whole ledger.
func bytesOf(t *testing.T, f *Follower, x Fold) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, f.View(t.Context(), func() { require.NoError(t, x.Save(&b)) }, x))
	return b.Bytes()
}

// TestFoldsAreFunctionsOfTheLedger: a fold that was fed in steps, by several processes, equals one that is folded at
// once, after a purge, and after its saved data was damaged, cut off, or is of a longer ledger.
func TestFoldsAreFunctionsOfTheLedger(t *testing.T) {
	batches := history(200)
	for name, anew := range folds {
		t.Run(name, func(t *testing.T) {
			s := memoryStore(t)
			r := rand.New(rand.NewPCG(3, 4))
			f, x := follow(s), anew()
			for i, b := range batches {
				write(t, s, [][]ledger.Entry{b})
				if r.IntN(5) == 0 {
					bytesOf(t, f, x)
				}
				if i%70 == 69 { // the process ends, and another one continues
					f.Save(t.Context())
					f, x = follow(s), anew()
				}
			}
			want := bytesOf(t, follow(s), anew())
			require.Equal(t, want, bytesOf(t, f, x), "little by little")
			require.NoError(t, f.Purge(t.Context(), &store.Purge{}, committed))
			require.Equal(t, want, bytesOf(t, f, x), "after a purge")
			f.Save(t.Context())
			if x.Name() == "" {
				return
			}
			file := kept(t, s, x.Name())
			require.Equal(t, want, file)
			for problem, data := range map[string][]byte{
				"cut off": file[:len(file)/2], "empty": nil, "damaged": flipped(file, len(file)/3),
				"damaged at the end": flipped(file, len(file)-1), "longer": append(bytes.Clone(file), 'x'),
			} {
				keep(t, s, x.Name(), 3, data)
				require.Zero(t, follow(s).load(t.Context(), anew(), 3).pos, problem)
				require.Equal(t, want, bytesOf(t, follow(s), anew()), problem)
			}
			keep(t, s, x.Name(), 3, file)
			require.EqualValues(t, 3, follow(s).load(t.Context(), anew(), 3).pos, "it is used as it was saved")
			info, err := s.Info(t.Context())
			require.NoError(t, err)
			require.Equal(t, info.Entries-3, follow(s).Behind(t.Context(), anew()))
			keep(t, s, x.Name(), 1<<40, file)
			require.Equal(t, want, bytesOf(t, follow(s), anew()), "of a longer ledger")
		})
	}
}

func kept(t *testing.T, s store.Store, name string) []byte {
	t.Helper()
	d, err := store.OpenDerived(t.Context(), s, name)
	require.NoError(t, err)
	b, err := io.ReadAll(io.NewSectionReader(d, 0, d.Size))
	require.NoError(t, err)
	require.NoError(t, d.Closer.Close())
	return b
}

func keep(t *testing.T, s store.Store, name string, version uint64, data []byte) {
	t.Helper()
	require.NoError(t, store.SaveDerived(t.Context(), s, name, version, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}))
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 0x10
	return b
}

// TestViewWhileAllIsPurged: readers see whole folds while the ledger grows and purges drop them.
func TestViewWhileAllIsPurged(t *testing.T) {
	s := memoryStore(t)
	batches := history(60)
	write(t, s, batches[:40])
	f, rs, runs := follow(s), NewRisk(slog.New(slog.DiscardHandler)), NewRuns()
	var reading sync.WaitGroup
	for range 4 {
		reading.Go(func() {
			for range 50 {
				info, err := s.Info(t.Context())
				if err == nil {
					err = f.View(t.Context(), func() {
						rs.Model().Score(unlabelled(1))
						if runs.Last() < info.Entries {
							t.Errorf("it has %d of %d entries", runs.Last(), info.Entries)
						}
					}, rs, runs)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, b := range batches[40:] {
		write(t, s, [][]ledger.Entry{b})
		require.NoError(t, f.Purge(t.Context(), &store.Purge{}, committed))
		f.Save(t.Context())
	}
	reading.Wait()
	require.Equal(t, bytesOf(t, follow(s), NewRuns()), bytesOf(t, f, runs))
}

// TestViewEndsWithItsContext: a View that waits for a long pass ends with its context.
func TestViewEndsWithItsContext(t *testing.T) {
	s := memoryStore(t)
	f, x := follow(s), NewRuns()
	require.NoError(t, f.View(t.Context(), func() {
		write(t, s, history(2))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		err := f.View(ctx, func() { t.Error("it was read") }, x)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}, x))
}

// committed is a commit that has nothing to do.
func committed() error { return nil }

// TestNothingIsSavedDuringAPurge: what is saved while a purge is committed has nothing of before it, so that a crash
// right after the commit leaves nothing. After a purge that is committed and unfinished nothing of before it is left
// either, and one that is not committed changes nothing.
func TestNothingIsSavedDuringAPurge(t *testing.T) {
	s := memoryStore(t)
	f, in := follow(s), NewInbox()
	_, err := f.Hold(t.Context(), in)
	require.NoError(t, err)
	in.Put(unlabelled(1))
	p, done := &store.Purge{Evaluations: []string{unlabelled(1).ID}}, make(chan struct{})
	require.ErrorIs(t, f.Purge(t.Context(), p, func() error { return store.ErrConflict }), store.ErrConflict)
	require.Len(t, in.All(), 1)
	err = f.Purge(t.Context(), p, func() error {
		_, err := s.Commit(t.Context(), store.Batch{Purge: p})
		go func() {
			defer close(done)
			f.SaveBoxes(t.Context(), 0)
			f.Save(t.Context())
			_ = f.Saving(0, func(all []*store.Purge) error { require.Len(t, all, 1); return nil })
		}()
		time.Sleep(50 * time.Millisecond)
		_, lost := s.OpenDerived(t.Context(), in.Name())
		require.ErrorIs(t, lost, tree.ErrNotFound)
		return errors.Join(err, &store.UnfinishedPurgeError{Cause: errors.New("the disk is full")})
	})
	require.ErrorContains(t, err, "the disk is full")
	<-done
	require.Empty(t, in.All())
	require.Empty(t, kept(t, s, in.Name()))
}

// TestBoxesOutliveAPurge: a purge removes the saved boxes with all derived data, and their content cannot be built
// again.
func TestBoxesOutliveAPurge(t *testing.T) {
	s := memoryStore(t)
	f, in := follow(s), NewInbox()
	found, err := f.Hold(t.Context(), in)
	require.NoError(t, err)
	require.False(t, found)
	in.Put(unlabelled(1))
	in.Put(unlabelled(2))
	f.SaveBoxes(t.Context(), 0)
	p := &store.Purge{Evaluations: []string{unlabelled(1).ID}}
	require.NoError(t, f.Purge(t.Context(), p, func() error {
		_, err := s.Commit(t.Context(), store.Batch{Purge: p})
		return err
	}))
	again := NewInbox()
	found, err = follow(s).Hold(t.Context(), again)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, []string{unlabelled(2).ID}, ids(again))
}
