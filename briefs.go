package memtree

// A reader, mostly a model, says ahead of the runs which memories fit which coming tests. What it
// said is a brief. Guide takes it from the book, so a run waits for no model.

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

// Tests that were not named for so long are no coming tests any more.
const (
	briefsFor  = 30 * 24 * time.Hour // Brief without tests reads those named within it
	forgetTest = 90 * 24 * time.Hour // after it the book forgets a test
)

// seenTest is a test that was asked about, and when.
type seenTest struct {
	prompt string
	scene  tree.Scene
	scope  tree.Scope
	at     time.Time
}

// BriefOptions bound what Brief does. Nil, and the zero value, read all that is open.
type BriefOptions struct {
	DryRun   bool            // ask no model, write nothing: Calls, Usage and Cost are estimated
	MaxCalls *int            // of the model; nil: no bound
	MaxCost  *float64        // of the calls, by Price; nil: no bound
	Price    evolution.Price // of the model's tokens
	Limits   brief.Limits    // how much is asked in one question
	Fresh    bool            // only tests for which nothing was read yet
	Reader   llm.Generator   // in place of Options.Generator, such as an agent that reads by itself
	Progress func(Briefed)   // told after every question; nil: nobody
}

// Briefed is what Brief did, or would do.
type Briefed struct {
	Tests    int       `json:"tests"`    // tests that something was to be read for
	Memories int       `json:"memories"` // memories that were to be considered for them, at most
	Calls    int       `json:"calls"`
	Usage    llm.Usage `json:"usage"`
	Cost     float64   `json:"-"`
	brief.Result
	Left int         `json:"left"` // tests whose question came to no answer; the next Brief goes on with them
	Why  string      `json:"why,omitempty"`
	Book brief.Known `json:"book"` // what is known now
}

// Brief has a model read tests before they run and say which memories fit each, so that Guide can
// give these, in the words of the test. Only what is new is read: tests that were not read yet, and
// memories that came since. Without tests it reads those that were asked for or recorded in the
// last 30 days. Cut short it keeps what was read. Without a model it is llm.KindNotSet.
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

// Expect notes tests that will be run, so that a Brief without tests reads them. Advanced.
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

// Briefs says what is known of coming tests. Advanced.
func (m *Memory) Briefs() brief.Known { return m.learned.briefs.Book().Known() }

// Coming returns the coming tests with what was read of them, those with a memory first. Advanced.
func (m *Memory) Coming() []brief.Brief { return m.learned.briefs.Book().List() }

// brief is Brief for whoever has the turn.
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

// openQuestions notes the tests in the book, or in a copy of it for a dry run, tells it the live
// memories, and returns what is to be read.
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
	book.Learn(brief.Memories(nodes, m.taxonomy.WithoutModel))
	book.Forget(now.Add(-forgetTest))
	return book, book.Plan(tests, o.Limits, m.nearTest(ctx)), nil
}

// nearCandidates is how many memories the sieve of a large tree takes for one test.
const nearCandidates = 12

// nearTest returns the sieve of large trees: what words, meaning and checks bring near.
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
		return ids
	}
}

// found returns whether words, meaning or checks find a memory for a test.
func (m *Memory) found(ctx context.Context) func(t *brief.Test) bool {
	return func(t *brief.Test) bool {
		q := retrieval.Query{Prompt: t.Prompt, Scope: tree.Scope{Product: t.Product}, Now: m.opts.Now()}
		r, _, err := m.searchHeeding(ctx, q, (*retrieval.Index).Search)
		return err == nil && !r.Abstained
	}
}

// estimateBriefs adds up what the questions will take.
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

// briefsAtOnce is how many questions a model is asked at the same time.
const briefsAtOnce = 4

// saveBriefsEvery is how often the book is saved while it is read.
const saveBriefsEvery = 30 * time.Second

// askBriefs asks the questions, briefsAtOnce at a time. It stops after mostInRow that came to no answer.
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

// noteRuns notes the tests of recorded runs: what ran will run again.
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

// noteSeenTest notes a test that Guide was asked about.
func (m *Memory) noteSeenTest(x seenTest) {
	if err := m.noteTest(brief.TestOf(x.prompt, x.scene, x.scope), x.at); err != nil {
		m.opts.Logger.Debug("a test was not noted", "error", err)
	}
}

// noteTest notes a test in the book.
func (m *Memory) noteTest(t brief.Test, at time.Time) error {
	t.Seen = at.UTC()
	clean, _ := formation.RedactText(t.Prompt)
	return m.learned.briefs.Book().Note(t, clean)
}
