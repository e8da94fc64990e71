package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"github.com/memtree/memtree/tree"
)

// plan returns the JSON of the line that a write adds to the journal when the
// store is in the given state, nil for none, or why it cannot be written.
type plan func(*state) ([]byte, error)

// request is one write waiting for the writer.
type request struct {
	plan    plan
	compact bool            // it is for a snapshot, and has no plan
	gone    <-chan struct{} // closed when the one who asked has left
	err     error           // read after done
	done    chan struct{}
}

// queue is where requests wait. One goroutine, the writer, takes them all at
// once: while it waits for the disk, the next group gathers.
type queue struct {
	mu      sync.Mutex
	waiting []*request
	closed  bool
	wake    chan struct{} // holds one token when something waits
}

func (q *queue) put(r *request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return tree.ErrClosed
	}
	q.waiting = append(q.waiting, r)
	q.signal()
	return nil
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default: // it holds one already
	}
}

// take returns what waits, and whether no more will come.
func (q *queue) take() ([]*request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting
	q.waiting = nil
	return w, q.closed
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// write hands a plan to the writer and waits until it is durable.
func (s *Store) write(ctx context.Context, p plan) error {
	return s.send(ctx, &request{plan: p})
}

func (s *Store) send(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.readOnly {
		if s.closed.Load() {
			return tree.ErrClosed
		}
		return tree.ErrReadOnly
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

// maxGroup bounds the bytes of one group of lines, so that one fsync does not
// make everybody wait for very much.
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
			s.consider()
			continue
		}
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
		s.consider()
	}
}

// group makes the first of the waiting requests durable together and returns
// the rest.
func (s *Store) group(waiting []*request) []*request {
	st := s.state.Load().fresh()
	lines := s.journal.lines()
	n := 0
	for n < len(waiting) && len(lines.buf) < maxGroup {
		r := waiting[n]
		n++
		select {
		case <-r.gone:
			r.err = context.Canceled // nobody is there to read it
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
		if len(line) > MaxLine {
			r.err = fmt.Errorf("the batch has %d bytes; the most is %d: split it", len(line), MaxLine)
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

func answer(requests []*request) {
	for _, r := range requests {
		close(r.done)
	}
}

// refuse gives every request of a group that was not written the reason, also
// those that changed nothing: what they saw may never have been.
func (s *Store) refuse(requests []*request, err error) {
	if !errors.Is(err, tree.ErrFull) {
		s.failed = err
	}
	for _, r := range requests {
		r.err = err
	}
}

// publish shows a durable state to readers and ends the leases of what left the
// outbox.
func (s *Store) publish(st *state) {
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	s.state.Store(st)
	for _, at := range st.finished {
		delete(s.leases.held, at)
	}
}

// full reports whether err says that there is no room.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
