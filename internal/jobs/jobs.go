// Package jobs is the background work of a tree: to evolve, and to read coming tests. A Queue holds the jobs of a tree.
// Here is the one of a store in files: its jobs run in this process, and are forgotten with it. Package jobs/shared has
// the one of a store in a database, whose jobs any service of the tree may take.
//
// Where to look:
//   - jobs.go: a job and a queue; here.go: the queue of one process
//   - paid.go: what a job's calls of a model were answered, so that no answer is paid for twice
package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// Kind is what a job does.
type Kind string

// The kinds of jobs. Of each kind, one job of a tree waits or runs at a time.
const (
	Evolve Kind = "evolve" // the tree learns
	Brief  Kind = "brief"  // a model reads coming tests
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Evolve, Brief} }

// JobState is how far a job is.
type JobState string

// The states of a job. Done and Failed are final.
const (
	Waiting JobState = "waiting"
	Running JobState = "running"
	Done    JobState = "done"
	Failed  JobState = "failed"
)

// Order is a job to be done.
type Order struct {
	Kind     Kind            `json:"kind"`
	By       string          `json:"by"`                 // who wants it: the name of a token, or schedule
	What     json.RawMessage `json:"what,omitempty"`     // more about it; the kind has its own form
	MaxCalls *int            `json:"maxCalls,omitempty"` // of a model, over all attempts; nil: no bound
	MaxCost  *float64        `json:"maxCost,omitempty"`  // of them; nil: no bound
}

// Job is an order and what has become of it.
type Job struct {
	Order
	ID       string
	State    JobState
	On       string    // the process that runs it, or ran it last, as host:pid; "" for none
	Attempts int       // begun ones
	Added    time.Time // when it was ordered
	Started  time.Time // of the first attempt; zero: it did not begin
	Ended    time.Time // zero: it did not end
	Next     time.Time // of a waiting job: it does not begin earlier; zero: at once
	Progress Progress
	Spent    JobSpent
	AttemptResult

	rev int // of Here: grows with every change
}

// Over reports whether the job has ended.
func (j *Job) Over() bool { return j.State == Done || j.State == Failed }

// Progress is how far the present attempt is.
type Progress struct {
	Done   int `json:"done" doc:"Error types and directions"`
	Of     int `json:"of"`
	Groups int `json:"groups" doc:"Groups of cases that are no lesson yet"`
	Jobs   int `json:"jobs" doc:"Lessons that were settled"`
	Calls  int `json:"calls" doc:"Of the model"`
}

// JobSpent is what all attempts of a job have asked of a model.
type JobSpent struct {
	Calls int       // requests that were sent
	Usage llm.Usage // of their answers
	Cost  float64   // of the usage, by the price of the service that asked; 0 if that is not known
}

// AttemptResult is what came of an attempt.
type AttemptResult struct {
	Result  json.RawMessage // what it has done; the kind has its own form
	Problem json.RawMessage // why it failed, a problem of RFC 9457; nil: it did not fail
	Again   bool            // of a failed one: another attempt may succeed
}

// Do makes an attempt at a job and returns what came of it, and what it has spent if the queue does not count that. It
// may report its progress meanwhile. It ends soon after ctx does.
type Do func(ctx context.Context, j *Job, tell func(Progress)) (AttemptResult, JobSpent)

// Queue is the jobs of one tree. Its methods are safe for concurrent use.
type Queue interface {
	// Work lets this process take jobs until Close. It is called once, before Add.
	Work(do Do)
	// Add adds a job. The error is a *BusyError while one of its kind waits or runs. The values of ctx may reach Do; its
	// end does not.
	Add(ctx context.Context, o Order) (Job, error)
	// Get returns the job with an id. The error wraps tree.ErrNotFound if there is none.
	Get(ctx context.Context, id string) (Job, error)
	// List returns the latest jobs, at most so many, the newest first.
	List(ctx context.Context, most int) ([]Job, error)
	// Wait returns when a job may have changed since j was read, or when ctx ends.
	Wait(ctx context.Context, j *Job)
	// Close ends the attempts of this process, and waits for them.
	Close()
}

// BusyError means that a job of a kind waits or runs already.
type BusyError struct {
	Kind Kind
	ID   string // of that job
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("a job of the kind %s waits or runs already: %s", e.Kind, e.ID)
}

// missing is the error for an id without a job.
func missing(id string) error { return fmt.Errorf("job %.64q: %w", id, tree.ErrNotFound) }

// Pause waits for d, or until ctx ends, and reports whether to go on.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
