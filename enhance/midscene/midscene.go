// Package midscene writes guidance into Midscene's YAML scripts, step by step.
//
// Midscene puts the text under "context" beside a step's prompt before that prompt, for the steps of [apis]. If a step
// has a context, Midscene ignores aiContexts, which apply to all steps. So Write sets a step's context to its previous
// context, be it its own or the inherited one, followed by the guidance.
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
	Task   string // its name
	Number int    // in the task, from 1
	Line   int    // in the input, from 1
	Field  string // such as tasks[0].flow[2]
	API    string // such as aiAssert
	Prompt string
	Route  string // of the page it begins on, if known: no step before it may have left the page
	Own    string // the context it has without guidance, its own or the inherited one
	Left   string // why no guidance can be written, one of the sentences below; "": it can

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
	Problem string // follows the field in the sentence, or the file without field and line
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
