package memtree

// A reader, mostly a model, picks the memories that fit coming tests ahead of the runs. Its picks for a test are a
// brief. Guide reads it from the book, so a run waits for no model.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// Tests that were not named for this long are no longer coming tests.
const (
	briefsFor  = 30 * 24 * time.Hour // Brief without tests reads those named within it
	forgetTest = 90 * 24 * time.Hour // after it the book drops a test
)

// seenTest is a test of a query, and the time.
type seenTest struct {
	prompt string
	scene  tree.Scene
	scope  tree.Scope
	at     time.Time
}

// BriefOptions bounds a Brief. With nil or the zero value a Brief reads all unread tests.
type BriefOptions struct {
	DryRun   bool            // call no model, write nothing: Calls, Usage and Cost are estimated
	MaxCalls *int            // of the model; nil: no bound
	MaxCost  *float64        // of the calls, by Price; nil: no bound
	Price    evolution.Price // of the model's tokens
	Limits   brief.Limits    // the size of one question
	Fresh    bool            // only tests for which nothing was read yet
	Reader   llm.Generator   // replaces Options.Generator, for example an agent that reads by itself
	Progress func(Briefed)   // called after every question; may be nil
}

// Briefed is the result of a Brief, or its estimate.
type Briefed struct {
	Tests    int       `json:"tests"`    // tests with unread memories
	Memories int       `json:"memories"` // memories to consider for them, at most
	Calls    int       `json:"calls"`
	Usage    llm.Usage `json:"usage"`
	Cost     float64   `json:"-"`
	brief.Result
	Left int         `json:"left"` // tests whose question got no answer; the next Brief continues with them
	Why  string      `json:"why,omitempty"`
	Book brief.Known `json:"book"` // the present state
}

// Brief has a model read tests before they run and pick the memories that fit each, so that Guide can give these, in
// the test's own terms. It reads only what is new: tests that were not read yet, and memories added since. Without
// tests it reads those that were queried or recorded in the last 30 days. If it is cut short, it keeps what was read.
// Without a model the error is llm.KindNotSet.
func (m *Memory) Brief(ctx context.Context, tests []brief.Test, o *BriefOptions) (Briefed, error) {
	if o == nil {
		o = &BriefOptions{}
	}
	if m.opts.ReadOnly && !o.DryRun {
		return Briefed{}, fmt.Errorf("brief: %w", tree.ErrReadOnly)
	}
	if m.halt == nil && o.Reader == nil && !o.DryRun {
		return Briefed{}, fmt.Errorf("brief: %w", &llm.Error{Kind: llm.KindNotSet, Err: errors.New("no model is configured")})
	}
	if err := m.waitFormed(ctx); err != nil {
		return Briefed{}, fmt.Errorf("brief: %w", err)
	}
	if err := m.briefing.Acquire(ctx, 1); err != nil {
		return Briefed{}, fmt.Errorf("brief: %w", err)
	}
	defer m.briefing.Release(1)
	out, err := m.brief(ctx, tests, o)
	if err != nil {
		return out, fmt.Errorf("brief: %w", err)
	}
	return out, nil
}

// Expect adds tests that will be run, so that a Brief without tests reads them. Advanced.
func (m *Memory) Expect(tests []brief.Test) error {
	if m.opts.ReadOnly {
		return fmt.Errorf("expect: %w", tree.ErrReadOnly)
	}
	for i := range tests {
		if err := m.noteTest(tests[i], m.opts.Now()); err != nil {
			return fmt.Errorf("expect: %w", err)
		}
	}
	return nil
}

// Briefs returns what is known of coming tests. Advanced.
func (m *Memory) Briefs() brief.Known { return m.learned.briefs.Book().Known() }

// Coming returns the coming tests with their briefs, those with a memory first. Advanced.
func (m *Memory) Coming() []brief.Brief { return m.learned.briefs.Book().List() }

// brief is Brief for the caller that holds the turn.
func (m *Memory) brief(ctx context.Context, tests []brief.Test, o *BriefOptions) (Briefed, error) {
	book, questions, err := m.openQuestions(ctx, tests, o)
	if err != nil {
		return Briefed{}, err
	}
	out := Briefed{}
	for i := range questions {
		t, n := questions[i].Size()
		out.Tests, out.Memories = out.Tests+t, max(out.Memories, n)
	}
	set, err := prompts.Load(nil)
	if err != nil {
		return out, err
	}
	reader := &brief.Reader{Prompts: set, Model: o.Reader, Now: m.opts.Now, Found: m.found(ctx)}
	if o.Reader == nil && m.halt != nil {
		reader.Model, reader.Name = m.halt, llm.NameOf(m.opts.Generator)
	}
	if o.DryRun {
		err = estimateBriefs(reader, questions, o, &out)
	} else {
		err = m.askBriefs(ctx, book, reader, questions, o, &out)
		m.learned.SaveBoxes(context.WithoutCancel(ctx), 0, m.learned.briefs)
		m.saveAsked(ctx)
	}
	out.Book = book.Known()
	return out, err
}

// openQuestions adds the tests to the book, or to a copy of it for a dry run, updates it to the live memories, and
// returns the open questions.
func (m *Memory) openQuestions(
	ctx context.Context, tests []brief.Test, o *BriefOptions,
) (*brief.Book, []brief.Question, error) {
	book, now := m.learned.briefs.Book(), m.opts.Now().UTC()
	if o.DryRun {
		book = book.Clone()
	}
	for i := range tests {
		t := tests[i]
		t.Seen = now
		clean, _ := formation.RedactText(t.Prompt)
		if err := book.Note(t, clean); err != nil {
			return nil, nil, err
		}
	}
	if len(tests) == 0 {
		tests = book.Since(now.Add(-briefsFor))
	}
	tests = slices.DeleteFunc(slices.Clone(tests), func(t brief.Test) bool { return m.taxonomy.WithoutModel(t.Product) })
	if o.Fresh {
		tests = slices.DeleteFunc(tests, func(t brief.Test) bool { _, read := book.Find(&t); return read })
	}
	var nodes []tree.Node
	for n, err := range m.core.Trusted().Scan(ctx, tree.Filter{}) {
		if err != nil {
			return nil, nil, err
		}
		if given := m.core.Refused().Heed(&n); n.Live() && given != nil {
			nodes = append(nodes, *given)
		}
	}
	facts, err := m.factLines(ctx)
	if err != nil {
		return nil, nil, err
	}
	book.Learn(append(brief.Memories(nodes, m.taxonomy.WithoutModel), facts...))
	book.Forget(now.Add(-forgetTest))
	return book, book.Plan(tests, o.Limits, m.nearTest(ctx)), nil
}

// nearCandidates is the number of memories that the sieve of a large tree returns for one test.
const nearCandidates = 12

// nearTest returns the sieve of large trees: the memories and facts that the search finds.
func (m *Memory) nearTest(ctx context.Context) brief.Sieve {
	return func(t *brief.Test) []string {
		q := retrieval.Query{Prompt: t.Prompt, Limits: retrieval.Limits{Candidates: nearCandidates}}
		r, err := m.core.Index().Explain(ctx, q)
		if err != nil {
			return nil
		}
		ids := make([]string, len(r.Considered))
		for i := range r.Considered {
			ids[i] = r.Considered[i].ID
		}
		return append(ids, m.factsNear(t)...)
	}
}

// found returns a function that reports whether the search finds a memory for a test.
func (m *Memory) found(ctx context.Context) func(t *brief.Test) bool {
	return func(t *brief.Test) bool {
		q := retrieval.Query{Prompt: t.Prompt, Scope: tree.Scope{Product: t.Product}, Now: m.opts.Now()}
		r, _, err := m.searchHeeding(ctx, q, (*retrieval.Index).Search)
		return err == nil && !r.Abstained
	}
}

// estimateBriefs adds up the cost of the questions.
func estimateBriefs(r *brief.Reader, questions []brief.Question, o *BriefOptions, out *Briefed) error {
	for i := range questions {
		request, err := r.Request(&questions[i])
		if err != nil {
			return err
		}
		out.Calls++
		out.Usage = out.Usage.Add(meter.Estimate(request))
	}
	out.Cost = o.Price.Of(out.Usage)
	return nil
}

// briefsAtOnce is the number of concurrent calls of a model.
const briefsAtOnce = 4

// saveBriefsEvery is how often the book is saved while it is read.
const saveBriefsEvery = 30 * time.Second

// askBriefs sends the questions, briefsAtOnce at a time. It stops after mostInRow consecutive ones without an answer.
func (m *Memory) askBriefs(
	ctx context.Context, book *brief.Book, r *brief.Reader, questions []brief.Question, o *BriefOptions, out *Briefed,
) error {
	of := meter.New(r.Model, meter.Options{
		Calls: o.MaxCalls, Cost: o.MaxCost, Price: o.Price.Of, InRow: mostInRow,
	})
	r.Model = of
	var (
		mu     sync.Mutex
		asking sync.WaitGroup
	)
	places := make(chan struct{}, briefsAtOnce)
	for i := range questions {
		places <- struct{}{}
		if ctx.Err() != nil || of.Full() {
			for _, q := range questions[i:] {
				t, _ := q.Size()
				out.Left += t
			}
			break
		}
		asking.Go(func() {
			defer func() { <-places }()
			done, err := r.Read(ctx, book, questions[i])
			mu.Lock()
			defer mu.Unlock()
			out.Add(done)
			if err != nil {
				t, _ := questions[i].Size()
				out.Left += max(0, t-done.Tests)
				out.Why = err.Error()
			}
			spent := of.Total()
			out.Calls, out.Usage = spent.Calls, spent.Usage
			m.learned.SaveBoxes(ctx, saveBriefsEvery, m.learned.briefs)
			if o.Progress != nil {
				o.Progress(*out)
			}
		})
	}
	asking.Wait()
	spent := of.Total()
	out.Calls, out.Usage, out.Cost = spent.Calls, spent.Usage, o.Price.Of(spent.Usage)
	slices.Sort(out.Refused)
	slices.Sort(out.Unsaid)
	return ctx.Err()
}

// noteRuns adds the tests of recorded runs: a test that ran will run again.
func (m *Memory) noteRuns(es []tree.Evaluation) {
	for i := range es {
		e := &es[i]
		scope := e.Scope
		scope.Test = cmp.Or(scope.Test, e.CaseID)
		t := brief.TestOf(e.Prompt, e.Scene, scope)
		t.Seen = e.At.UTC()
		if err := m.learned.briefs.Book().Note(t, t.Prompt); err != nil { // evaluations in the outbox have no secrets
			m.opts.Logger.Debug("a test was not noted", "error", err)
			return
		}
	}
}

// noteSeenTest adds a test of a query to the book.
func (m *Memory) noteSeenTest(x seenTest) {
	if err := m.noteTest(brief.TestOf(x.prompt, x.scene, x.scope), x.at); err != nil {
		m.opts.Logger.Debug("a test was not noted", "error", err)
	}
}

// noteTest adds a test to the book.
func (m *Memory) noteTest(t brief.Test, at time.Time) error {
	t.Seen = at.UTC()
	clean, _ := formation.RedactText(t.Prompt)
	return m.learned.briefs.Book().Note(t, clean)
}
