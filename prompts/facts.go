package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// FactsInput is the input for reading what holds of a product from the notes on false alarms. All texts come from
// outside; Facts cleans, cuts and fences them. An answer refers to runs by number, from 1.
type FactsInput struct {
	Lang  string // of the instructions: "zh", or anything else for English
	Runs  []FactsRun
	Known []string // statements that are known already; an answer refers to them as k1, k2, …
}

// FactsRun is a run that reported a defect where there was none.
type FactsRun struct {
	Page string
	Task string
	Note string // of a tester
}

// FactsFound is what a note states of the product.
type FactsFound struct {
	Runs      []int  `json:"runs"` // numbers, the first is that of the quotation
	Statement string `json:"statement"`
	Kind      string `json:"kind"`
	Here      bool   `json:"here"` // on the page of the run alone
	Quote     string `json:"quote"`
	Same      string `json:"same,omitempty"`    // the known fact that it is, such as k1; "" for a new one
	Against   string `json:"against,omitempty"` // the known fact that this one ends, such as k1; "" for none
}

// The most runs and known facts of one prompt.
const (
	MaxFactsRuns  = 30
	MaxFactsKnown = 60
)

const (
	maxFactsTask = 160 // characters
	maxFactsNote = 320
)

// schema returns the form of an answer; "same" and "against" are part of it where facts are known.
func (in FactsInput) schema() json.RawMessage {
	same, required := "", ""
	if len(in.Known) > 0 {
		same, required = `,"same":{"type":"string"},"against":{"type":"string"}`, `,"same","against"`
	}
	return json.RawMessage(`{"type":"object","properties":{"facts":{"type":"array","items":{"type":"object",` +
		`"properties":{"runs":{"type":"array","items":{"type":"integer"}},"statement":{"type":"string"},` +
		`"kind":{"type":"string","enum":["rule","behaviour","format","intended","known_bug","preference"]},` +
		`"here":{"type":"boolean"},"quote":{"type":"string"}` + same + `},` +
		`"required":["runs","statement","kind","here","quote"` + required + `],"additionalProperties":false}}},` +
		`"required":["facts"],"additionalProperties":false}`)
}

// Facts returns the prompt for reading facts. The constant part comes first. in.Read decodes the answer.
func (s *Set) Facts(in FactsInput) (Prompt, error) {
	if n := len(in.Runs); n == 0 || n > MaxFactsRuns {
		return Prompt{}, fmt.Errorf("prompt facts: there are %d runs, 1 to %d can be shown", n, MaxFactsRuns)
	}
	if n := len(in.Known); n > MaxFactsKnown {
		return Prompt{}, fmt.Errorf("prompt facts: there are %d known facts, at most %d can be shown", n, MaxFactsKnown)
	}
	return s.render("facts", in.Lang, in.fields(), in.schema())
}

func (in FactsInput) fields() any {
	var b strings.Builder
	for i := range in.Runs {
		r := &in.Runs[i]
		fmt.Fprintf(&b, "%d [%s] %s | note: %s\n", i+1, listLine(r.Page, maxValue), listLine(r.Task, maxFactsTask),
			listLine(r.Note, maxFactsNote))
	}
	var known strings.Builder
	for i, s := range in.Known {
		fmt.Fprintf(&known, "k%d %s\n", i+1, listLine(s, maxFactsNote))
	}
	return struct{ Runs, Known string }{
		fenceOrDash("runs", b.String(), MaxFactsRuns*(maxValue+maxFactsTask+maxFactsNote+20)),
		fence("known", known.String(), MaxFactsKnown*(maxFactsNote+20)),
	}
}

// sampleFacts is what Load tries a template with.
var sampleFacts = FactsInput{Runs: []FactsRun{{Page: "the page", Task: "the task", Note: "the note"}}}

// Read decodes an answer: the facts that are grounded, in the order given. err joins the problems of the others,
// written for a model. A quotation has to be in the note of the first run.
func (in FactsInput) Read(raw json.RawMessage) (found []FactsFound, err error) {
	var a struct {
		Facts []FactsFound `json:"facts"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	if len(a.Facts) > 2*len(in.Runs) {
		return nil, fmt.Errorf("facts: there are %d of %d runs", len(a.Facts), len(in.Runs))
	}
	var bad []error
	for i := range a.Facts {
		f := &a.Facts[i]
		f.Statement = text.Line(text.Clean(f.Statement))
		if err := in.wrong(f); err != nil {
			bad = append(bad, fmt.Errorf("facts[%d].%w", i, err))
			continue
		}
		found = append(found, *f)
	}
	return found, errors.Join(bad...)
}

// KnownAt returns the index in Known of the fact with an id of the prompt, such as k1, -1 for none.
func (in FactsInput) KnownAt(id string) int {
	for i := range in.Known {
		if id == fmt.Sprint("k", i+1) {
			return i
		}
	}
	return -1
}

// wrong returns the problem of a fact, nil for none.
func (in FactsInput) wrong(f *FactsFound) error {
	if len(f.Runs) == 0 {
		return errors.New("runs: there are none")
	}
	for i, n := range f.Runs {
		if n < 1 || n > len(in.Runs) || slices.Contains(f.Runs[:i], n) {
			return fmt.Errorf("runs: there is no run %d, or it is there twice", n)
		}
	}
	quote := text.Letters(f.Quote)
	switch {
	case f.Same != "" && in.KnownAt(f.Same) < 0:
		return fmt.Errorf("same: there is no known fact %.20q", f.Same)
	case f.Against != "" && in.KnownAt(f.Against) < 0:
		return fmt.Errorf("against: there is no known fact %.20q", f.Against)
	case f.Same != "" && f.Against != "":
		return errors.New("against: a fact that is known is against none; leave one of the two empty")
	case f.Statement == "":
		return errors.New("statement: is missing")
	case len([]rune(quote)) < 2 || !strings.Contains(text.Letters(in.Runs[f.Runs[0]-1].Note), quote):
		return errors.New("quote: is not in the note of that run; copy its words exactly")
	}
	return nil
}
