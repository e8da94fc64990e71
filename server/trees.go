package server

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/jobs"
)

// Default is the name of the tree in the store that the flag --store names.
const Default = "default"

// maxTrees is how many trees one service may have.
const maxTrees = 1000

var treeName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
})

// CheckName returns an error that a person can act on if name cannot be the name of a tree, else nil.
func CheckName(name string) error {
	if !treeName().MatchString(name) {
		return fmt.Errorf("%q cannot name a tree; use up to 64 of a-z, 0-9 and -, a letter or digit first", name)
	}
	return nil
}

// Trees holds the memories that a Server serves, by name. Fill it before the server starts. After that only the server
// changes it, see Server.RunReopen.
type Trees struct {
	mu     sync.RWMutex // guards the values of byName once a server runs
	byName map[string]*treeOf
	names  []string // sorted
}

// treeOf is one memory and the service's data about it.
type treeOf struct {
	*memtree.Memory
	name     string
	readOnly bool
	reopen   Reopen // of a tree on a full disk; else nil
	jobs     jobs.Queue
}

// Reopen opens a memory for writing that was opened for reading only, because its disk was full. The error is that of
// memtree.Open.
type Reopen func(ctx context.Context) (*memtree.Memory, error)

// NewTrees returns an empty Trees.
func NewTrees() *Trees { return &Trees{byName: map[string]*treeOf{}} }

// Add adds the open memory m under name. readOnly reports whether it was opened for reading only. q holds its jobs, and
// Server.Close closes q; if q is nil, a new queue of this process holds them. The error is for an invalid name, one
// that is taken, or the 1001st tree.
func (t *Trees) Add(name string, m *memtree.Memory, readOnly bool, q jobs.Queue) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if t.byName[name] != nil {
		return fmt.Errorf("two trees are named %s; give each its own name", name)
	}
	if len(t.names) == maxTrees {
		return fmt.Errorf("there are %d trees, which is the most of one service; start another", maxTrees)
	}
	t.byName[name] = &treeOf{Memory: m, name: name, readOnly: readOnly, jobs: q}
	t.names = append(t.names, name)
	slices.Sort(t.names)
	return nil
}

// AddFull is like Add for a memory that was opened for reading only because its disk is full. Changes of it are refused
// for that reason until Server.RunReopen has opened it for writing.
func (t *Trees) AddFull(name string, m *memtree.Memory, reopen Reopen) error {
	if err := t.Add(name, m, true, nil); err != nil {
		return err
	}
	t.byName[name].reopen = reopen
	return nil
}

// get returns the tree with that name, nil if there is none.
func (t *Trees) get(name string) *treeOf {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byName[name]
}

// replace puts x in place of the tree of its name.
func (t *Trees) replace(x *treeOf) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byName[x.name] = x
}

// Names returns the names of the trees, sorted.
func (t *Trees) Names() []string { return slices.Clone(t.names) }

// Writable reports whether at least one tree may be changed.
func (t *Trees) Writable() bool {
	return slices.ContainsFunc(t.names, func(name string) bool { return !t.get(name).readOnly })
}

// Get returns the memory with that name, nil if there is none.
func (t *Trees) Get(name string) *memtree.Memory {
	if x := t.get(name); x != nil {
		return x.Memory
	}
	return nil
}

// Close closes every memory, also if some fail, and joins their errors. Call it after Server.Close.
func (t *Trees) Close() error {
	var errs []error
	for _, name := range t.names {
		if err := t.get(name).Close(); err != nil {
			errs = append(errs, fmt.Errorf("close %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
