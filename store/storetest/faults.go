package storetest

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// Faults lets every error strike every kind of file operation, once and for
// good, each in the given number of histories. The store must answer with an
// error that says what it is or succeed, never lose what it acknowledged, never
// read wrong; what failed has changed nothing, except where it was ErrFailed.
// At the end the power fails too, on the one hand, and on the other the disk
// heals, the store writes on if it can, is closed and opened.
func Faults(t testing.TB, open OnFS, histories int, seed uint64) Explored {
	t.Helper()
	var done Explored
	for h := range uint64(max(1, histories)) { //nolint:gosec // a count
		disk := NewCrashFS()
		counts := NewFaultFS(disk)
		p := &patient{t: t, open: open, seed: seed + h, disk: disk, fs: counts}
		p.live()
		all := counts.Counts()
		p.end()
		for _, kind := range Kinds() {
			if all[kind] == 0 {
				continue
			}
			r := seeded(seed + h)
			for _, errno := range Errnos() {
				for _, forGood := range []bool{false, true} {
					fault := Fault{Kind: kind, N: 1 + r.IntN(all[kind]), Errno: errno, ForGood: forGood}
					disk := NewCrashFS()
					p := &patient{t: t, open: open, seed: seed + h, disk: disk, fs: NewFaultFS(disk, fault), fault: fault}
					p.live()
					p.end()
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

	s      tree.Store
	m      *Memory // what was acknowledged
	doubt  *Memory // what there is if the write that ended in ErrFailed was done; nil: none did
	failed bool    // ErrFailed was said since the last open
}

func (p *patient) where(what string) string {
	return fmt.Sprintf("%.1500s\nseed %d, %s", what, p.seed, p.fault)
}

// live opens the store and does random operations until the end or until it
// cannot be opened.
func (p *patient) live() {
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

func (p *patient) reopen() bool {
	s, err := p.open(p.fs)
	if err != nil {
		require.True(p.t, clean(err, p.fault), p.where("open says "+err.Error()))
		return false
	}
	p.s, p.failed = s, false
	p.m = p.m.Reopen()
	if p.doubt != nil {
		p.settle()
	}
	return true
}

// settle finds out what became of the write in doubt, if the disk lets it.
func (p *patient) settle() {
	is, err := match(p.t.Context(), p.s, []*Memory{p.m, p.doubt}, spell)
	switch {
	case err == nil:
		p.m, p.doubt = is.restarted(), nil
	case p.fs.Hits() > 0 && clean(err, p.fault):
	default:
		require.NoError(p.t, err, p.where("after a reopen"))
	}
}

func (p *patient) close() {
	if err := p.s.Close(); err != nil {
		require.True(p.t, clean(err, p.fault), p.where("close says "+err.Error()))
	}
	p.s = nil
}

// do does one operation on the store, and on the model if it is done there.
func (p *patient) do(st step) {
	ctx, before := p.t.Context(), p.m.fork()
	want, errM := st.run(ctx, p.m)
	got, errS := st.run(ctx, p.s)
	hit := p.fs.Hits() > 0
	switch {
	case errS != nil && errM != nil && sayError(errM) == sayError(errS):
	case errS != nil && hit && clean(errS, p.fault):
		if errors.Is(errS, tree.ErrFailed) {
			if !p.failed && p.doubt == nil {
				p.doubt = p.m
			}
			p.failed = true
		}
		p.m = before
	case errS != nil:
		require.NoError(p.t, errS, p.where("unclean: "+st.name))
	case p.doubt != nil: // cannot be compared before a reopen
		p.m = before
	default:
		require.NoError(p.t, errM, p.where("should have failed: "+st.name))
		require.Equal(p.t, want, got, p.where("wrong: "+st.name))
	}
}

// end looks at what a power failure now would leave, then heals the disk.
func (p *patient) end() {
	may := p.mayBe()
	p.look(p.disk.CrashAt(p.disk.Ops(), p.seed), may, "after a power failure")
	p.fs.Set()
	if p.s != nil {
		if full(p.fault) && !p.failed {
			p.writesOn()
			may = []*Memory{p.m}
		}
		p.close()
	}
	p.look(p.disk, may, "on the healed disk")
}

// mayBe returns what there is: what was acknowledged, and what may be too.
func (p *patient) mayBe() []*Memory {
	if p.doubt != nil {
		return []*Memory{p.m, p.doubt}
	}
	return []*Memory{p.m}
}

// look opens the store on a healthy disk and compares.
func (p *patient) look(fs *CrashFS, may []*Memory, when string) {
	s, err := p.open(fs)
	if err != nil {
		require.NoError(p.t, err, p.where("open "+when))
	}
	if _, err := match(p.t.Context(), s, may, spell); err != nil {
		require.NoError(p.t, err, p.where(when))
	}
	require.NoError(p.t, s.Close(), p.where("close "+when))
}

// full reports whether the fault is a full disk, which ends without a restart.
func full(f Fault) bool {
	return (f.Errno == syscall.ENOSPC || f.Errno == syscall.EDQUOT) && (f.Kind == OpWrite || f.Kind == OpShortWrite)
}

// writesOn writes once there is room again.
func (p *patient) writesOn() {
	e := tree.Entry{At: when, Verdict: &tree.Verdict{Evaluation: "there is room again"}}
	for _, s := range []tree.Store{p.s, p.m} {
		_, err := s.Commit(p.t.Context(), tree.Batch{Entries: []tree.Entry{e}})
		require.NoError(p.t, err, p.where("write with room again"))
	}
}
