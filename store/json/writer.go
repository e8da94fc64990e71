package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"github.com/memtree/memtree/store"
)

// linePlan returns the JSON of the line that a write adds to the journal if the store is in the given state, nil for no
// line, or an error if it cannot be written.
type linePlan func(*state) ([]byte, error)

// request is one write that waits for the writer.
type request struct {
	plan    linePlan
	compact bool            // requests a snapshot; has no plan
	gone    <-chan struct{} // closed when the caller stops waiting
	err     error           // valid after done is closed
	done    chan struct{}
}

// writeQueue holds the waiting requests. One goroutine, the writer, takes all of them at once. The next group gathers
// while it waits for the disk.
type writeQueue struct {
	mu      sync.Mutex
	waiting []*request
	closed  bool
	wake    chan struct{} // holds a token if something waits
}

func (q *writeQueue) put(r *request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return store.ErrClosed
	}
	q.waiting = append(q.waiting, r)
	q.signal()
	return nil
}

func (q *writeQueue) signal() {
	select {
	case q.wake <- struct{}{}:
	default: // it holds a token already
	}
}

// take returns the waiting requests, and whether the queue is closed.
func (q *writeQueue) take() ([]*request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting
	q.waiting = nil
	return w, q.closed
}

func (q *writeQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// write passes a plan to the writer and waits until its line is durable.
func (s *Store) write(ctx context.Context, p linePlan) error {
	return s.send(ctx, &request{plan: p})
}

// send puts a request into the queue and waits for the answer, or until ctx ends.
func (s *Store) send(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.readOnly {
		if s.closed.Load() {
			return store.ErrClosed
		}
		return store.ErrReadOnly
	}
	r.gone, r.done = ctx.Done(), make(chan struct{})
	if err := s.queue.put(r); err != nil {
		return err
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxGroup is the size, in bytes, at which a group of lines is full, which bounds the wait for one fsync.
const maxGroup = 16 << 20

// writer is the goroutine that owns the journal. It ends when the queue is
// closed and empty.
func (s *Store) writer() {
	defer close(s.stopped)
	for {
		select {
		case <-s.queue.wake:
		case r := <-s.snapshots:
			s.install(r)
			s.considerSnapshot()
			continue
		}
		// All waiting requests are taken at once. Requests for a snapshot go to considerSnapshot, because they write no
		// line.
		waiting, closed := s.queue.take()
		waiting = slices.DeleteFunc(waiting, func(r *request) bool {
			if r.compact {
				s.asking = append(s.asking, r)
			}
			return r.compact
		})
		for len(waiting) > 0 {
			waiting = s.group(waiting)
		}
		if closed {
			s.finish()
			return
		}
		s.considerSnapshot()
	}
}

// group makes the first of the waiting requests durable with one write and one fsync, and
// returns the rest.
func (s *Store) group(waiting []*request) []*request {
	st := s.state.Load().nextGroup()
	lines := s.journal.lines()
	n := 0
	// Each plan sees the state after the plans before it, though none of that is durable yet. If the write fails, the
	// whole group fails.
	for n < len(waiting) && len(lines.buf) < maxGroup {
		r := waiting[n]
		n++
		select {
		case <-r.gone:
			r.err = context.Canceled // no caller reads it
			continue
		default:
		}
		if r.err = s.failed; r.err != nil {
			continue
		}
		var line []byte
		if line, r.err = r.plan(st); r.err != nil || line == nil {
			continue
		}
		if len(line) > maxLine {
			r.err = fmt.Errorf("the batch has %d bytes; the most is %d: split it", len(line), maxLine)
			continue
		}
		before := *lines
		at := s.journal.size + int64(lines.add(line))
		next, err := st.apply(line, piece{s.journal.reader, place{off: at}})
		if err != nil {
			*lines, r.err = before, err
			continue
		}
		st = next
	}
	if len(lines.buf) > 0 {
		if err := s.journal.append(lines); err != nil {
			s.refuse(waiting[:n], err)
		} else {
			st.journaled = s.replayed()
			s.publish(st)
		}
	}
	answer(waiting[:n])
	return waiting[n:]
}

// answer completes requests.
func answer(requests []*request) {
	for _, r := range requests {
		close(r.done)
	}
}

// refuse fails every request of a group that could not be written, including those without changes, because the state
// they saw may be lost.
func (s *Store) refuse(requests []*request, err error) {
	if !errors.Is(err, store.ErrFull) {
		s.failed = err
	}
	for _, r := range requests {
		r.err = err
	}
}

// publish makes a durable state visible to readers, and ends the leases of evaluations that left the outbox.
func (s *Store) publish(st *state) {
	s.leases.Lock()
	defer s.leases.Unlock()
	s.state.Store(st)
	for _, at := range st.finished {
		delete(s.leases.Held, at)
	}
}

// isDiskFull reports whether err means that the disk is full.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
