package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// historyLaws are the laws of the ledger, the dead letters, Changes and Info.
func historyLaws() []law {
	return []law{
		{"the ledger keeps order and numbers", ledgerLaw},
		{"dead letters come oldest first", func(t testing.TB, open opener) {
			reopen := open(t)
			s := openAt(t, reopen)
			var want strings.Builder
			for _, i := range []int{3, 1, 2} {
				accept(t, s, evaluation(i, 1))
				letter := store.DeadLetter{Evaluation: evaluation(i, 1), Why: fmt.Sprint("why ", i)}
				commit(t, s, store.Batch{Dead: []store.DeadLetter{letter}})
				want.WriteString(asJSON(letter) + "\n")
			}
			for range 2 {
				got, err := allAsJSON(s.DeadLetters(t.Context()))
				require.NoError(t, err)
				require.Equal(t, want.String(), got)
				require.NoError(t, s.Close())
				s = openAt(t, reopen)
			}
		}},
		{"changes are what was committed, in order", changes},
		{"info counts", func(t testing.TB, open opener) {
			reopen := open(t)
			s := openAt(t, reopen)
			accept(t, s, evaluation(1, 1), evaluation(2, 1), evaluation(3, 1))
			commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x"), addCase(2, "x")}, Done: []string{"ev1"},
				Entries: []ledger.Entry{entry(1), entry(2)}})
			commit(t, s, store.Batch{
				Changes: []tree.Change{tree.NewChange(tree.OpRevise, aCase(1, "y"), 1, "evolution", "w")},
				Dead:    []store.DeadLetter{{Evaluation: evaluation(2, 1)}},
			})
			for range 2 {
				i, err := s.Info(t.Context())
				require.NoError(t, err)
				//nolint:gosec // small
				require.Equal(t, []int{2, 2, 3, 1, 1, 2},
					[]int{int(i.Version), i.Nodes, i.Evaluations, i.Outbox, i.Dead, int(i.Entries)})
				require.NotEmpty(t, i.Format)
				require.NoError(t, s.Close())
				s = openAt(t, reopen)
			}
		}},
	}
}

// ledger appends entries over several restarts, and expects them in order with numbers that rise by one.
func ledgerLaw(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	n := 0
	for range 3 {
		for range 3 {
			b := store.Batch{}
			for range 2 {
				n++
				e := entry(n)
				e.Seq = 77 // the store must replace it
				b.Entries = append(b.Entries, e)
			}
			commit(t, s, b)
		}
		for _, after := range []int{0, 1, n - 1, n, n + 5} {
			next := after
			for e, err := range s.Ledger(t.Context(), uint64(after)) { //nolint:gosec // small
				require.NoError(t, err)
				next++
				want := entry(next)
				want.Seq = uint64(next) //nolint:gosec // small
				equal(t, want, e)
			}
			require.Equal(t, max(n, after), next)
		}
		require.NoError(t, s.Close())
		s = openAt(t, reopen)
	}
	for _, err := range s.Ledger(t.Context(), 0) {
		require.NoError(t, err)
		break // leaving the iteration early must do no harm
	}
	kinds := []ledger.Entry{
		{At: testTime, Trial: &ledger.Trial{ID: "t_1", At: testTime, Arm: ledger.ArmHoldout, P: .25,
			Eligible: []string{"c_1"},
			Injected: []ledger.Injection{{ID: "c_1", Rank: 1}}}},
		{At: testTime, Step: &ledger.Step{Trial: "t_1", Injected: []ledger.Injection{{ID: "c_2", Rank: 1, Step: 2}}}},
		{At: testTime, Outcome: &ledger.Outcome{Trial: "t_1", Evaluation: "ev1", Correct: true}},
		{At: testTime, Correction: &ledger.Correction{Evaluation: "ev1", P: .9, Bound: .8, Asked: ledger.Other,
			Done:  ledger.Other,
			First: tree.Raw(`"pass"`), Other: tree.Raw(`"fail"`), Now: tree.Raw(`"fail"`), Changed: true}},
		{At: testTime, Ablation: &ledger.Ablation{Trial: "t_1", Evaluation: "ev1", Pairs: 2, Given: []string{"c_1"},
			Tried: []ledger.Tried{{Given: []string{}, Correct: true}}, Blame: ledger.Unfinished}},
		{At: testTime, Tally: &ledger.Tally{Origin: "o_1", Verdicts: 5, Rows: []ledger.TallyRow{{Of: ledger.OfAll,
			Right: 5}}}},
		{At: testTime, Known: &ledger.FactEntry{Op: ledger.FactStated, Fact: "f_1", Source: ledger.FromNote, By: "reader",
			Case: "c_1",
			Test: "T-1", Quote: "15 分钟内有效", Says: &ledger.Statement{Text: "锁位 15 分钟。", Kind: ledger.Rule,
				Pages: []string{"/seats"},
				Scope: tree.Scope{Product: "travel", SuiteTests: []string{"T-1"}}, Builds: []string{"1.2"}}}},
		{At: testTime, Known: &ledger.FactEntry{Op: ledger.FactContradicted, Fact: "f_1", Source: ledger.FromTeam,
			By: "ann", Act: "a_1",
			Why: "it is 20 minutes now"}},
		{At: testTime, Work: &ledger.Work{Run: "r-1", Kind: ledger.WorkFinding, By: "bot", Key: "k", Page: "/a",
			Text: "two\nlines", State: "high"}},
		{At: testTime, Walk: &ledger.Walk{ID: "w_1", Product: "shop", Build: "1", Source: "har", Run: "r", Part: 1,
			Test: "T-1",
			Seen: []ledger.Sighting{{Kind: ledger.SeenAction, URL: "/login", Do: "click", Role: "button", Name: "登录",
				Selector: "page.getByRole('button')", To: "/home", MS: 12}}}},
	}
	commit(t, s, store.Batch{Entries: kinds})
	got, err := allAsJSON(s.Ledger(t.Context(), uint64(n))) //nolint:gosec // small
	require.NoError(t, err)
	var want strings.Builder
	for i, e := range kinds {
		e.Seq = uint64(n + i + 1) //nolint:gosec // small
		want.WriteString(asJSON(e) + "\n")
	}
	require.Equal(t, want.String(), got)
	countedLaw(t, s)
}

// countedLaw: read for counts, the ledger has the same entries but for parts of verdicts.
func countedLaw(t testing.TB, s store.Store) {
	counted := func(list iter.Seq2[ledger.Entry, error]) (out []ledger.Entry) {
		for e, err := range list {
			require.NoError(t, err)
			if v := e.Verdict; v != nil {
				e.Verdict = &ledger.Verdict{Evaluation: v.Evaluation, Labelled: v.Labelled, Correct: v.Correct,
					Direction: v.Direction, Excuse: v.Excuse, Mends: v.Mends}
			}
			out = append(out, e)
		}
		return out
	}
	equal(t, counted(s.Ledger(t.Context(), 0)), counted(store.LedgerCounts(t.Context(), s)))
}

// changes expects the commits after each version, or ErrCompacted.
func changes(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	first, second := addCase(1, "x"), addCase(2, "x")
	third := tree.NewChange(tree.OpRevise, aCase(1, "y"), 1, "evolution", "w").On(second.Node.ID, 1)
	commit(t, s, store.Batch{Changes: []tree.Change{first}})
	commit(t, s, store.Batch{Entries: []ledger.Entry{entry(1)}})
	commit(t, s, store.Batch{Changes: []tree.Change{first, second, third}})
	want := []store.Commit{{Version: 1, Changes: []tree.Change{first}}, {Version: 3, Changes: []tree.Change{second,
		third}}}
	for range 2 {
		for after, from := range map[uint64]int{0: 0, 1: 1, 2: 1, 3: 2, 9: 2} {
			var got []store.Commit
			var failed error
			for c, err := range s.Changes(t.Context(), after) {
				if failed = err; err != nil {
					break
				}
				if len(c.Changes) > 0 {
					got = append(got, c)
				}
			}
			if after < 3 && errors.Is(failed, store.ErrCompacted) && got == nil {
				continue // a store may compact at any time, if it reports that
			}
			require.NoError(t, failed)
			equal(t, append([]store.Commit(nil), want[from:]...), got)
		}
		require.NoError(t, s.Close())
		s = openAt(t, reopen)
	}
}

// calls returns a call of every method of a store, by name.
func calls(ctx context.Context, s store.Store) map[string]func() error {
	return map[string]func() error{
		"Get":  func() error { _, err := s.Get(ctx, aCase(1, "").ID); return err },
		"Scan": func() error { _, err := allAsJSON(s.Scan(ctx, store.Filter{})); return err },
		"Commit": func() error {
			_, err := s.Commit(ctx,
				store.Batch{Changes: []tree.Change{addCase(5, "x")}})
			return err
		},
		"Accept":      func() error { _, err := s.Accept(ctx, []tree.Evaluation{evaluation(5, 1)}); return err },
		"Lease":       func() error { _, err := s.Lease(ctx, 1); return err },
		"Release":     func() error { return s.Release(ctx, []string{"ev1"}) },
		"Ledger":      func() error { _, err := allAsJSON(s.Ledger(ctx, 0)); return err },
		"DeadLetters": func() error { _, err := allAsJSON(s.DeadLetters(ctx)); return err },
		"Changes":     func() error { _, err := allAsJSON(s.Changes(ctx, 0)); return err },
		"Info":        func() error { _, err := s.Info(ctx); return err },
	}
}

// lifeLaws are the laws of opening, closing and cancelled contexts.
func lifeLaws() []law {
	return []law{
		{"a new store is empty", func(t testing.TB, open opener) {
			require.NoError(t, compare(t.Context(), openNew(t, open), NewMemory()))
		}},
		{"what is closed says ErrClosed, and closes twice", func(t testing.TB, open opener) {
			s := openNew(t, open)
			commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x")}})
			require.NoError(t, s.Close())
			require.NoError(t, s.Close())
			for name, call := range calls(t.Context(), s) {
				require.ErrorIs(t, call(), store.ErrClosed, name)
			}
			require.NoError(t, s.Close())
		}},
		{"a cancelled context leaves no trace", func(t testing.TB, open opener) {
			s := openNew(t, open)
			accept(t, s, evaluation(1, 1))
			commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x")}})
			before, err := storeText(t.Context(), s)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			writes := calls(ctx, s)
			for _, name := range []string{"Commit", "Accept", "Lease"} {
				require.ErrorIs(t, writes[name](), context.Canceled, name)
			}
			after, err := storeText(t.Context(), s)
			require.NoError(t, err)
			require.Equal(t, before, after)
			ctx, cancel = context.WithCancel(t.Context())
			_, err = s.Commit(ctx, store.Batch{Changes: []tree.Change{addCase(2, "x")}})
			require.NoError(t, err)
			cancel()
			_, err = s.Get(t.Context(), aCase(2, "").ID)
			require.NoError(t, err, "what was acknowledged stays")
		}},
		{"Close waits for writes under way", closing},
	}
}

// closing closes the store during writes. A write that succeeded must be there; one that returned ErrClosed must not.
func closing(t testing.TB, open opener) {
	const workers = 4
	reopen := open(t)
	s := openAt(t, reopen)
	type result struct {
		i   int
		err error
	}
	results := make(chan result, 1000)
	started := make(chan struct{}, workers)
	ended := make(chan struct{}, workers)
	for w := range workers {
		go func() {
			defer func() { ended <- struct{}{} }()
			for i := range 200 {
				_, err := s.Commit(t.Context(), store.Batch{Changes: []tree.Change{addCase(1000*w+i, "x")}})
				results <- result{1000*w + i, err}
				if i == 2 {
					started <- struct{}{}
				}
				if err != nil {
					return
				}
			}
		}()
	}
	for range workers {
		<-started
	}
	require.NoError(t, s.Close())
	for range workers {
		<-ended
	}
	close(results)
	s = openAt(t, reopen)
	for r := range results {
		_, err := s.Get(t.Context(), aCase(r.i, "").ID)
		if r.err == nil {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, r.err, store.ErrClosed)
		require.ErrorIs(t, err, tree.ErrNotFound)
	}
}

// optionalLaws are the laws of store.Deriver, store.Knower and store.Verifier. Other stores skip them.
func optionalLaws() []law {
	return []law{
		{"derived data is kept whole, if at all", derived},
		{"a picture is kept once, under its hash", pictures},
		{"an accepted key is known for ever, and no other", func(t testing.TB, open opener) {
			s := openNew(t, open)
			k, ok := s.(store.Knower)
			if !ok {
				t.Skip("the store is no store.Knower")
			}
			accept(t, s, evaluation(1, 1), evaluation(2, 2))
			commit(t, s, store.Batch{Done: []string{"ev1"}})
			got, err := k.Knows(t.Context(), []string{"ev2", "ev3", "ev1", "", "ev2"})
			require.NoError(t, err)
			require.Equal(t, []bool{true, false, true, false, true}, got)
			got, err = k.Knows(t.Context(), nil)
			require.NoError(t, err)
			require.Empty(t, got)
			require.NoError(t, s.Close())
			_, err = k.Knows(t.Context(), []string{"ev1"})
			require.ErrorIs(t, err, store.ErrClosed)
		}},
		{"what is whole verifies", func(t testing.TB, open opener) {
			s := openNew(t, open)
			v, ok := s.(store.Verifier)
			if !ok {
				t.Skip("the store is no store.Verifier")
			}
			accept(t, s, evaluation(1, 1))
			commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x"), addCase(2, "x")}, Done: []string{"ev1"},
				Entries: []ledger.Entry{entry(1)}})
			got, err := v.Verify(t.Context(), func(problem error) { t.Errorf("found %v", problem) })
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip("the store below is no store.Verifier")
			}
			require.NoError(t, err)
			require.Equal(t, []int{2, 1, 1}, []int{got.Nodes, got.Entries, int(got.Version)}) //nolint:gosec // small
			require.NoError(t, s.Close())
			_, err = v.Verify(t.Context(), func(error) {})
			require.ErrorIs(t, err, store.ErrClosed)
		}},
	}
}

// derived saves derived data several times, once with a failure, and reads it while it is replaced.
func derived(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	d, ok := s.(store.Deriver)
	if !ok {
		t.Skip("the store is no store.Deriver")
	}
	ctx := t.Context()
	_, err := d.OpenDerived(ctx, "index-1")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("the store below is no store.Deriver")
	}
	require.ErrorIs(t, err, tree.ErrNotFound)
	save := func(text string, version uint64, fail error) error {
		return d.SaveDerived(ctx, "index-1", version, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fail)
		})
	}
	read := func() (string, uint64) {
		got, err := d.OpenDerived(ctx, "index-1")
		require.NoError(t, err)
		b, err := io.ReadAll(io.NewSectionReader(got, 0, got.Size))
		require.NoError(t, err)
		require.NoError(t, got.Closer.Close())
		return string(b), got.Version
	}
	require.NoError(t, save("first 一", 0, nil))
	commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x")}})
	require.NoError(t, save("second", 1, nil))
	mistake := errors.New("a mistake")
	require.ErrorIs(t, save("third", 1, mistake), mistake)
	text, version := read()
	require.Equal(t, "second", text)
	require.EqualValues(t, 1, version)
	held, err := d.OpenDerived(ctx, "index-1")
	require.NoError(t, err)
	require.NoError(t, save("fourth", 1, nil))
	b := make([]byte, 6)
	_, err = held.ReadAt(b, 0)
	require.NoError(t, err, "what is open stays readable")
	require.Equal(t, "second", string(b))
	require.NoError(t, held.Closer.Close())
	listed(t, s, d)
	for _, name := range []string{"", "../x", "a/b", ".", "a b"} {
		require.Error(t, d.SaveDerived(ctx, name, 1, func(io.Writer) error { return nil }), "%q", name)
	}
	require.NoError(t, s.Close())
	s = openAt(t, reopen)
	if d, ok = s.(store.Deriver); ok {
		if _, err := d.OpenDerived(ctx, "index-1"); !errors.Is(err, tree.ErrNotFound) {
			text, _ = read()
			require.Equal(t, "fourth", text)
		}
	}
}

// listed saves more derived data, keeps some and drops the rest. Where other processes may write, what is new stays.
func listed(t testing.TB, s store.Store, d store.Deriver) {
	ctx := t.Context()
	for _, name := range []string{"index-1b", "index-1a", "other"} {
		require.NoError(t, d.SaveDerived(ctx, name, 1, func(w io.Writer) error {
			_, err := io.WriteString(w, name)
			return err
		}))
	}
	names := []string{"index-1", "index-1a"}
	missing, err := d.KeepDerived(ctx, append(names, "index-1c"))
	require.NoError(t, err)
	require.Equal(t, []string{"index-1c"}, missing)
	for range 2 {
		require.NoError(t, d.DropDerived(ctx, "index-1", names))
	}
	missing, err = d.KeepDerived(ctx, append(names, "other", "index-1b"))
	require.NoError(t, err)
	if _, several := s.(store.Shared); several {
		require.Empty(t, missing)
		return
	}
	require.Equal(t, []string{"index-1b"}, missing)
	_, err = d.OpenDerived(ctx, "index-1b")
	require.ErrorIs(t, err, tree.ErrNotFound)
	require.NoError(t, d.DropDerived(ctx, "other", nil))
	_, err = d.OpenDerived(ctx, "other")
	require.ErrorIs(t, err, tree.ErrNotFound)
}
