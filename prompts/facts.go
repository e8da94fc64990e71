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
	Lang string // of the instructions: "zh", or anything else for English
	Runs []FactsRun
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
}

// MaxFactsRuns is the most runs of one prompt.
const MaxFactsRuns = 30

const (
	maxFactsTask = 160 // characters
	maxFactsNote = 320
)

const factsSchema = `{"type":"object","properties":{"facts":{"type":"array","items":{"type":"object","properties":{` +
	`"runs":{"type":"array","items":{"type":"integer"}},"statement":{"type":"string"},` +
	`"kind":{"type":"string","enum":["rule","behaviour","format","intended","known_bug","preference"]},` +
	`"here":{"type":"boolean"},"quote":{"type":"string"}},` +
	`"required":["runs","statement","kind","here","quote"],"additionalProperties":false}}},` +
	`"required":["facts"],"additionalProperties":false}`

// Facts returns the prompt for reading facts. The constant part comes first. in.Read decodes the answer.
func (s *Set) Facts(in FactsInput) (Prompt, error) {
	if n := len(in.Runs); n == 0 || n > MaxFactsRuns {
		return Prompt{}, fmt.Errorf("prompt facts: there are %d runs, 1 to %d can be shown", n, MaxFactsRuns)
	}
	return s.render("facts", in.Lang, in.fields(), json.RawMessage(factsSchema))
}

func (in FactsInput) fields() any {
	var b strings.Builder
	for i := range in.Runs {
		r := &in.Runs[i]
		fmt.Fprintf(&b, "%d [%s] %s | note: %s\n", i+1, listLine(r.Page, maxValue), listLine(r.Task, maxFactsTask),
			listLine(r.Note, maxFactsNote))
	}
	return struct{ Runs string }{
		fenceOrDash("runs", b.String(), MaxFactsRuns*(maxValue+maxFactsTask+maxFactsNote+20)),
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
	case f.Statement == "":
		return errors.New("statement: is missing")
	case len([]rune(quote)) < 2 || !strings.Contains(text.Letters(in.Runs[f.Runs[0]-1].Note), quote):
		return errors.New("quote: is not in the note of that run; copy its words exactly")
	}
	return nil
}
