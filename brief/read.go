package brief

import (
	"cmp"
	"context"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
)

// modelReader sends the questions of a book to a model. It is safe for concurrent use if its model is.
type modelReader struct {
	Model llm.Generator
	Name  string // of the model, for ReaderInfo.By, if the model does not report its own
	Now   func() time.Time
	// Found reports whether the search finds a memory for a test; nil: unknown, and a reader that picks nothing is
	// trusted.
	Found func(t *UpcomingTest) bool
}

// The maximum number of tokens of an answer: a part for every answer, and a part for each test.
const (
	answerTokens = 400
	testTokens   = 70
)

// Request returns the model request of a question.
func (r *modelReader) Request(q *ReadingTask) (llm.Request, error) {
	p, err := prompts.Load().Brief(q.In)
	if err != nil {
		return llm.Request{}, err
	}
	return prompts.Load().Request(p, q.In.Lang, answerTokens+testTokens*len(q.tests)), nil
}

// ReadCounts counts what answers of a reader brought.
type ReadCounts struct {
	Tests   int      `json:"read"`    // tests that need no further answer, also those whose answer was rejected twice
	Told    int      `json:"told"`    // tests of Tests that have a pick of these answers
	Refused []string `json:"refused"` // why picks were refused, a sentence each, for people and for the reader
	Unsaid  []string `json:"unsaid"`  // sentences that were refused, with the reason; the memory's own text is used
}

// Add adds o to d.
func (d *ReadCounts) Add(o ReadCounts) {
	d.Tests, d.Told = d.Tests+o.Tests, d.Told+o.Told
	d.Refused, d.Unsaid = append(d.Refused, o.Refused...), append(d.Unsaid, o.Unsaid...)
}

// Read sends one question and puts the answer into the book. Tests whose picks were all refused are sent once more. A
// question or an answer that is too long for the model is cut in two. After any other error the remaining tests are
// unchanged.
func (r *modelReader) Read(ctx context.Context, b *Book, q ReadingTask) (ReadCounts, error) {
	var done ReadCounts
	for todo := []ReadingTask{q}; len(todo) > 0; {
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
		t := b.take(&q, picks, by)
		done.Add(t.ReadCounts)
		if t.Again != nil {
			todo = append([]ReadingTask{*t.Again}, todo...)
		}
	}
	return done, nil
}

// found returns whether the search finds a memory for each test of a question with all memories; nil: unknown.
func (r *modelReader) found(q *ReadingTask) []bool {
	if r.Found == nil || !q.all {
		return nil
	}
	out := make([]bool, len(q.In.Tests))
	for i := range q.In.Tests {
		t := &q.In.Tests[i]
		out[i] = r.Found(&UpcomingTest{Prompt: t.Prompt, Product: t.Product})
	}
	return out
}

// ask returns the picks of a readable answer.
func (r *modelReader) ask(ctx context.Context, q *ReadingTask) ([]prompts.BriefPick, ReaderInfo, error) {
	request, err := r.Request(q)
	if err != nil {
		return nil, ReaderInfo{}, err
	}
	picks, a, err := llm.AskFor(ctx, r.Model, request, q.In.Read)
	if err != nil {
		return nil, ReaderInfo{}, err
	}
	return picks, ReaderInfo{By: cmp.Or(a.Model, r.Name), At: r.Now().UTC(), Template: request.Name}, nil
}
