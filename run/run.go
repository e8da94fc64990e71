// Package run records what runs of agents do: the goal, the plan, what was seen and found, and how it ended.
//
// A run is made of its updates ([ledger.Work]), in the order of the ledger; a [Log] is computed from them. So a crash
// loses nothing that was acknowledged, and another agent, or the same one after a crash, continues with what
// [Runs.Resume] returns. An ended run is an episode: what was tried, how it went, and what people thought of it.
// [Log.Like] finds those that are like a new goal.
//
// Several agents may write to one run. An agent that sets a task to the state doing has it for five minutes after each
// such update, so that no two do the same.
//
// # Limits
//
// Of a run the log holds at most 10,000 tasks, 2,000 notes, 5,000 pages, 5,000 tested elements and 50 KiB of values.
// Beyond the limit of notes the oldest plain note goes first; decisions, errors and findings stay as long as there is
// another one. Values are dropped when the run ends. Runs whose last update is 30 days old are dropped when a later one
// begins, 90 days if somebody gave feedback, and the oldest ones of an agent beyond 1,000.
//
// Where to look:
//   - log.go: the runs of a ledger; file.go saves them
//   - runs.go: what agents and people do with runs; resume.go: continuing one
//   - episodes.go: similar runs, and what they have in common
//   - page.go: a run as a page of Markdown
//   - compact.go: a transcript within a budget; marks.go: which of its messages have to stay; summary.go: the summary
//     of the others
package run

import (
	"time"

	"github.com/memtree/memtree/ledger"
)

// State is whether a run is open, and how it ended if it is not.
type State string

// The states of a run.
const (
	Open    State = "open"    // the run has not ended
	Success State = "success" // the run ended and reached its goal
	Partial State = "partial" // the run ended and reached a part of its goal
	Failure State = "failure" // the run ended without reaching its goal
)

// Run is one run of one or more agents, as of its last update.
type Run struct {
	ID      string    `json:"id"`
	Goal    string    `json:"goal"`
	Product string    `json:"product,omitempty"`
	Build   string    `json:"build,omitempty"`
	Test    string    `json:"test,omitempty"`
	Agents  []string  `json:"agents,omitempty"` // names in order of their first updates, without feedback; at most 16
	Began   time.Time `json:"began"`
	Last    time.Time `json:"last"`             // time of the last update that is not feedback
	LastBy  string    `json:"lastBy,omitempty"` // agent that wrote the last update that is not feedback
	State   State     `json:"state"`
	Why     string    `json:"why,omitempty"` // reason why the run ended as it did

	Tasks   []Task   `json:"tasks,omitempty"` // the plan, in the order in which tasks were first mentioned
	Notes   []Note   `json:"notes,omitempty"` // what agents noted, oldest first
	Left    int      `json:"left,omitempty"`  // notes that were dropped because of the limit
	Visited []Visit  `json:"visited,omitempty"`
	Tested  []tested `json:"tested,omitempty"`
	// values that agents stored, by name; empty once the run has ended
	Values map[string]string `json:"values,omitempty"`

	Feedback []feedback `json:"feedback,omitempty"`
	Updates  int        `json:"updates"` // number of updates
}

// Task is one task in the plan of a run.
type Task struct {
	ID    string    `json:"id"`
	Text  string    `json:"text,omitempty"`
	State string    `json:"state"`        // open, doing, done, failed or dropped
	By    string    `json:"by,omitempty"` // who set the state
	At    time.Time `json:"at"`           // when the state was set
}

// lease is how long a task that an agent does is its own, from the last update to that state; and how recent an update
// of another agent to the run is that a writer is warned of.
const lease = 5 * time.Minute

// TakenFrom reports whether an agent other than by does the task at the time now: that agent set the state to doing at
// most five minutes ago. It is false if either agent has no name.
func (t *Task) TakenFrom(by string, now time.Time) bool {
	return t.State == "doing" && t.By != "" && by != "" && t.By != by && now.Sub(t.At) <= lease
}

// Note is something that an agent saw, decided or found, or that went wrong.
type Note struct {
	Kind  ledger.WorkKind `json:"kind"` // note, decision, error or finding
	Text  string          `json:"text"`
	Page  string          `json:"page,omitempty"`  // page that the note is about
	State string          `json:"state,omitempty"` // severity of a finding: critical, high, medium or low
	By    string          `json:"by,omitempty"`
	At    time.Time       `json:"at"`
}

// Visit is a page that a run visited, and how often.
type Visit struct {
	Page  string    `json:"page"`
	Times int       `json:"times"`
	Last  time.Time `json:"last"`
}

// tested is an element of a page that a run tested.
type tested struct {
	Page string `json:"page"`
	Name string `json:"name"`
}

// feedback is a rating of an ended run by a person or agent.
type feedback struct {
	Rating int       `json:"rating"` // 1 to 5
	Text   string    `json:"text,omitempty"`
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
}

// Ended reports whether the state of r is not Open.
func (r *Run) Ended() bool { return r.State != Open }

// Of returns the notes of r that have one of the kinds, oldest first.
func (r *Run) Of(kinds ...ledger.WorkKind) (out []Note) {
	for _, n := range r.Notes {
		for _, k := range kinds {
			if n.Kind == k {
				out = append(out, n)
			}
		}
	}
	return out
}

// Next returns the unfinished tasks of r, those under way first.
func (r *Run) Next() (out []Task) {
	for _, state := range []string{"doing", "open"} {
		for _, t := range r.Tasks {
			if t.State == state {
				out = append(out, t)
			}
		}
	}
	return out
}

// Rating returns the mean rating of the feedback, 1 to 5, or 0 without feedback.
func (r *Run) Rating() float64 {
	sum := 0
	for _, f := range r.Feedback {
		sum += f.Rating
	}
	return float64(sum) / float64(max(1, len(r.Feedback)))
}
