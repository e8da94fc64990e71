// Package midscene writes guidance into Midscene's YAML scripts, step by step.
//
// Midscene puts the text under "context" beside a step's prompt before that prompt, for the steps of [apis]. It takes
// that of the step alone: what stands under aiContexts for all steps is then left out. So a step's context becomes
// what it had, be it its own or what Midscene would have taken for it, and the guidance after it.
//
// All other bytes of a script stay as they are. What is written carries a mark, a comment with the number of its
// lines, their hash and the bytes in whose place they stand, so that it can be replaced or taken out again and a
// script comes back byte for byte. Before Write returns, the script is read once more: nothing but these fields may
// have changed.
//
// A script is hostile input, and so is guidance: its lines cannot end the field, and "${NAME}", which Midscene
// replaces by an environment variable wherever it stands in a script, is written so that it is not.
package midscene

import "fmt"

// MaxScript is the longest script, in bytes.
const MaxScript = 1 << 20

// Script is a script without what Write added to it.
type Script struct {
	Steps []step // that judge or plan with a model

	survey
	bom bool // it begins with a byte order mark, which src does not have
}

// step is a step that judges or plans with a model.
type step struct {
	Task   string // its name
	Number int    // in the task, from 1
	Line   int    // in the script as it was read, from 1
	Field  string // such as tasks[0].flow[2]
	API    string // such as aiAssert
	Prompt string
	Route  string // of the page it begins on, where the script says it: no step before it may have gone elsewhere
	Own    string // the context it has without guidance, its own or what Midscene would take
	Left   string // why no guidance can be written, one of the sentences below; "": it can

	key string // of its prompt, as it is spelled
	at  int    // index of the line of that key
	col int    // cells before it, all of them spaces and dashes
	own *span  // its own context; nil: none
}

// Error is a script that cannot be used.
type Error struct {
	File    string
	Line    int    // from 1; 0: none in particular
	Field   string // such as tasks[0].flow[2].context; "": none in particular
	Problem string // continues the sentence after the field, or after the file if there is no line either
}

func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s += fmt.Sprint(":", e.Line)
	}
	switch {
	case e.Field != "":
		return s + ": " + e.Field + " " + e.Problem
	case e.Line > 0:
		return s + ": " + e.Problem
	}
	return s + " " + e.Problem
}

// apis are the steps that are told something, as their keys are spelled, and what Midscene calls each.
var apis = []struct{ key, api string }{
	{"aiAct", "aiAct"}, {"aiAction", "aiAct"}, {"ai", "aiAct"},
	{"aiAssert", "aiAssert"},
	{"aiQuery", "aiQuery"}, {"aiNumber", "aiNumber"}, {"aiString", "aiString"}, {"aiBoolean", "aiBoolean"},
	{"aiAsk", "aiAsk"},
}

// looking are the keys of steps that leave the page where it is.
var looking = map[string]bool{
	"aiAssert": true, "aiQuery": true, "aiNumber": true, "aiString": true, "aiBoolean": true, "aiAsk": true,
	"aiLocate": true, "aiWaitFor": true, "sleep": true, "logScreenshot": true, "recordToReport": true,
}

// Why a step is left as it is.
const (
	leftAlias  = "it is an alias (*) and shares what is told where its anchor stands"
	leftFlow   = "it is written in braces; write each of its fields on a line of its own"
	leftLayout = "its fields do not stand as usual, each key on a line of its own; mend that to have it told"
	leftAnchor = "its context carries an anchor or a tag; write the text itself"
	leftText   = "its context is no text"
	leftPrompt = "its prompt is no text"
	leftTold   = "its context has guidance of memtree already, without the mark of memtree enhance"
)
