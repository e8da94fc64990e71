package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// FactsInput is what a model needs to find facts about the product in the notes on false alarms. All texts come from
// outside; Facts cleans, cuts and fences them.
type FactsInput struct {
	Lang  string     // language of the instructions: Chinese for "zh" or "zh-…", else English
	Runs  []FactsRun // the runs, 1 to MaxFactsRuns; an answer refers to a run by its number, from 1
	Known []string   // known statements, at most MaxFactsKnown; an answer refers to them as k1, k2, …
}

// FactsRun is a run that reported a defect where there was none.
type FactsRun struct {
	Page string // the page under test
	Task string // what the agent had to test
	Note string // a tester's note on the run
}

// FactsFound is one fact about the product that the model found in the notes.
type FactsFound struct {
	Runs      []int  `json:"runs"`              // numbers of the runs whose notes state the fact; Quote is from the first
	Statement string `json:"statement"`         // the fact, one sentence
	Kind      string `json:"kind"`              // as the model wrote it, not checked; a ledger.FactKind was requested
	Here      bool   `json:"here"`              // the fact holds only on the page of the run
	Quote     string `json:"quote"`             // the part of the note that states the fact
	Same      string `json:"same,omitempty"`    // known statement that the fact repeats, such as k1; "" for a new one
	Against   string `json:"against,omitempty"` // known statement that the fact refutes, such as k1; "" for none
}

// Limits of a prompt of Facts.
const (
	MaxFactsRuns  = 30 // most runs in one prompt of Facts
	MaxFactsKnown = 60 // most known statements in one prompt of Facts
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

// Facts returns the prompt that asks a model which facts about the product the notes state. The part that is the same
// for all inputs comes first. in.Read decodes the answer.
func (s *Set) Facts(in FactsInput) (Prompt, error) {
	if n := len(in.Runs); n == 0 || n > MaxFactsRuns {
		return Prompt{}, fmt.Errorf("prompt facts: there are %d runs, 1 to %d can be shown", n, MaxFactsRuns)
	}
	if n := len(in.Known); n > MaxFactsKnown {
		return Prompt{}, fmt.Errorf("prompt facts: there are %d known facts, at most %d can be shown", n, MaxFactsKnown)
	}
	var runs, known strings.Builder
	for i := range in.Runs {
		r := &in.Runs[i]
		fmt.Fprintf(&runs, "%d [%s] %s | note: %s\n", i+1, listLine(r.Page, maxValue), listLine(r.Task, maxFactsTask),
			listLine(r.Note, maxFactsNote))
	}
	for i, s := range in.Known {
		fmt.Fprintf(&known, "k%d %s\n", i+1, listLine(s, maxFactsNote))
	}
	return s.render("facts", in.Lang, map[string]any{
		"Runs":  fenceOrDash("runs", runs.String(), MaxFactsRuns*(maxValue+maxFactsTask+maxFactsNote+20)),
		"Known": fence("known", known.String(), MaxFactsKnown*(maxFactsNote+20)),
	}, in.schema())
}

// Read decodes an answer to the prompt made from in: the valid facts, in the order of the answer. A fact is valid only
// if its quotation is in the note of its first run. err joins the problems of the others, written for the model.
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

// KnownAt returns the index in in.Known of the statement that an answer calls id, such as k1; -1 if there is none.
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
