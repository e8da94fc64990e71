package memtree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// formBatch is the number of evaluations that are formed on one view of the tree and committed
// together.
const formBatch = 256

// formSome leases evaluations from the outbox, at most formBatch, and forms them. It returns how many it finished.
// After an error the others are in the outbox again.
func (m *Memory) formSome(ctx context.Context) (done int, err error) {
	es, err := m.store.Lease(ctx, formBatch)
	if err != nil || len(es) == 0 {
		return 0, err
	}
	detected := m.detect(ctx, es)
	for done < len(es) && err == nil {
		some := detected[done : done+m.share(detected[done:])]
		if err = m.former.Read(ctx, m.newPlan(), runsOf(some)); err == nil {
			err = m.core.UntilFresh(func() error { return m.formBatch(ctx, some) })
		}
		if err == nil {
			done += len(some)
		}
	}
	if err == nil {
		return done, nil
	}
	keys := make([]string, 0, len(es)-done)
	for i := range es[done:] {
		keys = append(keys, es[done+i].Key())
	}
	return done, errors.Join(err, m.store.Release(context.WithoutCancel(ctx), keys))
}

// detected is an evaluation after detection, or the error.
type detected struct {
	e   *tree.Evaluation
	run *formation.Run // nil with an error
	err error
}

// atOnce is the number of evaluations that are detected concurrently.
const atOnce = 4

// detect detects for each evaluation whether its verdict was wrong. It may call a model.
func (m *Memory) detect(ctx context.Context, es []tree.Evaluation) []detected {
	out := make([]detected, len(es))
	var looking sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i := range es {
		places <- struct{}{}
		looking.Go(func() {
			defer func() { <-places }()
			run, err := m.former.Detect(ctx, es[i])
			out[i] = detected{&es[i], run, err}
		})
	}
	looking.Wait()
	return out
}

// share returns how many of the first evaluations are read and committed together. A model is slow, and its answers
// cost money, so they are committed often.
func (m *Memory) share(all []detected) int {
	if m.halt == nil {
		return len(all)
	}
	wrong := 0
	for i := range all {
		if all[i].run == nil || !all[i].run.Wrong() {
			continue
		}
		if wrong++; wrong > formation.MaxReads {
			return i
		}
	}
	return len(all)
}

func runsOf(all []detected) []*formation.Run {
	runs := make([]*formation.Run, 0, len(all))
	for i := range all {
		if all[i].run != nil {
			runs = append(runs, all[i].run)
		}
	}
	return runs
}

// formBatch inserts evaluations in order and applies the results in one batch. An evaluation that can never be formed
// becomes a dead letter.
func (m *Memory) formBatch(ctx context.Context, some []detected) error {
	view := m.newPlan()
	var b tree.Batch
	es := make([]tree.Evaluation, 0, len(some))
	all := make([]formation.Formed, 0, len(some))
	for i := range some {
		e, err := *some[i].e, some[i].err
		var formed formation.Formed
		if err == nil {
			formed, err = m.former.Insert(ctx, view, some[i].run)
		}
		if err != nil {
			if !unusable(err) {
				return fmt.Errorf("form %s: %w", e.Key(), err)
			}
			b.Dead = append(b.Dead, tree.DeadLetter{Evaluation: e, Why: err.Error()})
			continue
		}
		m.warn(&e, formed.ModelErr)
		es, all = append(es, e), append(all, formed)
		view.add(formed.Changes)
		b.Changes = append(b.Changes, formed.Changes...)
		b.Done = append(b.Done, e.Key())
		noteTruth(&e, &formed.Verdict)
		b.Entries = append(b.Entries, tree.Entry{At: e.At, Verdict: &formed.Verdict})
		if formed.Outcome != nil {
			b.Entries = append(b.Entries, tree.Entry{At: e.At, Outcome: formed.Outcome})
		}
	}
	var err error
	if b.Changes, err = m.core.Displace(ctx, b.Changes); err != nil {
		return err
	}
	m.noting.Lock()
	defer m.noting.Unlock()
	if err := m.core.Apply(ctx, b); err != nil {
		return err
	}
	m.noteFormed(all)
	m.noteRuns(es)
	m.putUnlabelled(es, all)
	m.outbox.count(all)
	return nil
}

// warn logs that a model that may answer later did not.
func (m *Memory) warn(e *tree.Evaluation, err error) {
	var failed *llm.Error
	if errors.As(err, &failed) && failed.Retryable() {
		m.opts.Logger.Warn("the model did not answer, the rules analyst did", "evaluation", e.Key(), "error", err)
	}
}

// noteTruth adds to a labelled verdict the features that package risk learns from, and whether the other verdict would
// have been right. A later attempt under one trial is a consequence of the first one's risk, so no risk is learned
// from it.
func noteTruth(e *tree.Evaluation, v *tree.Verdict) {
	if !v.Labelled {
		return
	}
	if e.Trial == "" || e.Attempt <= 1 {
		f := risk.Extract(e)
		v.Features = f.Encode()
	}
	if !v.Correct {
		v.Mends, _ = judgment.OppositeRight(e, false)
	}
}

// unusable reports whether the evaluation itself is invalid, so that forming it would fail again.
func unusable(err error) bool {
	var f *tree.FieldError
	return errors.As(err, &f)
}

// formingPlan is the view of the tree on which a batch is formed: the nodes of the store, replaced by those that the
// batch has changed so far. So the result does not depend on where one batch ends and the next begins.
type formingPlan struct {
	m     *Memory
	nodes map[string]tree.Node
	order []string // the ids of nodes, in order of arrival
}

// newPlan returns the view of a batch without changes.
func (m *Memory) newPlan() *formingPlan {
	return &formingPlan{m: m, nodes: map[string]tree.Node{}}
}

// add applies changes to the view.
func (p *formingPlan) add(changes []tree.Change) {
	for _, c := range changes {
		if _, ok := p.nodes[c.Node.ID]; !ok {
			p.order = append(p.order, c.Node.ID)
		}
		p.nodes[c.Node.ID] = c.Node
	}
}

// Get returns a node in its state after the changes so far.
func (p *formingPlan) Get(ctx context.Context, id string) (tree.Node, error) {
	if n, ok := p.nodes[id]; ok {
		return n, nil
	}
	return p.m.core.Trusted().Get(ctx, id)
}

// nearOverlap is the minimum token similarity at which a case is read as a possible near-duplicate. It is low enough
// that texts with nine in ten 5-grams in common are above it.
const nearOverlap = 0.6

// Similar returns the cases of which n may be one more occurrence: the up to k cases of n's error type, direction and
// scene with the most similar tokens, all such cases of the batch, and the cases of n's test.
func (p *formingPlan) Similar(ctx context.Context, n *tree.Node, k int) ([]tree.Node, error) {
	var out []tree.Node
	ix := p.m.core.Index()
	near, err := ix.Similar(n, k, nearOverlap)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	same, err := ix.OfTest(n.CaseData.TestCase.CaseID)
	if err != nil {
		return nil, fmt.Errorf("similar: %w", err)
	}
	ids := make([]string, 0, len(near)+len(same))
	for _, h := range near {
		ids = append(ids, h.ID)
	}
	for _, id := range same {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if _, ok := p.nodes[id]; ok {
			continue // it is added below, in the form changed by the batch
		}
		node, err := p.m.store.Get(ctx, id)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, node)
	}
	for _, id := range p.order {
		x := p.nodes[id]
		alike := x.ErrorType == n.ErrorType && x.Scene.ID == n.Scene.ID
		id := n.CaseData.TestCase.CaseID
		test := x.CaseData != nil && id != "" && x.CaseData.TestCase.CaseID == id
		if x.Type == tree.Case && x.Direction == n.Direction && (alike || test) {
			out = append(out, x)
		}
	}
	return out, nil
}
