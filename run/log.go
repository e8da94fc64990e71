package run

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/ledger"
)

// Limits on one run.
const (
	MostTasks  = 10_000 // most tasks of a run
	mostNotes  = 2000
	mostPages  = 5000
	mostTested = 5000
	MostValues = 50 << 10 // most bytes of the names and texts of a run's values

	mostRuns    = 1000 // of an agent
	mostAgents  = 16   // names of a run
	mostRatings = 50

	days      = 24 * time.Hour
	keepRun   = 30 * days
	keepRated = 90 * days
)

// Log holds all runs, as the updates in a ledger describe them. It is not safe for concurrent use; see [Runs].
type Log struct {
	runs map[string]*runRecord
}

// runRecord is a run with what its updates need to be folded.
type runRecord struct {
	Run
	Keys map[string]bool `json:"keys,omitempty"`

	tasks, pages, tested map[string]int // places in the lists
	values               int            // bytes
}

// NewLog returns a Log without runs.
func NewLog() *Log { return &Log{runs: map[string]*runRecord{}} }

// Len returns the number of runs in l.
func (l *Log) Len() int { return len(l.runs) }

// Get returns the run with the id, and whether l has it. The caller must not change its lists.
func (l *Log) Get(id string) (Run, bool) {
	r, ok := l.runs[id]
	if !ok {
		return Run{}, false
	}
	return r.Run, true
}

// hasKey reports whether a run has an update with a key.
func (l *Log) hasKey(id, key string) bool {
	r := l.runs[id]
	return key != "" && r != nil && r.Keys[key]
}

// Add adds the update in the entry e, if e has one. The first update of a run begins the run. Add ignores an update
// whose key the run has already, an update after the end of the run, except feedback, and one beyond a limit. A note
// beyond the limit replaces an older note.
func (l *Log) Add(e *ledger.Entry) {
	w := e.Work
	if w == nil || l.hasKey(w.Run, w.Key) {
		return
	}
	r := l.runs[w.Run]
	if r == nil {
		l.drop(e.At, w.By)
		r = newRecord(Run{ID: w.Run, Began: e.At, State: Open})
		l.runs[w.Run] = r
	}
	if w.Key != "" {
		r.Keys[w.Key] = true
	}
	if r.Ended() && w.Kind != ledger.WorkFeedback {
		return
	}
	r.add(w, e.At)
}

func newRecord(of Run) *runRecord {
	return &runRecord{Run: of, Keys: map[string]bool{}, tasks: map[string]int{}, pages: map[string]int{},
		tested: map[string]int{}}
}

// drop removes the runs that are too old at a time, and the oldest of an agent that has too many.
func (l *Log) drop(now time.Time, agent string) {
	var own []*runRecord
	for id, r := range l.runs {
		keep := keepRun
		if len(r.Feedback) > 0 {
			keep = keepRated
		}
		if now.Sub(r.Last) > keep {
			delete(l.runs, id)
			continue
		}
		if len(r.Agents) > 0 && r.Agents[0] == agent {
			own = append(own, r)
		}
	}
	if len(own) < mostRuns {
		return
	}
	slices.SortFunc(own, func(a, b *runRecord) int {
		return cmp.Or(min(1, len(a.Feedback))-min(1, len(b.Feedback)), a.Last.Compare(b.Last), cmp.Compare(a.ID, b.ID))
	})
	for _, r := range own[:len(own)-mostRuns+1] {
		delete(l.runs, r.ID)
	}
}

func (r *runRecord) add(w *ledger.Work, at time.Time) {
	r.Updates++
	if w.Kind == ledger.WorkFeedback {
		if len(r.Feedback) < mostRatings {
			r.Feedback = append(r.Feedback, feedback{w.Rating, w.Text, w.By, at})
		}
		return
	}
	if r.LastBy = w.By; at.After(r.Last) {
		r.Last = at
	}
	if w.By != "" && !slices.Contains(r.Agents, w.By) && len(r.Agents) < mostAgents {
		r.Agents = append(r.Agents, w.By)
	}
	switch w.Kind {
	case ledger.WorkStart:
		r.Goal, r.Product, r.Build, r.Test = w.Text, w.Product, w.Build, w.Test
	case ledger.WorkTask:
		r.task(w, at)
	case ledger.WorkNote, ledger.WorkDecision, ledger.WorkError, ledger.WorkFinding:
		r.note(Note{w.Kind, w.Text, w.Page, w.State, w.By, at})
	case ledger.WorkVisit:
		if i, ok := r.pages[w.Page]; ok {
			r.Visited[i].Times, r.Visited[i].Last = r.Visited[i].Times+1, at
		} else if len(r.Visited) < mostPages {
			r.pages[w.Page] = len(r.Visited)
			r.Visited = append(r.Visited, Visit{w.Page, 1, at})
		}
	case ledger.WorkTested:
		key := w.Page + "\n" + w.Name
		if _, ok := r.tested[key]; !ok && len(r.Tested) < mostTested {
			r.tested[key] = len(r.Tested)
			r.Tested = append(r.Tested, tested{w.Page, w.Name})
		}
	case ledger.WorkValue:
		r.value(w)
	case ledger.WorkEnd:
		r.State, r.Why, r.Values, r.values = State(w.State), w.Text, nil, 0
	case ledger.WorkFeedback: // above
	}
}

func (r *runRecord) task(w *ledger.Work, at time.Time) {
	i, ok := r.tasks[w.Task]
	if !ok {
		if len(r.Tasks) == MostTasks {
			return
		}
		i = len(r.Tasks)
		r.tasks[w.Task] = i
		r.Tasks = append(r.Tasks, Task{ID: w.Task})
	}
	t := &r.Tasks[i]
	if t.TakenFrom(w.By, at) { // two agents took it at once: the first one has it
		return
	}
	t.Text, t.State, t.By, t.At = cmp.Or(w.Text, t.Text), w.State, w.By, at
}

// note adds a note. Without room the oldest plain note goes, or else the oldest one.
func (r *runRecord) note(n Note) {
	if len(r.Notes) == mostNotes {
		at := max(0, slices.IndexFunc(r.Notes, func(o Note) bool { return o.Kind == ledger.WorkNote }))
		r.Notes = slices.Delete(r.Notes, at, at+1)
		r.Left++
	}
	r.Notes = append(r.Notes, n)
}

func (r *runRecord) value(w *ledger.Work) {
	if old, ok := r.Values[w.Name]; ok {
		r.values -= len(w.Name) + len(old)
		delete(r.Values, w.Name)
	}
	if w.Text == "" || r.values+len(w.Name)+len(w.Text) > MostValues {
		return
	}
	if r.Values == nil {
		r.Values = map[string]string{}
	}
	r.Values[w.Name] = w.Text
	r.values += len(w.Name) + len(w.Text)
}

// Filter selects runs. The zero value selects all.
type Filter struct {
	State   State  // state of the run; Ended: every state but Open; "": all
	Product string // product of the run; "": all
	Agent   string // an agent that wrote to the run; "": all
	Words   string // text that the goal, the reason or a note of the run contains; "": all
	Like    string // selects ended runs with a goal like this one, in Find only; "": all
}

// Ended is a State for filters: it selects all runs that have ended.
const Ended State = "ended"

func (f *Filter) lets(r *Run) bool {
	switch {
	case f.State == Ended && !r.Ended(), f.State != "" && f.State != Ended && r.State != f.State,
		f.Product != "" && r.Product != f.Product, f.Agent != "" && !slices.Contains(r.Agents, f.Agent):
		return false
	case f.Words == "":
		return true
	}
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(f.Words)) }
	return has(r.Goal) || has(r.Why) || slices.ContainsFunc(r.Notes, func(n Note) bool { return has(n.Text) })
}

// List returns the runs that f selects: open runs first, then by the time of the last update, latest first.
func (l *Log) List(f Filter) (out []Run) {
	for _, r := range l.runs {
		if f.lets(&r.Run) {
			out = append(out, r.Run)
		}
	}
	slices.SortFunc(out, func(a, b Run) int {
		return cmp.Or(closed(&a)-closed(&b), b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func closed(r *Run) int {
	if r.Ended() {
		return 1
	}
	return 0
}
