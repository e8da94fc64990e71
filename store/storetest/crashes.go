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

	"github.com/memtree/memtree/tree"
)

// OnFS opens a store on a file system, at a place of its own choice, which is
// always the same.
type OnFS func(fs afero.Fs) (tree.Store, error)

// Explored is how much of what could go wrong was looked at.
type Explored struct {
	States int // crashes recovered from
	Nested int // of them, crashes during recovery
	Ill    int // of them, recoveries on a disk that failed once
	Faults int // runs that a fault hit
	Runs   int // histories of random operations
}

// historySteps is how many operations one history has.
const historySteps = 24

// moment is one operation of a history.
type moment struct {
	name       string
	begin, end int // how many file operations there were before and after it
	after      *Memory
}

// Crash does random operations on a store and lets the machine crash at every
// file operation of it, and in the middle of writes, until it has looked at the
// given number of states. After each crash it opens what is left: every
// acknowledged write must be there with every byte, the write under way whole or
// not at all, and nothing else. Of eight states two crash again while they
// recover, one recovers on a disk that fails once, and one goes on with random
// operations.
//
// A failure tells the seed, the operation and a dump for LoadCrashFS.
func Crash(t testing.TB, open OnFS, states int, seed uint64) Explored {
	t.Helper()
	var done Explored
	for ; done.States < states; done.Runs++ {
		e := &explorer{t: t, open: open, seed: seed + uint64(done.Runs), left: states - done.States} //nolint:gosec // a count
		e.live()
		e.explore()
		done.States += e.done.States
		done.Nested += e.done.Nested
		done.Ill += e.done.Ill
	}
	t.Logf("%d states after a crash, %d of them during recovery, %d histories, first seed %d", done.States, done.Nested, done.Runs, seed)
	return done
}

type explorer struct {
	t       testing.TB
	open    OnFS
	seed    uint64
	left    int
	fs      *CrashFS
	moments []moment
	spelled map[*Memory]string // the moments, once asked for
	done    Explored
}

// live writes the history: random operations while nothing goes wrong.
func (e *explorer) live() {
	t, ctx, r := e.t, e.t.Context(), seeded(e.seed)
	e.fs, e.spelled = NewCrashFS(), map[*Memory]string{}
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

// explore crashes at every operation of the history, in turn, with several
// seeds each.
func (e *explorer) explore() {
	const seeds = 4
	for n := 0; n <= e.fs.Ops() && e.done.States < e.left; n++ {
		for i := range uint64(seeds) {
			e.crash(n, e.seed*seeds+i)
		}
	}
}

// allowed returns the states that a crash after n file operations may leave,
// the acknowledged one first, and the operation that was under way.
func (e *explorer) allowed(n int) ([]*Memory, string) {
	acknowledged := e.moments[0]
	for _, now := range e.moments[1:] {
		switch {
		case now.end <= n:
			acknowledged = now
		case now.begin < n:
			return []*Memory{acknowledged.after, now.after}, now.name
		default:
			return []*Memory{acknowledged.after}, "nothing, after " + acknowledged.name
		}
	}
	return []*Memory{acknowledged.after}, "nothing, after " + acknowledged.name
}

func (e *explorer) crash(n int, seed uint64) {
	may, doing := e.allowed(n)
	left := e.fs.CrashAt(n, seed)
	before := func() string { return e.fs.CrashAt(n, seed).Dump() } // not what recovery made of it
	e.done.States++
	tell := func(what string) string {
		return fmt.Sprintf("%s\nseed %d, crash after file operation %d with seed %d, under way: %.500s\nLoadCrashFS dump of what the crash left:\n%s\n",
			what, e.seed, n, seed, doing, before())
	}
	s, is := e.recover(left, may, tell)
	switch seed % 8 {
	case 0, 4:
		e.again(left, may, is, seed, tell)
	case 2:
		e.ill(n, may, seed, tell)
	case 1:
		e.goOn(left, s, is.fork(), seed, tell)
		return
	}
	e.close(s, tell)
}

// recover opens what a crash left and returns which of the states it is.
func (e *explorer) recover(left afero.Fs, may []*Memory, tell func(string) string) (tree.Store, *Memory) {
	s, err := e.open(left)
	if err != nil {
		require.NoError(e.t, err, tell("recovery fails"))
	}
	is, err := match(e.t.Context(), s, may, e.spell)
	if err != nil {
		require.NoError(e.t, err, tell("after recovery"))
	}
	return s, is
}

// match returns which of the models the store agrees with.
func match(ctx context.Context, s tree.Store, may []*Memory, spell func(context.Context, *Memory) (string, error)) (*Memory, error) {
	got, err := whole(ctx, s)
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

// spell spells a model that does not change any more.
func (e *explorer) spell(ctx context.Context, m *Memory) (string, error) {
	if text, ok := e.spelled[m]; ok {
		return text, nil
	}
	text, err := spell(ctx, m)
	if err == nil {
		e.spelled[m] = text
	}
	return text, err
}

func spell(ctx context.Context, m *Memory) (string, error) { return whole(ctx, m.restarted()) }

// again crashes at a random operation of the recovery, and recovers from that.
// What a finished recovery has shown must stay.
func (e *explorer) again(left *CrashFS, may []*Memory, is *Memory, seed uint64, tell func(string) string) {
	n := seeded(seed).IntN(left.Ops() + 1)
	if n == left.Ops() {
		may = []*Memory{is}
	}
	e.done.States++
	e.done.Nested++
	s, _ := e.recover(left.CrashAt(n, seed+1), may, func(what string) string {
		return tell(fmt.Sprintf("%s, after another crash, after operation %d of the recovery with seed %d", what, n, seed+1))
	})
	e.close(s, tell)
}

func (e *explorer) close(s tree.Store, tell func(string) string) {
	if err := s.Close(); err != nil {
		require.NoError(e.t, err, tell("close after recovery"))
	}
}

// goOn uses the recovered store, and looks whether it keeps what it is given.
func (e *explorer) goOn(left *CrashFS, s tree.Store, m *Memory, seed uint64, tell func(string) string) {
	ctx, r := e.t.Context(), seeded(seed)
	m = m.Reopen()
	for range 6 {
		st := nextStep(r, m)
		if err := st.both(ctx, s, m); err != nil {
			require.NoError(e.t, err, tell("after recovery: "+st.name))
		}
	}
	e.close(s, tell)
	s, _ = e.recover(left, []*Memory{m}, tell)
	e.close(s, tell)
}

// ill recovers from the same crash on a disk that fails once, and writes. Then
// the disk heals.
func (e *explorer) ill(n int, may []*Memory, seed uint64, tell func(string) string) {
	counts := NewFaultFS(e.fs.CrashAt(n, seed))
	s, _ := e.recover(counts, may, tell)
	all := counts.Counts()
	e.close(s, tell)
	fault := RandomFault(all, seed)
	fault.ForGood = false
	if seed%16 == 2 && all[OpOpen] > 0 { // the error that looks like an answer
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
		if is, err := match(e.t.Context(), s, may, e.spell); err == nil {
			p.m = is.restarted()
			p.do(ledgerStep("written after an ill recovery"))
			may = p.mayBe()
		} else if p.fs.Hits() == 0 || !clean(err, fault) {
			require.NoError(e.t, err, tellIll("after recovery"))
		}
		p.close()
	} else if p.fs.Hits() == 0 || !clean(err, fault) {
		require.NoError(e.t, err, tellIll("recovery fails"))
	}
	p.fs.Set()
	s, _ = e.recover(left, may, tellIll)
	e.close(s, tellIll)
}

// ledgerStep writes one line of the ledger.
func ledgerStep(text string) step {
	b := tree.Batch{Entries: []tree.Entry{{At: when, Verdict: &tree.Verdict{Evaluation: text}}}}
	return step{text, func(ctx context.Context, s tree.Store) (string, error) {
		v, err := s.Commit(ctx, b)
		return fmt.Sprint("version ", v), err
	}}
}

// clean reports whether a failed operation failed in a way that a caller can
// tell: the disk's own error, or one of the contract's.
func clean(err error, fault Fault) bool {
	for _, known := range []error{fault.Errno, tree.ErrFailed, tree.ErrFull, tree.ErrReadOnly, tree.ErrClosed} {
		if errors.Is(err, known) {
			return true
		}
	}
	if fault.Errno == syscall.ENOENT && errors.Is(err, fs.ErrExist) {
		return true // what the disk denied it had was in the way
	}
	corrupt, format, locked := new(tree.CorruptError), new(tree.FormatError), new(tree.LockedError)
	return errors.As(err, &corrupt) || errors.As(err, &format) || errors.As(err, &locked)
}
