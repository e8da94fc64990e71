package storetest

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
)

// Faults performs random operations on a store while one kind of file operation fails with one error, once or from
// then on. It does so for every error and every kind that occurs, in the given number of histories, which are
// sequences of random operations. The store must succeed, or return an error that reports the cause. It must never
// lose acknowledged data and never read wrong data. A failed operation must have changed nothing, unless the error was
// ErrFailed.
//
// After each run the store is opened twice: on the disk that a power failure would leave at the end of the run; and on
// the healed disk, after the store was closed. If the fault was a full disk, the store must write again before that.
func Faults(t testing.TB, open OnFS, histories int, seed uint64) Explored {
	t.Helper()
	var done Explored
	for h := range uint64(max(1, histories)) { //nolint:gosec // a count
		disk := NewCrashFS()
		counts := NewFaultFS(disk)
		p := &patient{t: t, open: open, seed: seed + h, disk: disk, fs: counts}
		p.runHistory()
		all := counts.Counts()
		p.finish()
		for _, kind := range opKinds() {
			if all[kind] == 0 {
				continue
			}
			r := seeded(seed + h)
			for _, errno := range errnos() {
				for _, forGood := range []bool{false, true} {
					fault := Fault{Kind: kind, N: 1 + r.IntN(all[kind]), Errno: errno, ForGood: forGood}
					disk := NewCrashFS()
					p := &patient{t: t, open: open, seed: seed + h, disk: disk, fs: NewFaultFS(disk, fault), fault: fault}
					p.runHistory()
					p.finish()
					if p.fs.Hits() > 0 {
						done.Faults++
					}
				}
			}
		}
		done.Runs++
	}
	t.Logf("%d runs that a fault hit, in %d histories, first seed %d", done.Faults, done.Runs, seed)
	return done
}

// patient is a store on a disk that fails.
type patient struct {
	t     testing.TB
	open  OnFS
	seed  uint64
	disk  *CrashFS
	fs    *FaultFS
	fault Fault

	s      store.Store
	m      *MapStore // the model of acknowledged writes
	doubt  *MapStore // the model if the write that returned ErrFailed was done; nil if there was none
	failed bool      // ErrFailed was returned since the last open
}

// message adds seed and fault to a message.
func (p *patient) message(what string) string {
	return fmt.Sprintf("%.1500s\nseed %d, %s", what, p.seed, p.fault)
}

// runHistory opens the store and performs random operations, until it cannot be opened again.
func (p *patient) runHistory() {
	r := seeded(p.seed)
	p.m = NewMemory()
	if !p.reopen() {
		return
	}
	for range historySteps {
		if r.IntN(10) == 0 {
			p.close()
			if !p.reopen() {
				return
			}
			continue
		}
		p.do(nextStep(r, p.m))
	}
}

// reopen opens the store and reports whether that succeeded.
func (p *patient) reopen() bool {
	s, err := p.open(p.fs)
	if err != nil {
		require.True(p.t, isCleanError(err, p.fault), p.message("open says "+err.Error()))
		return false
	}
	p.s, p.failed = s, false
	p.m = p.m.Reopen()
	if p.doubt != nil {
		p.settleDoubt()
	}
	return true
}

// settleDoubt determines whether the write in doubt was done, if the disk allows it.
func (p *patient) settleDoubt() {
	is, err := findModel(p.t.Context(), p.s, []*MapStore{p.m, p.doubt}, modelText)
	switch {
	case err == nil:
		p.m, p.doubt = is.restarted(), nil
	case p.fs.Hits() > 0 && isCleanError(err, p.fault):
	default:
		require.NoError(p.t, err, p.message("after a reopen"))
	}
}

func (p *patient) close() {
	if err := p.s.Close(); err != nil {
		require.True(p.t, isCleanError(err, p.fault), p.message("close says "+err.Error()))
	}
	p.s = nil
}

// do performs one operation on the store and, if it succeeds there, on the model.
func (p *patient) do(st modelStep) {
	ctx, before := p.t.Context(), p.m.fork()
	want, errM := st.run(ctx, p.m)
	got, errS := st.run(ctx, p.s)
	hit := p.fs.Hits() > 0
	switch {
	case errS != nil && errM != nil && errorClass(errM) == errorClass(errS):
	case errS != nil && hit && isCleanError(errS, p.fault):
		if errors.Is(errS, store.ErrFailed) {
			if !p.failed && p.doubt == nil {
				p.doubt = p.m
			}
			p.failed = true
		}
		p.m = before
	case errS != nil:
		require.NoError(p.t, errS, p.message("unclean: "+st.name))
	case p.doubt != nil: // the results cannot be compared before a reopen
		p.m = before
	default:
		require.NoError(p.t, errM, p.message("should have failed: "+st.name))
		require.Equal(p.t, want, got, p.message("wrong: "+st.name))
	}
}

// finish checks what a power failure would leave now, then heals the disk and checks that.
func (p *patient) finish() {
	may := p.possibleStates()
	p.checkDisk(p.disk.CrashAt(p.disk.Ops(), p.seed), may, "after a power failure")
	p.fs.Set()
	if p.s != nil {
		if isDiskFull(p.fault) && !p.failed {
			p.writesOn()
			may = []*MapStore{p.m}
		}
		p.close()
	}
	p.checkDisk(p.disk, may, "on the healed disk")
}

// possibleStates returns the models that the store may match.
func (p *patient) possibleStates() []*MapStore {
	if p.doubt != nil {
		return []*MapStore{p.m, p.doubt}
	}
	return []*MapStore{p.m}
}

// checkDisk opens the store on a healthy disk and compares it with the models.
func (p *patient) checkDisk(fs *CrashFS, may []*MapStore, when string) {
	s, err := p.open(fs)
	if err != nil {
		require.NoError(p.t, err, p.message("open "+when))
	}
	if _, err := findModel(p.t.Context(), s, may, modelText); err != nil {
		require.NoError(p.t, err, p.message(when))
	}
	require.NoError(p.t, s.Close(), p.message("close "+when))
}

// isDiskFull reports whether the fault is a full disk, after which the store needs no restart.
func isDiskFull(f Fault) bool {
	return (f.Errno == syscall.ENOSPC || f.Errno == syscall.EDQUOT) && (f.Kind == opWrite || f.Kind == opShortWrite)
}

// writesOn writes when there is room again.
func (p *patient) writesOn() {
	e := ledger.Entry{At: testTime, Verdict: &ledger.Verdict{Evaluation: "there is room again"}}
	for _, s := range []store.Store{p.s, p.m} {
		_, err := s.Commit(p.t.Context(), store.Batch{Entries: []ledger.Entry{e}})
		require.NoError(p.t, err, p.message("write with room again"))
	}
}
