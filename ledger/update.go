package ledger

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/memtree/memtree/tree"
)

// WorkKind is the kind of an update of a run.
type WorkKind string

// The kinds of updates. In brackets are the fields of Work that a kind uses besides Run, By and Key.
const (
	WorkStart    WorkKind = "start"    // a run begins (Text: its goal; Product, Build, Test)
	WorkTask     WorkKind = "task"     // a new or changed task (Task; Text; State: open, doing, done, failed or dropped)
	WorkNote     WorkKind = "note"     // the agent saw something (Text, Page)
	WorkDecision WorkKind = "decision" // the agent chose what to do (Text, Page)
	WorkError    WorkKind = "error"    // something did not work (Text, Page)
	WorkFinding  WorkKind = "finding"  // the agent found a defect (Text, Page; State: critical, high, medium or low)
	WorkVisit    WorkKind = "visit"    // the agent visited a page (Page)
	WorkTested   WorkKind = "tested"   // the agent tested an element (Page; Name: name of the element)
	WorkValue    WorkKind = "value"    // the agent stores a value (Name: its name; Text: the value, "" removes it)
	WorkEnd      WorkKind = "end"      // the run ends (State: success, partial or failure; Text: why)
	WorkFeedback WorkKind = "feedback" // somebody rates a run that ended (Rating, Text)
)

// Limits of Work.
const (
	MaxWork   = 4 << 10 // bytes of Work.Text
	MaxRating = 5       // the best Rating; the worst is 1
)

// Work is one update of a run under way: what an agent plans, sees or finds. A run consists of the updates with
// the same Run, in the order of the ledger.
type Work struct {
	Run     string   `json:"run"` // id of the run
	Kind    WorkKind `json:"kind"`
	By      string   `json:"by,omitempty"`  // name of the agent or person
	Key     string   `json:"key,omitempty"` // id of the update; a later update of the run with this Key is ignored
	Text    string   `json:"text,omitempty"`
	Page    string   `json:"page,omitempty"` // route of the page
	Name    string   `json:"name,omitempty"`
	Task    string   `json:"task,omitempty"` // id of the task
	State   string   `json:"state,omitempty"`
	Product string   `json:"product,omitempty"`
	Build   string   `json:"build,omitempty"`
	Test    string   `json:"test,omitempty"`
	Rating  int      `json:"rating,omitempty"` // 1 to MaxRating, the best
}

// workKinds returns all kinds of updates.
func workKinds() []WorkKind {
	return []WorkKind{WorkStart, WorkTask, WorkNote, WorkDecision, WorkError, WorkFinding, WorkVisit, WorkTested,
		WorkValue, WorkEnd, WorkFeedback}
}

// The states of a task, a finding and an ended run.
var workStates = map[WorkKind][]string{
	WorkTask:    {"open", "doing", "done", "failed", "dropped"},
	WorkFinding: {"critical", "high", "medium", "low"},
	WorkEnd:     {"success", "partial", "failure"},
}

// Check returns a *tree.FieldError for the first invalid field of w, or nil.
func (w *Work) Check() error {
	bad := func(field, problem string, args ...any) error {
		return &tree.FieldError{Field: "work." + field, Problem: fmt.Sprintf(problem, args...)}
	}
	states := workStates[w.Kind]
	switch {
	case w.Run == "":
		return bad("run", "is missing; name the run")
	case !slices.Contains(workKinds(), w.Kind):
		return bad("kind", "is %.40q; use start, task, note, decision, error, finding, visit, tested, value, end or feedback",
			w.Kind)
	case len(w.Text) > MaxWork || !utf8.ValidString(w.Text):
		return bad("text", "is longer than %d bytes, or no UTF-8; cut it, or make several notes of it", MaxWork)
	case w.Text == "" && slices.Contains([]WorkKind{WorkStart, WorkNote, WorkDecision, WorkError, WorkFinding}, w.Kind):
		return bad("text", "is missing; say it in a sentence")
	case states == nil && w.State != "":
		return bad("state", "is %.40q, which no %s has; leave it out", w.State, w.Kind)
	case w.State != "" && !slices.Contains(states, w.State):
		return bad("state", "is %.40q, which no %s has; use one of %s", w.State, w.Kind, listed(states))
	case w.State == "" && (w.Kind == WorkTask || w.Kind == WorkEnd):
		return bad("state", "is missing; use one of %s", listed(states))
	case w.Task == "" && w.Kind == WorkTask:
		return bad("task", "is missing; give the task an id, such as 1 or login")
	case w.Page == "" && (w.Kind == WorkVisit || w.Kind == WorkTested):
		return bad("page", "is missing; say where")
	case w.Name == "" && (w.Kind == WorkTested || w.Kind == WorkValue):
		return bad("name", "is missing; name the element or the value")
	case w.Kind == WorkFeedback && (w.Rating < 1 || w.Rating > MaxRating), w.Kind != WorkFeedback && w.Rating != 0:
		return bad("rating", "is %d; feedback has one from 1 to %d, and nothing else has any", w.Rating, MaxRating)
	}
	for _, f := range []struct{ field, value string }{
		{"run", w.Run}, {"by", w.By}, {"key", w.Key}, {"page", w.Page}, {"name", w.Name}, {"task", w.Task},
		{"product", w.Product}, {"build", w.Build}, {"test", w.Test},
	} {
		if len(f.value) > tree.MaxName || !plainLine(f.value) {
			return bad(f.field, "is longer than %d bytes, or not one line of UTF-8", tree.MaxName)
		}
	}
	return nil
}

// listed lists names for a sentence.
func listed(names []string) (out string) {
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			out += " and "
		case i > 0:
			out += ", "
		}
		out += n
	}
	return out
}
