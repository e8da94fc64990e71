package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"syscall"

	"github.com/spf13/afero"
)

// Fault makes file operations of one kind fail.
type Fault struct {
	Kind    Op
	N       int // number of the failing operation among those of its kind, from 1; 0 means 1
	Errno   syscall.Errno
	ForGood bool // all later operations of the kind fail too
}

func (f Fault) String() string {
	how := "once"
	if f.ForGood {
		how = "for good"
	}
	return fmt.Sprintf("%s at %s %d %s", errnoName(f.Errno), f.Kind, max(1, f.N), how)
}

// errnos returns the errors that a store has to cope with.
func errnos() []syscall.Errno {
	return []syscall.Errno{
		syscall.ENOSPC, syscall.EIO, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EINTR,
		syscall.EMFILE, syscall.ENAMETOOLONG, syscall.ESTALE, syscall.EBUSY, syscall.EAGAIN, syscall.ENOENT,
	}
}

func errnoName(e syscall.Errno) string {
	names := []string{
		"ENOSPC", "EIO", "EDQUOT", "EROFS", "EACCES", "EINTR",
		"EMFILE", "ENAMETOOLONG", "ESTALE", "EBUSY", "EAGAIN", "ENOENT",
	}
	for i, known := range errnos() {
		if known == e {
			return names[i]
		}
	}
	return fmt.Sprintf("errno %d", int(e))
}

// FaultFS is an afero.Fs that makes operations fail as its faults demand, and passes all others to another file system.
// A failed write writes nothing, a short write writes half. A failed close has closed the file. A failed sync on a
// CrashFS loses the unsynced data. It is safe for concurrent use.
type FaultFS struct {
	hookFS

	mu     sync.Mutex
	faults []Fault
	counts map[Op]int
	hits   int
}

// NewFaultFS returns a FaultFS on top of below. Without faults it only counts operations.
func NewFaultFS(below afero.Fs, faults ...Fault) *FaultFS {
	f := &FaultFS{faults: faults, counts: map[Op]int{}}
	f.hookFS = hookFS{Fs: below, hook: f.count}
	return f
}

// Name returns "FaultFS".
func (f *FaultFS) Name() string { return "FaultFS" }

// count is the hook: it counts the operation and returns the error of a fault that is due.
func (f *FaultFS) count(k Op, _, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[k]++
	n := f.counts[k]
	for _, x := range f.faults {
		if at := max(1, x.N); x.Kind == k && (n == at || x.ForGood && n > at) {
			f.hits++
			return x.Errno
		}
	}
	return nil
}

// Set replaces the faults, and sets the counts of operations to 0.
func (f *FaultFS) Set(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults, f.counts = faults, map[Op]int{}
}

// Counts returns the number of operations since the last Set, by kind.
func (f *FaultFS) Counts() map[Op]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.counts)
}

// Hits returns the number of operations so far that a fault made fail.
func (f *FaultFS) Hits() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hits
}

// randomFault chooses a fault that occurs in a run with the given counts. Equal seeds choose
// equal faults.
func randomFault(counts map[Op]int, seed uint64) Fault {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a seeded test
	var kinds []Op
	for _, k := range opKinds() {
		if counts[k] > 0 {
			kinds = append(kinds, k)
		}
	}
	errnos := errnos()
	x := Fault{Kind: opWrite, N: 1, Errno: errnos[r.IntN(len(errnos))], ForGood: r.IntN(2) == 0}
	if len(kinds) > 0 {
		x.Kind = kinds[r.IntN(len(kinds))]
		x.N = 1 + r.IntN(counts[x.Kind])
	}
	return x
}
