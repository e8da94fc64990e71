package brief

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
)

// Reader asks a model the questions of a book. It is safe for concurrent use if its model is.
type Reader struct {
	Model   llm.Generator
	Prompts *prompts.Set
	Name    string // of the model, for Reading.By, where it does not give its own
	Now     func() time.Time
	// Found reports whether words find a memory for a test; nil: that is not known, and a reader that names
	// nothing is trusted.
	Found func(t *Test) bool
}

// The most tokens of an answer: a part for every answer, and a part for each test.
const (
	answerTokens = 400
	testTokens   = 70
)

// Request words a question.
func (r *Reader) Request(q *Question) (llm.Request, error) {
	p, err := r.Prompts.Brief(q.In)
	if err != nil {
		return llm.Request{}, err
	}
	return llm.Request{
		Name: p.Name(), System: p.System, Prompt: p.Text, Schema: p.Schema, MaxTokens: answerTokens + testTokens*len(q.tests),
		Repair: func(answer string, problems []string) (string, error) {
			in := prompts.RepairInput{Lang: q.In.Lang, Task: p.Text, Answer: answer, Problems: problems}
			again, err := r.Prompts.Repair(in)
			return again.Text, err
		},
	}, nil
}

// Result is what came of reading.
type Result struct {
	Tests   int      `json:"read"`    // tests that have a brief now
	Told    int      `json:"told"`    // those of them with a pick
	Refused []string `json:"refused"` // why picks were refused, a sentence each
	Unsaid  []string `json:"unsaid"`  // sentences that were refused, with the reason
}

// Add adds another reading to d.
func (d *Result) Add(o Result) {
	d.Tests, d.Told = d.Tests+o.Tests, d.Told+o.Told
	d.Refused, d.Unsaid = append(d.Refused, o.Refused...), append(d.Unsaid, o.Unsaid...)
}

// Read asks one question and puts the answer into the book. Tests whose picks were all refused are
// asked for once more. A question or an answer that is too long for the model is cut in two. After any
// other error the tests that are left stay as they were.
func (r *Reader) Read(ctx context.Context, b *Book, q Question) (Result, error) {
	var done Result
	for todo := []Question{q}; len(todo) > 0; {
		q, todo = todo[0], todo[1:]
		picks, by, err := r.ask(ctx, &q)
		if k := llm.KindOf(err); k == llm.KindTooLarge || k == llm.KindTruncated {
			if halves := q.Halves(); halves != nil {
				todo = append(halves, todo...)
				continue
			}
		}
		if err != nil {
			return done, err
		}
		q.found = r.found(&q)
		t := b.Take(&q, picks, by)
		done.Add(Result{t.Tests, t.Told, t.Refused, t.Unsaid})
		if t.Again != nil {
			todo = append([]Question{*t.Again}, todo...)
		}
	}
	return done, nil
}

// found reports for each test of a question with all memories whether words find one; nil: not known.
func (r *Reader) found(q *Question) []bool {
	if r.Found == nil || !q.all {
		return nil
	}
	out := make([]bool, len(q.In.Tests))
	for i := range q.In.Tests {
		t := &q.In.Tests[i]
		out[i] = r.Found(&Test{Prompt: t.Prompt, Product: t.Product})
	}
	return out
}

// ask returns the picks of an answer that could be read.
func (r *Reader) ask(ctx context.Context, q *Question) ([]prompts.BriefPick, Reading, error) {
	request, err := r.Request(q)
	if err != nil {
		return nil, Reading{}, err
	}
	a, err := llm.Ask(ctx, r.Model, request, func(raw json.RawMessage) error {
		_, err := q.In.Read(raw)
		return err
	})
	if err != nil {
		return nil, Reading{}, err
	}
	picks, err := q.In.Read(a.JSON)
	if err != nil {
		return nil, Reading{}, errors.Join(errors.New("an answer that was read before"), err)
	}
	by := a.Model
	if by == "" {
		by = r.Name
	}
	return picks, Reading{By: by, At: r.Now().UTC(), Template: request.Name}, nil
}
