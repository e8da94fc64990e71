package brief

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Tests that were not named for this long are no longer coming tests.
const (
	comingFor  = 30 * 24 * time.Hour // Read without tests reads those named within it
	forgetTest = 90 * 24 * time.Hour // after it the book drops a test
)

// Options is what Briefs need of a memory.
type Options struct {
	Book     func() *Book  // the present one
	Model    llm.Generator // nil: only ReadOptions.Reader reads
	Name     string        // of the model, if it does not report its own
	Now      func() time.Time
	ReadOnly bool
	Formed   func(context.Context) error                   // waits until recorded runs are cases
	Memories func(context.Context) ([]Material, error)     // the live ones
	Near     func(context.Context, *UpcomingTest) []string // ids that the search finds, for a tree with many memories
	Found    func(context.Context, *UpcomingTest) bool     // the search finds a memory for a test
	Hidden   func(product string) bool                     // no model may read tests of the product
	Clean    func(string) string                           // removes secrets
	Save     func(context.Context, time.Duration)          // saves the book, if that was not done for so long
	Failed   func(error)                                   // receives a failure that stopped nothing
	Sync     func(context.Context) error                   // brings in what other processes saved; nil: there are none
}

// Briefs are the briefs of a memory. Its methods are safe for concurrent use.
type Briefs struct {
	a    Options
	turn *semaphore.Weighted // one Read at a time
}

// NewBriefs returns the briefs of a memory.
func NewBriefs(a Options) *Briefs { return &Briefs{a: a, turn: semaphore.NewWeighted(1)} }

// ReadOptions bounds a Read. With nil or the zero value a Read reads all unread tests.
type ReadOptions struct {
	DryRun   bool             // call no model, write nothing: Calls, Usage and Cost are estimated
	MaxCalls *int             // of the model; nil: no bound
	MaxCost  *float64         // of the calls, by Price; nil: no bound
	Price    meter.Price      // of the model's tokens
	Limits   QuestionLimits   // the size of one question
	Fresh    bool             // only tests for which nothing was read yet
	Reader   llm.Generator    // replaces the model, for example an agent that reads by itself
	Progress func(ReadResult) // called after every question; may be nil
}

// ReadResult is the result of a Read, or its estimate.
type ReadResult struct {
	Tests    int       `json:"tests"`    // tests with unread memories
	Memories int       `json:"memories"` // memories to consider for them, at most
	Calls    int       `json:"calls"`
	Usage    llm.Usage `json:"usage"`
	Cost     float64   `json:"-"`
	ReadCounts
	Left int       `json:"left"` // tests whose question got no answer; the next Read continues with them
	Why  string    `json:"why,omitempty"`
	Book BookStats `json:"book"` // the present state
}

// Read has a model read tests before they run and pick the memories that fit each, so that guidance can give these, in
// the test's own terms. It reads only what is new: tests that were not read yet, and memories added since. Without
// tests it reads those that were queried or recorded in the last 30 days. If it is cut short, it keeps what was read.
// Without a model the error is llm.KindNotSet.
func (s *Briefs) Read(ctx context.Context, tests []UpcomingTest, o *ReadOptions) (ReadResult, error) {
	if o == nil {
		o = &ReadOptions{}
	}
	out, err := s.read(ctx, tests, o)
	if err != nil {
		return out, fmt.Errorf("brief: %w", err)
	}
	return out, nil
}

// Expect adds tests that will be run, so that a Read without tests reads them.
func (s *Briefs) Expect(tests []UpcomingTest) error {
	if s.a.ReadOnly {
		return fmt.Errorf("expect: %w", store.ErrReadOnly)
	}
	for i := range tests {
		if err := s.Note(tests[i], s.a.Now()); err != nil {
			return fmt.Errorf("expect: %w", err)
		}
	}
	return nil
}

// Sync brings in the tests that other processes of a shared tree know of, and what they have read, and saves what
// they do not have.
func (s *Briefs) Sync(ctx context.Context) error {
	if s.a.Sync == nil {
		return nil
	}
	if err := s.a.Sync(ctx); err != nil {
		return fmt.Errorf("bring in briefs: %w", err)
	}
	s.a.Save(ctx, 0)
	return nil
}

// Known returns what is known of the coming tests.
func (s *Briefs) Known() BookStats { return s.a.Book().Known() }

// Picked returns, for each memory, the number of known tests for which a reader picked it.
func (s *Briefs) Picked() map[string]int { return s.a.Book().Picked() }

// Coming returns the coming tests with their briefs, those with a memory first.
func (s *Briefs) Coming() []Brief { return s.a.Book().List() }

// Prompts returns the prompts of the coming tests of a product by their ids, or by themselves where they have none; of
// all products for "".
func (s *Briefs) Prompts(product string) map[string]string {
	out := map[string]string{}
	for _, b := range s.Coming() {
		if product == "" || b.UpcomingTest.Product == product {
			out[cmp.Or(b.UpcomingTest.ID, b.UpcomingTest.Prompt)] = b.UpcomingTest.Prompt
		}
	}
	return out
}

// Note adds a test that was named at a time.
func (s *Briefs) Note(t UpcomingTest, at time.Time) error {
	t.Seen = at.UTC()
	return s.a.Book().Note(t, s.a.Clean(t.Prompt))
}

// NoteRuns adds the tests of recorded runs, which have no secrets any more: a test that ran will run again.
func (s *Briefs) NoteRuns(es []tree.Evaluation) error {
	for i := range es {
		e := &es[i]
		scope := e.Scope
		scope.Test = cmp.Or(scope.Test, e.CaseID)
		t := TestOf(e.Prompt, e.Scene, scope)
		t.Seen = e.At.UTC()
		if err := s.a.Book().Note(t, t.Prompt); err != nil {
			return err
		}
	}
	return nil
}

// ReadNow has the model read one test that was not read yet, for at most the given time, before its run.
func (s *Briefs) ReadNow(ctx context.Context, t UpcomingTest, most time.Duration) {
	_, known := s.a.Book().Find(&t)
	if most <= 0 || known || s.a.Model == nil || s.a.ReadOnly || s.a.Hidden(t.Product) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if s.Note(t, s.a.Now()) != nil {
		return
	}
	book, questions, err := s.open(ctx, []UpcomingTest{t}, &ReadOptions{})
	if err != nil || len(questions) == 0 {
		return
	}
	r, err := s.reader(ctx, nil)
	if err == nil {
		_, err = r.Read(ctx, book, questions[0])
	}
	if err != nil {
		s.a.Failed(err)
	}
}

// reader returns a reader with the model of the memory, or the given one in its place.
func (s *Briefs) reader(ctx context.Context, model llm.Generator) (*modelReader, error) {
	set, err := prompts.Load(nil)
	if err != nil {
		return nil, err
	}
	r := &modelReader{
		Prompts: set, Model: model, Now: s.a.Now,
		Found: func(t *UpcomingTest) bool { return s.a.Found(ctx, t) },
	}
	if model == nil {
		r.Model, r.Name = s.a.Model, s.a.Name
	}
	return r, nil
}

// open adds the tests to the book, or to a copy of it for a dry run, updates it to the live memories, and returns the
// open questions.
func (s *Briefs) open(ctx context.Context, tests []UpcomingTest, o *ReadOptions) (*Book, []ReadingTask, error) {
	book, now := s.a.Book(), s.a.Now().UTC()
	if o.DryRun {
		book = book.Clone()
	}
	for i := range tests {
		t := tests[i]
		t.Seen = now
		if err := book.Note(t, s.a.Clean(t.Prompt)); err != nil {
			return nil, nil, err
		}
	}
	if len(tests) == 0 {
		tests = book.Since(now.Add(-comingFor))
	}
	tests = slices.DeleteFunc(slices.Clone(tests), func(t UpcomingTest) bool { return s.a.Hidden(t.Product) })
	if o.Fresh {
		tests = slices.DeleteFunc(tests, func(t UpcomingTest) bool { _, read := book.Find(&t); return read })
	}
	memories, err := s.a.Memories(ctx)
	if err != nil {
		return nil, nil, err
	}
	book.Learn(memories)
	book.Forget(now.Add(-forgetTest))
	return book, book.Plan(tests, o.Limits, func(t *UpcomingTest) []string { return s.a.Near(ctx, t) }), nil
}

var errNoModel = &llm.Error{Kind: llm.KindNotSet, Err: errors.New("no model is configured")}
