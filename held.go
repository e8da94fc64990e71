package memtree

import "sync"

// held are the runs that Wrap has handed over and that are not recorded yet.
type held struct {
	mu     sync.Mutex
	runs   map[chan struct{}]bool // each closes once its run is recorded, or lost
	closed bool
}

// add takes a run in and returns what closes when it is done with, nil once
// memory closes: nobody would record it.
func (h *held) add() chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	done := make(chan struct{})
	if h.runs == nil {
		h.runs = map[chan struct{}]bool{}
	}
	h.runs[done] = true
	return done
}

func (h *held) done(run chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runs[run] {
		delete(h.runs, run)
		close(run)
	}
}

// now returns the runs that are held at this moment.
func (h *held) now() []<-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]<-chan struct{}, 0, len(h.runs))
	for run := range h.runs {
		out = append(out, run)
	}
	return out
}

func (h *held) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
}
