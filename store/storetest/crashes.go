package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
)

// OnFS opens a store in a fixed place on the file system fs.
type OnFS func(fs afero.Fs) (store.Store, error)

// Explored counts the failures that Crash or Faults tried.
type Explored struct {
	States int // states of a disk on which the store recovered
	Nested int // states after a second crash, during recovery
	Ill    int // states in which the disk failed once during recovery
	Faults int // runs in which a fault occurred
	Runs   int // sequences of random operations
}

// historySteps is the number of operations of a history.
const historySteps = 24

// moment is one operation of a history, with the model after it.
type moment struct {
	name       string
	begin, end int // number of file operations before it, and after it
	after      *MapStore
}

// Crash performs random operations on a store and crashes the machine at every file operation, and in the middle of
// writes, until it has tried the given number of states. After each crash it opens the files that remain. Every
// acknowledged write must be there with every byte, a write that was running must be there as a whole or not at all,
// and there must be nothing else. Of eight states two crash again during recovery, one recovers on a disk that fails
// once, and one continues with random operations.
//
// If a state is wrong, the test fails with the seed, the operation, and the disk in the form of CrashFS.Dump.
func Crash(t testing.TB, open OnFS, states int, seed uint64) Explored {
	t.Helper()
	var done Explored
	for ; done.States < states; done.Runs++ {
		e := &explorer{t: t, open: open, seed: seed + uint64(done.Runs), left: states - done.States} //nolint:gosec // a count
		e.recordHistory()
		e.explore()
		done.States += e.done.States
		done.Nested += e.done.Nested
		done.Ill += e.done.Ill
	}
	t.Logf("%d states after a crash, %d of them during recovery, %d histories, first seed %d", done.States, done.Nested,
		done.Runs, seed)
	return done
}

// explorer is one history with its crashes.
type explorer struct {
	t          testing.TB
	open       OnFS
	seed       uint64
	left       int
	fs         *CrashFS
	moments    []moment
	modelTexts map[*MapStore]string // texts of the models that were compared so far
	done       Explored
}

// recordHistory records the history: random operations without failures.
func (e *explorer) recordHistory() {
	t, ctx, r := e.t, e.t.Context(), seeded(e.seed)
	e.fs, e.modelTexts = NewCrashFS(), map[*MapStore]string{}
	m := NewMemory()
	s, err := e.open(e.fs)
	require.NoError(t, err, "seed %d: open", e.seed)
	e.moments = []moment{{"open", 0, 0, m.fork()}}
	for i := range historySteps {
		now := moment{name: "close, open", begin: e.fs.Ops()}
		if r.IntN(10) > 0 {
			st := nextStep(r, m)
			now.name = st.name
			require.NoError(t, st.both(ctx, s, m), "seed %d, operation %d: %.2000s", e.seed, i, st.name)
		} else {
			require.NoError(t, s.Close(), "seed %d: close", e.seed)
			s, err = e.open(e.fs)
			require.NoError(t, err, "seed %d: open", e.seed)
			m = m.Reopen()
		}
		now.end, now.after = e.fs.Ops(), m.fork()
		e.moments = append(e.moments, now)
	}
	require.NoError(t, s.Close(), "seed %d: close", e.seed)
}

// explore crashes at every file operation of the history in turn, with several seeds each.
func (e *explorer) explore() {
	const seeds = 4
	for n := 0; n <= e.fs.Ops() && e.done.States < e.left; n++ {
		for i := range uint64(seeds) {
			e.crashAt(n, e.seed*seeds+i)
		}
	}
}

// possibleStates returns the models that may be found after a crash at file operation n, the acknowledged one first,
// and the name of the running operation.
func (e *explorer) possibleStates(n int) ([]*MapStore, string) {
	acknowledged := e.moments[0]
	for _, now := range e.moments[1:] {
		switch {
		case now.end <= n:
			acknowledged = now
		case now.begin < n:
			return []*MapStore{acknowledged.after, now.after}, now.name
		default:
			return []*MapStore{acknowledged.after}, "nothing, after " + acknowledged.name
		}
	}
	return []*MapStore{acknowledged.after}, "nothing, after " + acknowledged.name
}

// crashAt crashes at file operation n, recovers, and checks the content.
func (e *explorer) crashAt(n int, seed uint64) {
	may, doing := e.possibleStates(n)
	left := e.fs.CrashAt(n, seed)
	before := func() string { return e.fs.CrashAt(n, seed).Dump() } // made again, because recovery changes left
	e.done.States++
	tell := func(what string) string {
		return fmt.Sprintf("%s\nseed %d, crash after file operation %d with seed %d, under way: %.500s\nLoadCrashFS dump "+
			"of what the crash left:\n%s\n",
			what, e.seed, n, seed, doing, before())
	}
	s, is := e.recover(left, may, tell)
	switch seed % 8 {
	case 0, 4:
		e.crashAgain(left, may, is, seed, tell)
	case 2:
		e.recoverOnFailingDisk(n, may, seed, tell)
	case 1:
		e.useRecovered(left, s, is.fork(), seed, tell)
		return
	}
	e.close(s, tell)
}

// recover opens the files after a crash and returns the model that matches.
func (e *explorer) recover(left afero.Fs, may []*MapStore, tell func(string) string) (store.Store, *MapStore) {
	s, err := e.open(left)
	if err != nil {
		require.NoError(e.t, err, tell("recovery fails"))
	}
	is, err := findModel(e.t.Context(), s, may, e.modelText)
	if err != nil {
		require.NoError(e.t, err, tell("after recovery"))
	}
	return s, is
}

// findModel returns the model that the store agrees with. If none, the error shows how it
// differs from the first.
func findModel(ctx context.Context, s store.Store, may []*MapStore,
	spell func(context.Context, *MapStore) (string, error)) (*MapStore, error) {
	got, err := storeText(ctx, s)
	if err != nil {
		return nil, err
	}
	var different error
	for _, m := range may {
		want, err := spell(ctx, m)
		if err != nil {
			return nil, err
		}
		if got == want {
			return m, compareKnown(ctx, s, m)
		}
		if different == nil {
			different = fmt.Errorf("the store differs from what was acknowledged: %s", difference(want, got))
		}
	}
	return nil, different
}

// modelText returns the text of an immutable model, and caches it.
func (e *explorer) modelText(ctx context.Context, m *MapStore) (string, error) {
	if text, ok := e.modelTexts[m]; ok {
		return text, nil
	}
	text, err := modelText(ctx, m)
	if err == nil {
		e.modelTexts[m] = text
	}
	return text, err
}

// modelText returns the text of a model after a restart.
func modelText(ctx context.Context, m *MapStore) (string, error) {
	return storeText(ctx, m.restarted())
}

// crashAgain crashes at a random operation of the recovery and recovers from that. If the first recovery had finished,
// its result must remain.
func (e *explorer) crashAgain(left *CrashFS, may []*MapStore, is *MapStore, seed uint64, tell func(string) string) {
	n := seeded(seed).IntN(left.Ops() + 1)
	if n == left.Ops() {
		may = []*MapStore{is}
	}
	e.done.States++
	e.done.Nested++
	s, _ := e.recover(left.CrashAt(n, seed+1), may, func(what string) string {
		return tell(fmt.Sprintf("%s, after another crash, after operation %d of the recovery with seed %d", what, n, seed+1))
	})
	e.close(s, tell)
}

func (e *explorer) close(s store.Store, tell func(string) string) {
	if err := s.Close(); err != nil {
		require.NoError(e.t, err, tell("close after recovery"))
	}
}

// useRecovered writes to the recovered store and checks that the writes persist.
func (e *explorer) useRecovered(left *CrashFS, s store.Store, m *MapStore, seed uint64, tell func(string) string) {
	ctx, r := e.t.Context(), seeded(seed)
	m = m.Reopen()
	for range 6 {
		st := nextStep(r, m)
		if err := st.both(ctx, s, m); err != nil {
			require.NoError(e.t, err, tell("after recovery: "+st.name))
		}
	}
	e.close(s, tell)
	s, _ = e.recover(left, []*MapStore{m}, tell)
	e.close(s, tell)
}

// recoverOnFailingDisk recovers from the same crash on a disk that fails once, writes an entry, and then
// recovers on the healed disk.
func (e *explorer) recoverOnFailingDisk(n int, may []*MapStore, seed uint64, tell func(string) string) {
	counts := NewFaultFS(e.fs.CrashAt(n, seed))
	s, _ := e.recover(counts, may, tell)
	all := counts.Counts()
	e.close(s, tell)
	fault := randomFault(all, seed)
	fault.ForGood = false
	if seed%16 == 2 && all[OpOpen] > 0 { // ENOENT, which is also a regular result
		fault = Fault{Kind: OpOpen, N: 1 + seeded(seed).IntN(all[OpOpen]), Errno: syscall.ENOENT}
	}
	tellIll := func(what string) string { return tell(what + ", with " + fault.String() + " in the recovery") }
	e.done.States++
	e.done.Ill++
	left := e.fs.CrashAt(n, seed)
	p := &patient{t: e.t, open: e.open, seed: e.seed, disk: left, fs: NewFaultFS(left, fault), fault: fault}
	s, err := e.open(p.fs)
	if err == nil {
		p.s, p.m = s, nil
		if is, err := findModel(e.t.Context(), s, may, e.modelText); err == nil {
			p.m = is.restarted()
			p.do(ledgerStep("written after an ill recovery"))
			may = p.possibleStates()
		} else if p.fs.Hits() == 0 || !isCleanError(err, fault) {
			require.NoError(e.t, err, tellIll("after recovery"))
		}
		p.close()
	} else if p.fs.Hits() == 0 || !isCleanError(err, fault) {
		require.NoError(e.t, err, tellIll("recovery fails"))
	}
	p.fs.Set()
	s, _ = e.recover(left, may, tellIll)
	e.close(s, tellIll)
}

// ledgerStep is the operation that appends one entry to the ledger.
func ledgerStep(text string) modelStep {
	b := store.Batch{Entries: []ledger.Entry{{At: testTime, Verdict: &ledger.Verdict{Evaluation: text}}}}
	return modelStep{text, func(ctx context.Context, s store.Store) (string, error) {
		v, err := s.Commit(ctx, b)
		return fmt.Sprint("version ", v), err
	}}
}

// isCleanError reports whether an operation failed with an error that reports the cause: the disk's own error, or one
// of the contract's.
func isCleanError(err error, fault Fault) bool {
	for _, known := range []error{fault.Errno, store.ErrFailed, store.ErrFull, store.ErrReadOnly, store.ErrClosed} {
		if errors.Is(err, known) {
			return true
		}
	}
	if fault.Errno == syscall.ENOENT && errors.Is(err, fs.ErrExist) {
		return true // a file exists although the disk had denied it
	}
	corrupt, format, locked := new(store.CorruptError), new(store.FormatError), new(store.LockedError)
	return errors.As(err, &corrupt) || errors.As(err, &format) || errors.As(err, &locked)
}
