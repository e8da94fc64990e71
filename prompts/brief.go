package prompts

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// BriefInput is what a model needs to choose the memories that fit coming tests. All texts come from outside; Brief
// cleans, cuts and fences them.
type BriefInput struct {
	Lang     string        // language of most tests: Chinese for "zh" or "zh-…", else English
	Memories []BriefMemory // in a stable order, so that providers can cache the beginning of the prompt
	Tests    []BriefTest
	Facts    bool     // some memories are facts about the product, marked "known"
	Refused  []string // why an earlier answer was refused, a sentence each, sorted
}

// A BriefMemory is one memory, as the prompt lists it on one line.
type BriefMemory struct {
	ID   string // m1, m2, …
	Line string // the memory on one line: direction, what to do, how the check was missed
}

// A BriefTest is one coming test.
type BriefTest struct {
	ID      string // t1, t2, …
	Product string // product under test; optional
	Place   string // where in the product; optional
	Prompt  string
}

// A BriefPick is a memory that the model would mention before a test, and why.
type BriefPick struct {
	Test    string `json:"t"`       // ID of the BriefTest
	Memory  string `json:"m"`       // ID of the BriefMemory
	Because string `json:"because"` // the part of the test's text that is the reason
	Say     string `json:"say"`     // the advice in the test's own terms; "" for the memory's own text
}

// Limits of a prompt and its answer, in characters.
const (
	maxMemoryLine = 420
	maxTestLine   = 700
	maxBriefData  = 400_000 // of one list
	maxQuotation  = 300
)

var briefSchema = json.RawMessage(`{"type":"object","properties":{"told":{"type":"array","items":{"type":"object",` +
	`"properties":{"t":{"type":"string"},"m":{"type":"string"},"because":{"type":"string"},"say":{"type":"string"}},` +
	`"required":["t","m","because","say"],"additionalProperties":false}}},` +
	`"required":["told"],"additionalProperties":false}`)

// Brief returns the prompt that asks a model which memories a colleague would mention before each test. The part that
// is the same for all inputs comes first, then the memories, then the tests. in.Read decodes the answer.
func (s *Set) Brief(in BriefInput) (Prompt, error) {
	var memories, tests strings.Builder
	for _, m := range in.Memories {
		fmt.Fprintf(&memories, "%s %s\n", m.ID, listLine(m.Line, maxMemoryLine))
	}
	for i := range in.Tests {
		fmt.Fprintln(&tests, in.Tests[i].line())
	}
	return s.render("brief", in.Lang, map[string]any{
		"Memories": fence("memories", memories.String(), maxBriefData),
		"Tests":    fence("tests", tests.String(), maxBriefData),
		"Refused":  fence("refused", bullets(in.Refused), maxReasons), "Facts": in.Facts,
	}, briefSchema)
}

// line returns a test on one line: t12 [product, place] prompt.
func (t *BriefTest) line() string {
	where := listLine(t.Product, maxField)
	if p := listLine(t.Place, maxField); p != "" && where != "" {
		where += ", " + p
	} else {
		where += p
	}
	if where != "" {
		where = "[" + where + "] "
	}
	return t.ID + " " + where + listLine(t.Prompt, maxTestLine)
}

// Read decodes an answer to the prompt made from in: the picks in the order of the answer, each text cleaned and on
// one line. It checks only the form; package brief decides whether a pick may be used.
func (in BriefInput) Read(raw json.RawMessage) ([]BriefPick, error) {
	var a struct {
		Told []BriefPick `json:"told"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	for i := range a.Told {
		p := &a.Told[i]
		p.Test, p.Memory = text.Line(p.Test), text.Line(p.Memory)
		p.Because, p.Say = text.Line(text.Clip(p.Because, maxQuotation)), text.Line(text.Clip(p.Say, maxAnswerText))
	}
	return a.Told, nil
}
