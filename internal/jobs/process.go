package jobs

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// keptHere is how many ended jobs of a kind are remembered.
const keptHere = 20

// here is the queue of one process.
type here struct {
	now func() time.Time
	do  Do

	life    context.Context //nolint:containedctx // ends with Close
	stop    context.CancelFunc
	running sync.WaitGroup

	mu   sync.Mutex
	n    int
	kept []*jobEntry // oldest first
}

// jobEntry is a job, with a channel that is closed at its next change.
type jobEntry struct {
	job     Job
	changed chan struct{}
}

// Here returns a Queue whose jobs run in this process. Each job begins when it is added, and has one attempt. now is
// the clock.
func Here(now func() time.Time) Queue { //nolint:ireturn // nothing else is of use
	life, stop := context.WithCancel(context.Background())
	return &here{now: now, life: life, stop: stop}
}

// Process returns the name of this process for people, as host:pid.
func Process() string {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Sprintf("%s:%d", host, os.Getpid())
}

func (h *here) Work(do Do) { h.do = do }

func (h *here) Add(ctx context.Context, o Order) (Job, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.kept {
		if e.job.Kind == o.Kind && !e.job.Over() {
			return Job{}, &BusyError{o.Kind, e.job.ID}
		}
	}
	h.n++
	now := h.now().UTC()
	e := &jobEntry{changed: make(chan struct{}), job: Job{
		Order: o, ID: fmt.Sprint("j", h.n), State: Running, On: Process(), Attempts: 1, Added: now, Started: now,
	}}
	h.kept = append(h.kept, e)
	h.forget(o.Kind)
	h.running.Add(1)
	go h.run(context.WithoutCancel(ctx), e)
	return e.job, nil
}

// forget drops the oldest job of a kind if there are too many. The caller holds mu.
func (h *here) forget(of Kind) {
	n, oldest := 0, -1
	for i, e := range h.kept {
		if e.job.Kind != of {
			continue
		}
		if n++; oldest < 0 {
			oldest = i
		}
	}
	if n > keptHere {
		h.kept = slices.Delete(h.kept, oldest, oldest+1)
	}
}

// run does a job until it is done, or the queue is closed.
func (h *here) run(ctx context.Context, e *jobEntry) {
	defer h.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)() //nolint:contextcheck // the end of the queue ends it too
	job := e.job                              // its order does not change
	out, spent := h.do(ctx, &job, func(p Progress) {
		h.set(e, func(j *Job) { j.Progress = p })
	})
	h.set(e, func(j *Job) {
		j.Ended, j.AttemptResult, j.Spent, j.State = h.now().UTC(), out, spent, Done
		if out.Problem != nil {
			j.State = Failed
		}
	})
}

func (h *here) set(e *jobEntry, change func(*Job)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&e.job)
	e.job.rev++
	close(e.changed)
	e.changed = make(chan struct{})
}

// find returns the entry of a job, nil for none. The caller holds mu.
func (h *here) find(id string) *jobEntry {
	for _, e := range h.kept {
		if e.job.ID == id {
			return e
		}
	}
	return nil
}

func (h *here) Get(_ context.Context, id string) (Job, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e := h.find(id); e != nil {
		return e.job, nil
	}
	return Job{}, missing(id)
}

func (h *here) List(_ context.Context, most int) ([]Job, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := []Job{}
	for _, e := range slices.Backward(h.kept) {
		if len(out) < most {
			out = append(out, e.job)
		}
	}
	return out, nil
}

func (h *here) Wait(ctx context.Context, j *Job) {
	h.mu.Lock()
	e := h.find(j.ID)
	if e == nil || e.job.rev != j.rev {
		h.mu.Unlock()
		return
	}
	changed := e.changed
	h.mu.Unlock()
	select {
	case <-changed:
	case <-ctx.Done():
	}
}

func (h *here) Close() {
	h.stop()
	h.running.Wait()
}
