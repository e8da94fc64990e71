package brief

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Tests that were neither announced nor run for this long are no longer coming tests.
const (
	comingFor  = 30 * 24 * time.Hour // Read without tests reads those seen within it
	forgetTest = 90 * 24 * time.Hour // after it the book drops a test
)

// Options connects Briefs with a memory. All functions but Sync are required.
type Options struct {
	Book     func() *Book                                  // returns the present Book
	Model    llm.Generator                                 // the reader; nil: only ReadOptions.Reader reads
	Name     string                                        // name of Model, if its answers do not report one
	Now      func() time.Time                              // returns the present time
	ReadOnly bool                                          // Expect and Read fail, but not a dry run
	Formed   func(context.Context) error                   // waits until recorded runs have become cases
	Memories func(context.Context) ([]Material, error)     // returns the memories and facts in use
	Near     func(context.Context, *UpcomingTest) []string // ids that the search finds for a test, nearest first
	Found    func(context.Context, *UpcomingTest) bool     // whether the search finds a memory for a test
	Hidden   func(product string) bool                     // whether no model may read tests of the product
	Clean    func(string) string                           // removes secrets from a prompt
	Save     func(context.Context, time.Duration)          // saves the book, unless it was saved within the duration
	Failed   func(error)                                   // receives the error of a model in ReadNow, for a log
	Sync     func(context.Context) error                   // reads what other processes saved; nil: there are no others
}

// Briefs has a model read the coming tests of a memory in advance, and puts its picks into a Book. Its methods are
// safe for concurrent use.
type Briefs struct {
	a    Options
	turn *semaphore.Weighted // one Read at a time
}

// NewBriefs returns Briefs with the options a.
func NewBriefs(a Options) *Briefs { return &Briefs{a: a, turn: semaphore.NewWeighted(1)} }

// ReadOptions sets the limits of a Read. Nil and the zero value set none.
type ReadOptions struct {
	meter.Reading
	Fresh    bool             // only tests without a usable brief
	Progress func(ReadResult) // called after every question, one call at a time; may be nil
}

// ReadResult is what a Read did, or with DryRun would do.
type ReadResult struct {
	Tests    int `json:"tests"`    // tests in the questions
	Memories int `json:"memories"` // memories in one question, at most
	meter.ReadUsage
	ReadCounts
	Left int       `json:"left"`          // tests whose question got no answer; the next Read asks again
	Why  string    `json:"why,omitempty"` // why a question got no answer, the last reason
	Book BookStats `json:"book"`          // the book afterwards
}

// Read asks a model which memories fit each test, before the tests run. Guidance then uses these memories, in the
// test's own terms. For each test Read asks only about memories that were not considered for it yet. Without tests it
// reads those that were announced or run in the last 30 days. A question without an answer is no error, see
// ReadResult.Left. If Read ends early, it keeps the answers so far. Without a model the error is an llm.Error of
// KindNotSet, except with DryRun.
func (s *Briefs) Read(ctx context.Context, tests []UpcomingTest, o *ReadOptions) (ReadResult, error) {
	o = cmp.Or(o, &ReadOptions{})
	out, err := s.read(ctx, tests, o)
	if err != nil {
		return out, fmt.Errorf("brief: %w", err)
	}
	return out, nil
}

// Expect announces tests that will run, so that a Read without tests reads them.
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

// Sync joins the book with the books that other processes of a shared tree have saved, see Join, and saves the result.
// It does nothing if there are no others.
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

// Known counts the coming tests.
func (s *Briefs) Known() BookStats { return s.a.Book().Known() }

// Picked returns, by the id of a memory or fact, the number of coming tests for which a reader picked it.
func (s *Briefs) Picked() map[string]int { return s.a.Book().Picked() }

// Coming returns the coming tests with their briefs, as Book.List does.
func (s *Briefs) Coming() []Brief { return s.a.Book().List() }

// Prompts returns the prompts of the coming tests of a product, "" for all products, by test id, or by prompt for a
// test without an id.
func (s *Briefs) Prompts(product string) map[string]string {
	out := map[string]string{}
	for _, b := range s.Coming() {
		if product == "" || b.UpcomingTest.Product == product {
			out[cmp.Or(b.UpcomingTest.ID, b.UpcomingTest.Prompt)] = b.UpcomingTest.Prompt
		}
	}
	return out
}

// Note adds test t to the book, as announced or run at the time at. The book stores its prompt without secrets.
func (s *Briefs) Note(t UpcomingTest, at time.Time) error {
	t.Seen = at.UTC()
	return s.a.Book().Note(t, s.a.Clean(t.Prompt))
}

// NoteRuns adds the tests of recorded runs, because a test that ran will run again. The prompts of es must have no
// secrets.
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

// ReadNow asks the model about test t just before its run, if the book has no usable brief for it, and waits at most
// the duration most. An error of the model goes to Options.Failed.
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
	if _, err := s.reader(ctx, nil).Read(ctx, book, questions[0]); err != nil {
		s.a.Failed(err)
	}
}

// reader returns a reader with the model of the memory, or the given one in its place.
func (s *Briefs) reader(ctx context.Context, model llm.Generator) *modelReader {
	r := &modelReader{
		Model: model, Now: s.a.Now,
		Found: func(t *UpcomingTest) bool { return s.a.Found(ctx, t) },
	}
	if model == nil {
		r.Model, r.Name = s.a.Model, s.a.Name
	}
	return r
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
	return book, book.Plan(tests, QuestionLimits{}, func(t *UpcomingTest) []string { return s.a.Near(ctx, t) }), nil
}
