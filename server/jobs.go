package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
)

// jobs are the background jobs of a tree: one evolve at a time.
type jobs struct {
	mu      sync.Mutex
	n       int
	kept    []*job // oldest first
	running sync.WaitGroup
}

// keptJobs is the number of jobs of a tree that are remembered.
const keptJobs = 20

// jobState is the state of a job.
type jobState string

// The states of a job.
const (
	jobRunning jobState = "running"
	jobDone    jobState = "done"
	jobFailed  jobState = "failed"
)

// Job is an evolve in the background, running or ended.
type Job struct {
	ID       string             `json:"id"`
	State    jobState           `json:"state" enum:"running,done,failed"`
	By       string             `json:"by" doc:"The name of the token"`
	Started  time.Time          `json:"started"`
	Ended    *time.Time         `json:"ended,omitempty"`
	Progress progress           `json:"progress"`
	Result   *evolution.Evolved `json:"result,omitempty" doc:"What was learned"`
	Problem  *problem           `json:"problem,omitempty" doc:"Why it failed; what was done before is kept"`
}

// progress is the progress of an evolve.
type progress struct {
	Done   int `json:"done" doc:"Error types and directions"`
	Of     int `json:"of"`
	Groups int `json:"groups" doc:"Groups of cases that are no lesson yet"`
	Jobs   int `json:"jobs" doc:"Lessons that were settled"`
	Calls  int `json:"calls" doc:"Of the model"`
}

type job struct {
	mu      sync.Mutex
	now     Job
	changed chan struct{} // closed at the next change
}

// see returns the job as it is, and a channel that is closed at its next change.
func (j *job) see() (Job, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now, j.changed
}

func (j *job) set(change func(*Job)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(&j.now)
	close(j.changed)
	j.changed = make(chan struct{})
}

// evolve is the request of an evolve.
type evolve struct {
	Only     string `json:"only,omitempty" maxLength:"64" doc:"This error type alone"`
	Review   bool   `json:"review,omitempty" doc:"New lessons wait for a person"`
	KeepAll  bool   `json:"keepAll,omitempty" doc:"Archive nothing"`
	DryRun   bool   `json:"dryRun,omitempty" doc:"Plan, write nothing, ask no model"`
	MaxCalls *int   `json:"maxCalls,omitempty" minimum:"0" doc:"Of the model"`
}

type evolveInput struct {
	InTree
	Body evolve
}

type jobOutput struct {
	Location string `header:"Location"`
	Body     Job
}

// evolve starts a job. Only one runs in a tree at a time.
func (s *Server) evolve(ctx context.Context, in *evolveInput) (*jobOutput, error) {
	t, b := treeIn(ctx), &in.Body
	if _, ok := t.Taxonomy().ErrorType(b.Only); b.Only != "" && !ok {
		return nil, input(Place{"body.only", "is no error type; GET …/stats lists those there are"})
	}
	if !b.DryRun {
		if err := t.writable(); err != nil {
			return nil, err
		}
	}
	j, err := t.jobs.begin(callerOf(ctx).name(), s.opts.Now().UTC())
	if err != nil {
		return nil, err
	}
	go s.runJob(context.WithoutCancel(ctx), t, j, memtree.EvolveOptions{ // it outlives its request
		DryRun: b.DryRun, Only: b.Only, MaxCalls: b.MaxCalls, Review: b.Review, KeepAll: b.KeepAll,
	})
	now, _ := j.see()
	return &jobOutput{"/v1/trees/" + t.name + "/jobs/" + now.ID, now}, nil
}

func (k *jobs) begin(by string, at time.Time) (*job, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range k.kept {
		if now, _ := j.see(); now.State == jobRunning {
			return nil, newProblem(http.StatusConflict, typeBusy, "The tree evolves already, in job "+now.ID+
				"; wait for it: GET …/jobs/"+now.ID+".").after(5)
		}
	}
	k.n++
	j := &job{now: Job{ID: fmt.Sprintf("j%d", k.n), State: jobRunning, By: by, Started: at}, changed: make(chan struct{})}
	if k.kept = append(k.kept, j); len(k.kept) > keptJobs {
		k.kept = k.kept[1:]
	}
	k.running.Add(1)
	return j, nil
}

// runJob evolves until it is done, or the service stops.
func (s *Server) runJob(ctx context.Context, t *treeOf, j *job, o memtree.EvolveOptions) {
	defer t.jobs.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctx, part := s.step(ctx, "evolve")
	go func() {
		select {
		case <-s.life:
			cancel()
		case <-ctx.Done():
		}
	}()
	o.Progress = func(p evolution.Progress) {
		j.set(func(x *Job) { x.Progress = progress{p.Done, p.Of, p.Groups, p.Jobs, p.Calls} })
	}
	v, err := evolveSafely(ctx, t, &o)
	was, _ := j.see()
	part.name("tree", t.name)
	part.name("job", was.ID)
	part.name("token", was.By)
	part.count("calls", was.Progress.Calls)
	part.end(err)
	at := s.opts.Now().UTC()
	j.set(func(x *Job) {
		x.Ended = &at
		if err == nil {
			x.State, x.Result = jobDone, &v
			return
		}
		x.State = jobFailed
		if x.Problem = problemOf(err); x.Problem == nil {
			x.Problem = internal()
			s.opts.Logger.ErrorContext(ctx, "evolve failed", "tree", t.name, "error", err.Error())
		}
	})
}

func evolveSafely(ctx context.Context, t *treeOf, o *memtree.EvolveOptions) (v evolution.Evolved, err error) {
	defer func() {
		if broke := recover(); broke != nil {
			err = fmt.Errorf("evolve panicked: %v", broke)
		}
	}()
	return t.Evolve(ctx, o)
}

type jobInput struct {
	InTree
	ID string `path:"id" maxLength:"32" doc:"Of the job"`
}

type oneJobOutput struct{ Body Job }

func (s *Server) job(ctx context.Context, in *jobInput) (*oneJobOutput, error) {
	j, err := treeIn(ctx).jobs.find(in.ID)
	if err != nil {
		return nil, err
	}
	now, _ := j.see()
	return &oneJobOutput{now}, nil
}

func (k *jobs) find(id string) (*job, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range k.kept {
		if now, _ := j.see(); now.ID == id {
			return j, nil
		}
	}
	return nil, newProblem(http.StatusNotFound, typeNotFound,
		"There is no such job; the service keeps the last ones until it is started again.")
}

// The minimum interval between events of a job, and the maximum.
const (
	eventsApart = 200 * time.Millisecond
	eventsAlive = 15 * time.Second
)

// jobEvents streams the progress of a job, as server-sent events, until it has ended.
func (s *Server) jobEvents(ctx context.Context, in *jobInput) (*huma.StreamResponse, error) {
	j, err := treeIn(ctx).jobs.find(in.ID)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) { //nolint:contextcheck // it is that of the request
		q, w := humago.Unwrap(hc)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Accel-Buffering", "no") // proxies pass each event on at once
		s.tell(q.Context(), w, j)
	}}, nil
}

func (s *Server) tell(ctx context.Context, w http.ResponseWriter, j *job) {
	c := http.NewResponseController(w)
	for {
		now, changed := j.see()
		name := "progress"
		if now.State != jobRunning {
			name = "end"
		}
		b, err := json.Marshal(now)
		if err != nil {
			return // it has only texts and numbers
		}
		_ = c.SetWriteDeadline(time.Now().Add(streamWithin)) // not every writer has one
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, b); err != nil || c.Flush() != nil || name == "end" {
			return
		}
		if !s.pause(ctx, eventsApart) {
			return
		}
		select {
		case <-changed:
		case <-time.After(eventsAlive):
		case <-ctx.Done():
			return
		case <-s.life:
			return
		}
	}
}

// pause waits, and reports whether to continue.
func (s *Server) pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
	case <-s.life:
	}
	return false
}
