package harness

import (
	"maps"
	"slices"
	"sync"
)

// pendingRuns is the set of runs that Wrap has handed over and that are not recorded yet.
type pendingRuns struct {
	mu     sync.Mutex
	runs   map[chan struct{}]bool // one for each run; it closes when the run is recorded or lost
	closed bool                   // no more runs are accepted
}

// addRun adds a run. It returns the channel that closes when the run is recorded or lost; nil if the memory is closed,
// since no worker would record the run.
func (h *pendingRuns) addRun() chan struct{} {
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

// endRun removes a run and closes its channel. A second call does nothing.
func (h *pendingRuns) endRun(run chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runs[run] {
		delete(h.runs, run)
		close(run)
	}
}

// runsNow returns the channels of the runs that are held at this moment.
func (h *pendingRuns) runsNow() []chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.runs))
}

// close makes addRun refuse further runs.
func (h *pendingRuns) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
}
