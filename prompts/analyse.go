package prompts

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
)

// MaxRuns is the maximum number of wrong runs in one prompt of Analyse.
const MaxRuns = 10

// AnalyseInput is up to MaxRuns runs with a wrong verdict, and the checks that the agent may have missed in them. All
// texts come from outside; Analyse cleans, cuts and fences them.
type AnalyseInput struct {
	Lang   string         // Chinese for "zh" or "zh-…", else English
	Checks []AnalyseCheck // the checks to choose from
	Runs   []AnalyseRun   // the runs, 1 to MaxRuns; an answer refers to a run by its number, from 1
}

// An AnalyseCheck is a kind of check that the agent may have missed. Line describes it in a few words. Only is the
// direction of the runs to which it applies, "" for all.
type AnalyseCheck struct{ ID, Line, Only string }

// An AnalyseRun is a run with a wrong verdict. Every text may be empty.
type AnalyseRun struct {
	Lang      string // language of Task: Chinese for "zh" or "zh-…", else English
	Direction string // false_pass, false_fail, or anything else
	Where     string // page or product under test
	Task      string // what the agent had to test
	Claimed   string // the agent's verdict, which was wrong
	Truth     string // what was true
	Note      string // a tester's note about the run
}

// Analyse returns the prompt that asks a model what the agent missed in each run. The part that is the same for all
// inputs comes first, so that a provider can cache it. in.Read decodes the answer.
func (s *Set) Analyse(in AnalyseInput) (Prompt, error) {
	if n := len(in.Runs); n == 0 || n > MaxRuns {
		return Prompt{}, fmt.Errorf("prompt analyse: there are %d runs, 1 to %d can be shown", n, MaxRuns)
	}
	for _, c := range in.Checks {
		if !checkID().MatchString(c.ID) {
			return Prompt{}, fmt.Errorf("prompt analyse: %q is no id of a check: use lower-case letters, digits and _", c.ID)
		}
	}
	checks := make([]string, len(in.Checks))
	for i, c := range in.Checks {
		checks[i] = c.ID + ": " + listLine(c.Line, maxField)
		if c.Only != "" {
			checks[i] += " (" + wrongly(c.Only, in.Lang) + ")"
		}
	}
	var runs strings.Builder
	for i := range in.Runs {
		in.Runs[i].write(&runs, i+1, in.Lang)
	}
	data := "<data name=\"runs\">\n" + runs.String() + "</data>"
	return s.render("analyse", in.Lang, map[string]any{"Checks": checks, "Runs": data}, json.RawMessage(analyseSchema))
}

// checkID matches the id of a check.
var checkID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`) })

// analyseSchema has how before check, so that a model held to it describes what happened before it names the check. It
// leaves the ids open: an unknown one invalidates one miss, not the whole answer.
const analyseSchema = `{"type":"object","properties":{"runs":{"type":"array","items":{"type":"object","properties":{` +
	`"run":{"type":"integer"},` +
	`"misses":{"type":"array","items":{"type":"object","properties":{` +
	`"how":{"type":"string"},` +
	`"check":{"type":"string"},` +
	`"what":{"type":"array","items":{"type":"string"}},` +
	`"instead":{"type":"string"}},` +
	`"required":["how","check","what","instead"],"additionalProperties":false}}},` +
	`"required":["run","misses"],"additionalProperties":false}}},` +
	`"required":["runs"],"additionalProperties":false}`

// Limits on the texts of one run, in characters.
const (
	maxRunTask  = 600
	maxRunClaim = 200
	maxRunTruth = 400
	maxRunNote  = 600
)

// wrongly returns the template's term for the direction of a wrong verdict.
func wrongly(direction, lang string) string {
	en, zh := "wrong", "做错"
	switch direction {
	case "false_pass":
		en, zh = "missed", "漏报"
	case "false_fail":
		en, zh = "false alarm", "误报"
	}
	if langOf(lang) == "zh" {
		return zh
	}
	return en
}

// write adds a run, one line a text. No text can begin a line.
func (r *AnalyseRun) write(b *strings.Builder, number int, lang string) {
	b.WriteString("#" + strconv.Itoa(number) + " " + wrongly(r.Direction, lang))
	if where := listLine(r.Where, maxField); where != "" {
		b.WriteString(", " + where)
	}
	b.WriteString(strings.TrimRight(": "+runLine(r.Task, maxRunTask), " ") + "\n")
	for _, f := range []struct{ mark, text string }{
		{"A: ", runLine(r.Claimed, maxRunClaim)}, {"T: ", runLine(r.Truth, maxRunTruth)},
		{"N: ", runLine(r.Note, maxRunNote)},
	} {
		if f.text != "" {
			b.WriteString(f.mark + f.text + "\n")
		}
	}
}

// runLine is listLine for a text whose end matters as much as its beginning.
func runLine(s string, limit int) string {
	return fenceMarker().ReplaceAllString(text.Line(cutMiddle(s, limit)), "&lt;$1")
}
