package memtree

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Query describes a run that is about to begin. Only Prompt is required; everything below Lang is advanced.
type Query struct {
	Prompt      string     // the task of the agent
	Scene       tree.Scene // where in the product
	Scope       tree.Scope // which product, suite and test
	Observation string     // what can be seen now: an ARIA snapshot as Playwright writes it, or the page's text
	Lang        string     // "zh" or "en" for the guidance; "": the prompt's

	Agent        tree.Agent       // the agent, for the ledger
	RunID        string           // id of the run; "": guidance is never withheld at random
	Holdout      *effect.Holdout  // replaces Options.Holdout, for example for a suite
	Limits       retrieval.Limits // how many memories of each level, and the least confidence
	Exclude      []string         // node ids that must not be used
	ExcludeTests []string         // test cases whose memories must not be used
	Step         string           // the next step within a run; the search uses it too
	StepNumber   int              // from 1
	Trial        string           // Guidance.Trial of an earlier step of this run; this answer is added to that trial
	Findings     bool             // give findings of other builds too; Options.Findings does so for all queries
	Read         time.Duration    // if no model has read this test yet, wait up to this long for one
	Budget       int              // most tokens of the text; 0: by the length of the prompt
	Quarantined  bool             // for Explain: search only waiting imports
	As           []tree.Node      // for Explain: answer as if the tree contained these nodes, such as drafts
}

// Check returns an error that names the first invalid field.
func (q *Query) Check() error {
	e := tree.Evaluation{
		Prompt: q.Prompt, Scene: q.Scene, Scope: q.Scope, Observation: q.Observation, Agent: q.Agent, RunID: q.RunID,
		Trial: q.Trial, Judgment: tree.Raw(`"-"`),
	}
	return e.Check()
}

// Guidance answers a Query: a block of text for the prompt, or nothing.
type Guidance struct {
	Trial     string             `json:"trial"`              // hand it back in Evaluation.Trial; "" if none was recorded
	Abstained bool               `json:"abstained"`          // nothing fits, or nothing that fits may be shown
	Arm       ledger.Arm         `json:"arm,omitempty"`      // the arm of the run; "" without RunID or if nothing fits
	Withheld  effect.Withheld    `json:"withheld,omitempty"` // why guidance is withheld although memories fit
	Text      string             `json:"text"`               // the fenced block; "" when memory abstains
	Hash      string             `json:"hash"`               // hash of Text
	Wording   string             `json:"wording,omitempty"`  // name of the wording, for the ledger
	Items     []enhance.Item     `json:"items"`              // the memories in Text, then the facts about the product
	Facts     []enhance.ToldFact `json:"facts,omitempty"`    // what Query.Observation shows of remembered misses
	Nearest   *enhance.Item      `json:"nearest"`            // the nearest memory, and why Text omits it, if so; nil: none
	Unformed  int                `json:"unformed,omitempty"` // if nothing fits: number of runs that are not formed yet
	Note      string             `json:"note,omitempty"`     // what did not work as it should have
}

// Enhance returns prompt unchanged, followed by the guidance, if any.
func (g Guidance) Enhance(prompt string) string {
	return enhance.Place(prompt, g.Text, enhance.Append)
}

// Explanation is a guidance together with every memory that was considered.
type Explanation struct {
	Guidance
	Considered []enhance.Considered  // best first, with why it was taken or left
	FactsGiven []knowledge.FoundFact // facts about the product that fit
	FactsNear  []knowledge.FoundFact // facts about the product that came near, with why they are not given
	Undecided  []enhance.ToldFact    // what Query.Observation does not settle, and why
	Brief      *brief.Brief          // the brief of this test; nil: it was not read
}

// Guide returns guidance for a run that is about to begin. It takes at most Options.Deadline; with Query.Read it may
// first wait that long for a language model. Writers do not delay it. After an error, Enhance of the returned Guidance
// returns the prompt unchanged.
func (m *Memory) Guide(ctx context.Context, q Query) (Guidance, error) {
	if err := m.mayGuide(&q); err != nil {
		return Guidance{}, fmt.Errorf("guide: %w", err)
	}
	m.briefs.ReadNow(ctx, brief.TestOf(q.Prompt, q.Scene, q.Scope), q.Read)
	began := m.opts.Now()
	ctx, cancel := context.WithTimeout(ctx, m.opts.Deadline)
	defer cancel()
	x, err := m.answer(ctx, &q, m.asking(&q))
	var s share
	if err == nil {
		s, err = m.draw(ctx, &q, &x.Explanation)
	}
	var of eligible
	if err == nil {
		of, err = m.give(ctx, &q, &x, s)
	}
	if err != nil {
		m.counts.guideFailures.Add(1)
		return Guidance{}, fmt.Errorf("guide: %w", err)
	}
	m.keepTrial(&q, &x.Guidance, of, s, began)
	m.noteSeen(&q, began)
	return x.Guidance, nil
}

// mayGuide returns why Guide does not answer a query, before anything is asked or searched.
func (m *Memory) mayGuide(q *Query) error {
	if err := m.admit(q); err != nil {
		m.counts.guideFailures.Add(1)
		return err
	}
	if q.Holdout != nil {
		if err := q.Holdout.Check(); err != nil {
			return err
		}
	}
	if field := q.onlyExplained(); field != "" {
		return &tree.FieldError{Field: field, Problem: "is for Explain; it is no part of guidance"}
	}
	return nil
}

// admit returns why a query has no answer: the memory is closed, there is no prompt, or a text is longer than that of
// an evaluation. Of a long prompt it keeps what a memory holds of one, so that the test is recognized, and the rest
// does not delay a run.
func (m *Memory) admit(q *Query) error {
	select {
	case <-m.closed:
		return store.ErrClosed
	default:
	}
	if q.Prompt == "" {
		return &tree.FieldError{Field: "prompt", Problem: "is missing; say what the agent will be asked"}
	}
	for _, f := range []struct{ name, text string }{
		{"prompt", q.Prompt}, {"step", q.Step}, {"observation", q.Observation},
	} {
		if len(f.text) > tree.MaxField {
			return tree.CheckText(f.name, f.text, tree.MaxField)
		}
	}
	q.Prompt, q.Step = text.ClipBytes(q.Prompt, tree.MaxNodeText), text.ClipBytes(q.Step, tree.MaxNodeText)
	return nil
}

// Explain returns guidance, and why. It draws and records nothing. Advanced.
func (m *Memory) Explain(ctx context.Context, q Query) (Explanation, error) {
	x, err := m.explain(ctx, &q)
	if err == nil {
		err = x.write(&x.draft)
	}
	if err != nil {
		return Explanation{}, fmt.Errorf("explain: %w", err)
	}
	return x.Explanation, nil
}

func (m *Memory) explain(ctx context.Context, q *Query) (x pendingExplanation, err error) {
	if err = m.admit(q); err != nil {
		return x, err
	}
	ctx, ask, err := m.explaining(ctx, q)
	if err != nil {
		return x, err
	}
	x, err = m.answer(ctx, q, ask)
	s := m.passes(errorTypes(&x.Explanation))
	if err != nil || q.onlyExplained() != "" || !s.all && len(s.closed) == 0 {
		return x, err
	}
	if s.all {
		s.closed = errorTypes(&x.Explanation)
	}
	return m.compose(ctx, q, x.found, s.closed)
}

// onlyExplained returns the name of a field that only Explain accepts, "" if none is set.
func (q *Query) onlyExplained() string {
	switch {
	case q.Quarantined:
		return "quarantined"
	case len(q.As) > 0:
		return "as"
	}
	return ""
}

// explaining returns the search of Explain: in the index, in the waiting imports, or in a fork of the index that knows
// the nodes of Query.As, which the returned context holds for the door.
func (m *Memory) explaining(ctx context.Context, q *Query) (context.Context, core.Asking, error) {
	if q.onlyExplained() == "" {
		return ctx, (*retrieval.Index).Explain, nil
	}
	if err := m.core.Latest(ctx); err != nil {
		return ctx, nil, err
	}
	ix, err := m.core.Index().Fork(), error(nil)
	if q.Quarantined {
		ix, err = m.core.Quarantine(ctx)
	}
	if err == nil && len(q.As) > 0 {
		err = ix.Update(ctx, ix.Version(), q.As)
	}
	as := make(map[string]*tree.Node, len(q.As))
	for i := range q.As {
		as[q.As[i].ID] = &q.As[i]
	}
	return core.WithNodes(ctx, as), func(
		_ *retrieval.Index, ctx context.Context, q retrieval.Query,
	) (retrieval.Result, error) {
		return ix.Explain(ctx, q)
	}, err
}

// found is what a search found for a query, before a text is made of it.
type found struct {
	retrieval.Result
	test  *askedTest
	why   reasons      // the picks of a reader
	brief *brief.Brief // nil: the test was not read
	facts []enhance.ObservedFact
}

// pendingExplanation is an explanation whose text is not written yet.
type pendingExplanation struct {
	Explanation
	found *found
	draft enhance.Draft
}

// write writes the text of a draft.
func (g *Guidance) write(d *enhance.Draft) error {
	b, err := d.Write()
	g.Text, g.Hash, g.Wording = b.Text, b.Hash, b.Wording
	return err
}

// answer is the common part of Guide and Explain: what a search finds, or a reader has picked, and the text of it.
func (m *Memory) answer(ctx context.Context, q *Query, ask core.Asking) (x pendingExplanation, err error) {
	f, err := m.find(ctx, q, q.Limits, ask)
	if err != nil {
		return x, err
	}
	if f.why, f.brief, err = m.applyBrief(ctx, q, &f.Result, f.test); err != nil {
		return x, err
	}
	return m.compose(ctx, q, f, nil)
}

// find searches the index, and compares the memories of this page with the observation.
func (m *Memory) find(ctx context.Context, q *Query, most retrieval.Limits, ask core.Asking) (f *found, err error) {
	f = &found{}
	f.Result, f.test, err = m.searchHeeding(ctx, retrieval.Query{
		Prompt: q.Prompt, Step: q.Step, Lang: q.Lang, Scene: q.Scene, Scope: q.Scope,
		Exclude: q.Exclude, ExcludeTests: q.ExcludeTests, Now: m.opts.Now(), Limits: most,
	}, ask)
	if err != nil {
		return nil, err
	}
	look := enhance.Observation{Observation: q.Observation, Prompt: q.Prompt, Step: q.Step, Test: q.Scope.Test}
	f.facts, err = m.holdCases(ctx, &look, f.Here, f.test)
	return f, err
}

// compose chooses the content of the text from what was found, and gives the reasons why the rest is not in it. It
// excludes memories of the closed error types. It does not change f.
func (m *Memory) compose(ctx context.Context, q *Query, f *found, closed []string) (x pendingExplanation, err error) {
	x = pendingExplanation{found: f}
	x.Note, x.Brief = f.Note, f.brief
	if !slices.Contains(closed, ledger.OfFacts) {
		x.FactsGiven, x.FactsNear = m.factsFor(ctx, q, f.test)
	}
	open := *f
	open.facts = slices.DeleteFunc(slices.Clone(f.facts), func(o enhance.ObservedFact) bool {
		return slices.Contains(closed, o.Type)
	})
	var dropped []enhance.Drop
	if x.draft, dropped, err = m.choose(ctx, q, &open, x.FactsGiven, closed, &x.Guidance); err != nil {
		return x, err
	}
	for i := range f.Considered {
		h := &f.Considered[i]
		x.Considered = append(x.Considered, enhance.Considered{Hit: *h, Left: enhance.WhyLeft(h, x.Items, dropped)})
	}
	x.Undecided = enhance.Told(slices.DeleteFunc(open.facts,
		func(f enhance.ObservedFact) bool { return f.State != fact.Unknown }))
	x.Nearest = x.nearest(&f.Result, dropped)
	if x.Abstained {
		x.Unformed = m.unformed(ctx)
	}
	return x, nil
}

// nearest returns the memory that came nearest to being given, nil for none. If retrieval took memories but none of
// them is in the text, it is the first of these.
func (g *Guidance) nearest(r *retrieval.Result, dropped []enhance.Drop) *enhance.Item {
	h := r.Nearest
	if g.Abstained && len(r.Hits) > 0 {
		h = &r.Hits[0]
	}
	if h == nil {
		return nil
	}
	near := enhance.NewItem(h)
	near.Omission = enhance.WhyLeft(h, g.Items, dropped)
	return &near
}

// unformed returns the number of recorded runs that are not formed yet, so that no answer includes them. It is 0 if
// the store cannot report it.
func (m *Memory) unformed(ctx context.Context) int {
	info, err := m.store.Info(ctx)
	if err != nil {
		return 0
	}
	return info.Outbox
}

// choose chooses the content of the text from the hits and facts, and records it in to. It returns the hits that are
// omitted, with reasons. A hit whose node is gone is omitted without one.
func (m *Memory) choose(
	ctx context.Context, q *Query, f *found, known []knowledge.FoundFact, closed []string, to *Guidance,
) (d enhance.Draft, left []enhance.Drop, err error) {
	r, a, read := &f.Result, f.test, f.why
	ids := make([]string, len(r.Hits))
	byID := make(map[string]*retrieval.Hit, len(r.Hits))
	for i := range r.Hits {
		ids[i], byID[r.Hits[i].ID] = r.Hits[i].ID, &r.Hits[i]
	}
	nodes, err := m.givenAll(ctx, ids, a)
	if err != nil {
		return d, nil, err
	}
	nodes, held := holdBack(nodes, q, a, closed, read)
	to.Items = []enhance.Item{}
	d, err = enhance.Choose(nodes, enhance.Options{
		Lang: q.Lang, Prompt: q.Prompt, Words: m.words, Facts: f.facts, Asked: r.Asked, Here: r.Here,
		Own: a.cases(nodes), Refused: m.core.Refused(),
		Product: q.Scope.Product, Build: q.Scope.Build, Findings: m.opts.Findings || q.Findings, Seen: q.Observation,
		Say: read.sayings(), Known: toldKnown(known), Whole: q.Budget,
	})
	if err != nil {
		return d, nil, err
	}
	for _, id := range d.IDs {
		to.Items = append(to.Items, enhance.NewItem(byID[id]))
	}
	read.sign(to.Items, r.Hits)
	for _, k := range d.Known {
		i := slices.IndexFunc(known, func(f knowledge.FoundFact) bool { return f.ID == k.ID })
		to.Items = append(to.Items, factItem(&known[i]))
	}
	to.Facts, to.Abstained = enhance.Told(d.Facts), d.Empty()
	if n := a.crowdedOut(nodes, d.Dropped); n > 0 {
		to.Note = text.Append(to.Note, fmt.Sprintf(taxonomy.Text{
			EN: "Lessons taught for this test that have no room: %d.", ZH: "为这个用例教过、但放不下的经验：%d 条。",
		}.In(q.Lang), n))
	}
	return d, append(held, d.Dropped...), nil
}

// holdCases compares the misses of the cases with the ids here with the observation of look.
func (m *Memory) holdCases(
	ctx context.Context, look *enhance.Observation, here []string, a *askedTest,
) ([]enhance.ObservedFact, error) {
	if look.Observation == "" {
		return nil, nil
	}
	cases, err := m.givenAll(ctx, here, a)
	if err != nil {
		return nil, err
	}
	return look.Hold(cases), nil
}
