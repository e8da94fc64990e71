package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/tree"
)

// JobView is a job in the background, waiting, running or ended.
type JobView struct {
	ID       string            `json:"id"`
	Kind     jobs.Kind         `json:"kind" enum:"evolve,brief" doc:"evolve: the tree learns; brief: coming tests are read"` //nolint:lll // a tag cannot be broken
	Tree     string            `json:"tree"`
	State    jobs.JobState     `json:"state" enum:"waiting,running,done,failed"`
	By       string            `json:"by" doc:"The name of the token, or schedule"`
	On       string            `json:"on,omitempty" doc:"The service that runs it, or ran it last: host and process"`
	Attempts int               `json:"attempts" doc:"Those that have begun; a service that is killed ends one"`
	Added    time.Time         `json:"added"`
	Started  *time.Time        `json:"started,omitempty" doc:"Of the first attempt"`
	Ended    *time.Time        `json:"ended,omitempty"`
	Next     *time.Time        `json:"next,omitempty" doc:"Of a waiting job: it does not begin earlier"`
	Progress jobs.Progress     `json:"progress"`
	Calls    int               `json:"calls" doc:"Of the model, over all attempts"`
	Cost     float64           `json:"cost" doc:"Of the calls, by the price that the service has; 0 if it has none"`
	Result   evolved           `json:"result,omitempty" doc:"What was learned"`
	Read     *brief.ReadResult `json:"read,omitempty" doc:"What was read of coming tests"`
	Problem  *problem          `json:"problem,omitempty" doc:"Why it failed, or the last attempt did; what was done is kept"` //nolint:lll // a tag cannot be broken
}

// evolved is the JSON of an evolution.Evolved, byte for byte as the job has stored it.
type evolved json.RawMessage

// MarshalJSON returns e, which is JSON.
func (e evolved) MarshalJSON() ([]byte, error) { return e, nil }

// UnmarshalJSON copies b, which is JSON, into e.
func (e *evolved) UnmarshalJSON(b []byte) error {
	*e = append((*e)[:0], b...)
	return nil
}

// shown returns a job of a tree for clients.
func shown(t *treeOf, j *jobs.Job) JobView {
	out := JobView{
		ID: j.ID, Kind: j.Kind, Tree: t.name, State: j.State, By: j.By, On: j.On, Attempts: j.Attempts, Added: j.Added,
		Started: moment(j.Started), Ended: moment(j.Ended), Next: moment(j.Next), Progress: j.Progress,
		Calls: j.Spent.Calls, Cost: j.Spent.Cost,
	}
	if j.Problem != nil {
		out.Problem = new(problem)
		if json.Unmarshal(j.Problem, out.Problem) != nil {
			out.Problem = internal() // of a newer version
		}
	}
	switch {
	case j.Result == nil:
	case j.Kind == jobs.Evolve:
		out.Result = evolved(j.Result)
	default:
		out.Read = new(brief.ReadResult)
		if json.Unmarshal(j.Result, out.Read) != nil {
			out.Read = nil // of a newer version
		}
	}
	return out
}

// moment returns a time, nil for the zero one.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// evolve is the request of an evolve.
type evolve struct {
	Only     string `json:"only,omitempty" maxLength:"64" doc:"This error type alone"`
	Review   bool   `json:"review,omitempty" doc:"New lessons wait for a person"`
	KeepAll  bool   `json:"keepAll,omitempty" doc:"Archive nothing"`
	DryRun   bool   `json:"dryRun,omitempty" doc:"Plan, write nothing, ask no model"`
	MaxCalls *int   `json:"maxCalls,omitempty" minimum:"0" doc:"Of the model"`
}

type jobOutput struct {
	Location string `header:"Location"`
	Body     JobView
}

// evolve adds a job. One waits or runs in a tree at a time.
func (s *Server) evolve(ctx context.Context, in *given[evolve]) (*jobOutput, error) {
	t, b := treeIn(ctx), &in.Body
	if _, ok := t.Taxonomy().ErrorType(b.Only); b.Only != "" && !ok {
		return nil, input(badPart{"body.only", "is no error type; GET …/stats lists those there are"})
	}
	if !b.DryRun {
		if err := t.writable(); err != nil {
			return nil, err
		}
	}
	j, err := t.jobs.Add(ctx, evolveOrder(callerOf(ctx).name(), &evolveWork{evolve: *b}, nil))
	if err != nil {
		return nil, evolves(err)
	}
	return &jobOutput{"/v1/trees/" + t.name + "/jobs/" + j.ID, shown(t, &j)}, nil
}

// evolves returns the problem of a job that was not added because of another one, and other errors unchanged.
func evolves(err error) error {
	if b, ok := errors.AsType[*jobs.BusyError](err); ok {
		return newProblem(http.StatusConflict, typeBusy, "The tree evolves already, in job "+b.ID+
			"; wait for it: GET …/jobs/"+b.ID+".").after(5)
	}
	return err
}

// jobsMost is how many jobs are listed.
const jobsMost = 100

// jobList are the latest jobs of a tree.
type jobList struct {
	Jobs []JobView `json:"jobs" doc:"The newest first"`
}

// jobs lists the latest jobs, without their results.
func (s *Server) jobs(ctx context.Context, _ *struct{ InTree }) (*reply[jobList], error) {
	t := treeIn(ctx)
	all, err := t.jobs.List(ctx, jobsMost)
	if err != nil {
		return nil, err
	}
	out := &reply[jobList]{jobList{make([]JobView, 0, len(all))}}
	for i := range all {
		all[i].Result = nil
		out.Body.Jobs = append(out.Body.Jobs, shown(t, &all[i]))
	}
	return out, nil
}

type jobInput struct {
	InTree
	ID string `path:"id" maxLength:"32" doc:"Of the job"`
}

func (s *Server) job(ctx context.Context, in *jobInput) (*reply[JobView], error) {
	t := treeIn(ctx)
	j, err := t.jobs.Get(ctx, in.ID)
	if err != nil {
		return nil, noJob(err)
	}
	return &reply[JobView]{shown(t, &j)}, nil
}

// noJob returns the problem of an id without a job, and other errors unchanged.
func noJob(err error) error {
	if errors.Is(err, tree.ErrNotFound) {
		return newProblem(http.StatusNotFound, typeNotFound, "There is no such job; GET …/jobs lists those that are kept: "+
			"of a tree in files the last ones until the service is started again, of a tree in a database those of 90 days.")
	}
	return err
}

// The minimum interval between events of a job, and the maximum.
const (
	eventsApart = 200 * time.Millisecond
	eventsAlive = 15 * time.Second
)

// jobEvents streams the progress of a job, as server-sent events, until it has ended.
func (s *Server) jobEvents(ctx context.Context, in *jobInput) (*huma.StreamResponse, error) {
	t := treeIn(ctx)
	j, err := t.jobs.Get(ctx, in.ID)
	if err != nil {
		return nil, noJob(err)
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) { //nolint:contextcheck // it is that of the request
		q, w := humago.Unwrap(hc)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Accel-Buffering", "no") // proxies pass each event on at once
		ctx, cancel := s.living(q.Context())
		defer cancel()
		s.follows(ctx, w, t, &j)
	}}, nil
}

// follows writes an event at every change of a job.
func (s *Server) follows(ctx context.Context, w http.ResponseWriter, t *treeOf, j *jobs.Job) {
	c := http.NewResponseController(w)
	for ctx.Err() == nil {
		name := "progress"
		if j.Over() {
			name = "end"
		}
		b, err := json.Marshal(shown(t, j))
		if err != nil {
			return // it has only texts and numbers
		}
		_ = c.SetWriteDeadline(time.Now().Add(streamWithin)) // not every writer has one
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, b); err != nil || c.Flush() != nil || j.Over() {
			return
		}
		if !jobs.Pause(ctx, eventsApart) {
			return
		}
		wait, cancel := context.WithTimeout(ctx, eventsAlive)
		t.jobs.Wait(wait, j)
		cancel()
		if now, err := t.jobs.Get(ctx, j.ID); err == nil {
			j = &now
		}
	}
}
