package server

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/store"
)

const (
	reopenEvery = 5 * time.Second // least pause between two tries to open trees on a full disk
	reopenPart  = 20              // a pause is at least so many times as long as the try before
	oldFor      = time.Minute     // how long a replaced memory stays open for requests that still use it
)

// RunReopen opens for writing the trees that were added by Trees.AddFull, once their disk has room. It tries every few
// seconds, and returns when there is none left, when ctx ends, or when the server closes.
func (s *Server) RunReopen(ctx context.Context) {
	var old []*treeOf
	defer func() {
		if len(old) > 0 {
			s.opts.Pause(ctx, oldFor)
		}
		for _, t := range old {
			if err := t.Close(); err != nil { //nolint:contextcheck // closing has a bound of its own
				s.opts.Logger.WarnContext(ctx, "close a tree that was only read", "tree", t.name, "error", err.Error())
			}
		}
	}()
	pause := reopenEvery
	for s.anyFull() && s.opts.Pause(ctx, pause) && !s.closing() {
		begun := time.Now()
		for _, name := range s.trees.names {
			if t := s.trees.get(name); t.reopen != nil && s.reopened(ctx, t) {
				old = append(old, t)
			}
		}
		pause = max(reopenEvery, reopenPart*time.Since(begun))
	}
}

// anyFull reports whether a tree could not be opened for writing because its disk was full.
func (s *Server) anyFull() bool {
	for _, name := range s.trees.names {
		if s.trees.get(name).reopen != nil {
			return true
		}
	}
	return false
}

// reopened tries to replace t by a tree that is open for writing, and reports whether it did.
func (s *Server) reopened(ctx context.Context, t *treeOf) bool {
	m, err := t.reopen(ctx)
	if err != nil {
		if !errors.Is(err, store.ErrFull) && !errors.Is(err, syscall.ENOSPC) {
			s.opts.Logger.WarnContext(ctx, "a tree is still only read", "tree", t.name, "error", err.Error())
		}
		return false
	}
	now := &treeOf{Memory: m, name: t.name, jobs: jobs.Here(s.opts.Now)}
	now.jobs.Work(s.do(now))
	s.trees.replace(now)
	t.jobs.Close()
	if s.closing() { // Close has closed the queues that it found
		now.jobs.Close()
	}
	s.opts.Logger.InfoContext(ctx, "the disk has room again, so the tree can be changed", "tree", t.name)
	return true
}
