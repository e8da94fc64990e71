// Package jobs runs the background work of a tree: evolving, and having a model read upcoming tests. A [Queue] holds
// the jobs of a tree. [Here] makes the one for a store in files: its jobs run in this process, and are forgotten with
// it. Package jobs/shared has the one for a store in a database, whose jobs any service of the tree may take.
//
// Where to look:
//   - jobs.go: a job and a queue; process.go: the queue of one process
//   - calls.go: the replies of a model to a job's requests, stored so that no answer is paid for twice
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

// The kinds of jobs. At any time, at most one job of each kind waits or runs for a tree.
const (
	Evolve Kind = "evolve" // the tree learns
	Brief  Kind = "brief"  // a model reads upcoming tests
)

// Kinds returns all kinds of jobs.
func Kinds() []Kind { return []Kind{Evolve, Brief} }

// JobState is whether a job waits, runs or has ended.
type JobState string

// The states of a job. Done and Failed are final.
const (
	Waiting JobState = "waiting" // no attempt is running; one is still to come
	Running JobState = "running" // an attempt is running
	Done    JobState = "done"    // an attempt succeeded
	Failed  JobState = "failed"  // no attempt succeeded, and none will follow
)

// Order describes a job that is to be added to a Queue.
type Order struct {
	Kind     Kind            `json:"kind"`
	By       string          `json:"by"`                 // who wants the job: the name of a token, or schedule
	What     json.RawMessage `json:"what,omitempty"`     // options, in a form of the kind's own
	MaxCalls *int            `json:"maxCalls,omitempty"` // most calls of a model, over all attempts; nil: no bound
	MaxCost  *float64        `json:"maxCost,omitempty"`  // most cost of calls of a model, over all attempts; nil: no bound
}

// Job is an Order in a Queue, and what has become of it.
type Job struct {
	Order
	ID       string
	State    JobState
	On       string    // the process that runs the job, or ran it last, as host:pid; "" for none
	Attempts int       // number of attempts that have begun
	Added    time.Time // when it was ordered
	Started  time.Time // when the first attempt began; zero: none has begun
	Ended    time.Time // zero: the job has not ended
	Next     time.Time // a waiting job does not begin earlier; zero: it may begin at once
	Progress Progress
	Spent    JobSpent
	AttemptResult

	rev int // of Here: grows with every change
}

// Over reports whether the job is Done or Failed.
func (j *Job) Over() bool { return j.State == Done || j.State == Failed }

// Progress is how far the present attempt at a job is.
type Progress struct {
	Done   int `json:"done" doc:"Error types and directions"`
	Of     int `json:"of"`
	Groups int `json:"groups" doc:"Groups of cases that are no lesson yet"`
	Jobs   int `json:"jobs" doc:"Lessons that were settled"`
	Calls  int `json:"calls" doc:"Of the model"`
}

// JobSpent counts what all attempts at a job used of a model.
type JobSpent struct {
	Calls int       // requests that were sent
	Usage llm.Usage // tokens of the answers
	Cost  float64   // cost of the usage by the price that the service has; 0 if it has none
}

// AttemptResult is how an attempt at a job ended.
type AttemptResult struct {
	Result  json.RawMessage // what the attempt did, in a form of the kind's own
	Problem json.RawMessage // why the attempt failed, as RFC 9457 describes a problem; nil: it did not fail
	Again   bool            // the attempt failed, and another one may succeed
}

// Do is a function that makes an attempt at the job j. It returns how the attempt ended, and what it used of a model if
// the queue does not count that itself. It may report progress by tell. It ends soon after ctx does.
type Do func(ctx context.Context, j *Job, tell func(Progress)) (AttemptResult, JobSpent)

// Queue holds the jobs of one tree and runs them. Its methods are safe for concurrent use.
type Queue interface {
	// Work lets this process run jobs with do until Close. Call it once, before Add.
	Work(do Do)
	// Add adds a job. While a job of the kind waits or runs, the error is a *BusyError. The values of ctx may reach Do;
	// its end does not.
	Add(ctx context.Context, o Order) (Job, error)
	// Get returns the job with the id. If there is none, the error wraps tree.ErrNotFound.
	Get(ctx context.Context, id string) (Job, error)
	// List returns the newest jobs, the newest first. most is the maximum number.
	List(ctx context.Context, most int) ([]Job, error)
	// Wait returns once the job may have changed since j was read, or when ctx ends.
	Wait(ctx context.Context, j *Job)
	// Close ends the attempts that run in this process, and waits for them.
	Close()
}

// BusyError means that a job of this kind waits or runs already.
type BusyError struct {
	Kind Kind
	ID   string // id of the job that waits or runs
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("a job of the kind %s waits or runs already: %s", e.Kind, e.ID)
}

// missing is the error for an id without a job.
func missing(id string) error { return fmt.Errorf("job %.64q: %w", id, tree.ErrNotFound) }

// Pause sleeps for d, or until ctx ends, and reports whether it slept for all of d.
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
