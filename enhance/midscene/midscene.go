// Package midscene writes guidance into Midscene's YAML scripts, step by step.
//
// A step of one of the [apis] may have a field "context", which Midscene puts before the step's prompt. If a step has
// this field, Midscene ignores aiContexts, the contexts for all steps. So Write sets the context of a step to its
// previous context, its own or the inherited one, followed by the guidance.
//
// All other bytes of a script are unchanged. A written context carries a mark, a comment with the number of its lines,
// their hash and the bytes that it replaced, so that it can be replaced or removed again and a script is restored byte
// for byte. Before Write returns, the script is parsed once more: only these fields may have changed.
//
// A script is hostile input, and so is guidance: its lines cannot end the field, and "${NAME}", which Midscene
// replaces by an environment variable anywhere in a script, is escaped so that it is not replaced.
package midscene

import "fmt"

// MaxScript is the maximum length of a script in bytes. Read refuses longer ones.
const MaxScript = 1 << 20

// YAMLScript is a parsed Midscene script, without the text that Write added to it before.
type YAMLScript struct {
	Steps []aiStep // steps in which a model judges or plans, in the order of the script

	scriptSurvey
	bom bool // it begins with a byte order mark, which src does not have
}

// aiStep is a step that judges or plans with a model.
type aiStep struct {
	Task   string // name of its task
	Number int    // number of the step in its task, from 1
	Line   int    // line of the step in the input, from 1
	Field  string // position of the step, such as tasks[0].flow[2]
	API    string // Midscene's name of the call, such as aiAssert
	Prompt string
	Route  string // route of the page where the step begins; "" if an earlier step may have changed it
	Own    string // context of the step without guidance, its own or the inherited one
	Left   string // why guidance cannot be written, such as leftAlias; "": it can

	key string      // of its prompt, as spelled
	at  int         // index of the line of that key
	col int         // cells before it, all of them spaces and dashes
	own *scriptSpan // its own context; nil: none
}

// ScriptError is why Read or Write refuses a script, and where in the file.
type ScriptError struct {
	File    string
	Line    int    // from 1; 0: no particular line
	Field   string // such as tasks[0].flow[2].context; "": no particular field
	Problem string // end of a sentence that begins with Field, or else with File
}

func (e *ScriptError) Error() string {
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

// apis are the steps that receive guidance: their keys, and Midscene's name of each call.
var apis = []struct{ key, api string }{
	{"aiAct", "aiAct"}, {"aiAction", "aiAct"}, {"ai", "aiAct"},
	{"aiAssert", "aiAssert"},
	{"aiQuery", "aiQuery"}, {"aiNumber", "aiNumber"}, {"aiString", "aiString"}, {"aiBoolean", "aiBoolean"},
	{"aiAsk", "aiAsk"},
}

// looking are the keys of steps that do not leave the page.
var looking = map[string]bool{
	"aiAssert": true, "aiQuery": true, "aiNumber": true, "aiString": true, "aiBoolean": true, "aiAsk": true,
	"aiLocate": true, "aiWaitFor": true, "sleep": true, "logScreenshot": true, "recordToReport": true,
}

// Why a step is not changed.
const (
	leftAlias  = "it is an alias (*) and shares what is told where its anchor stands"
	leftFlow   = "it is written in braces; write each of its fields on a line of its own"
	leftLayout = "its fields do not stand as usual, each key on a line of its own; mend that to have it told"
	leftAnchor = "its context carries an anchor or a tag; write the text itself"
	leftText   = "its context is no text"
	leftPrompt = "its prompt is no text"
	leftTold   = "its context has guidance of memtree already, without the mark of memtree enhance"
)
