package memtree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// Wrap returns a function like run that puts guidance into the prompt, calls run, and has the result judged and
// recorded in the background. The ground truth is not passed to run. If memory fails, the run continues without it.
func Wrap(m *Memory, run harness.RunTest, opts *harness.WrapOptions) harness.RunTest {
	if opts != nil && !m.opts.ReadOnly {
		if o, err := opts.Correct.Check(); err == nil && o.Do != ledger.Flag {
			m.learned.corrections.At(o.Above, o.Since) // followed before a run needs it
			core.Poke(m.learned.verdicts)
		}
	}
	return m.harness.Wrap(run, opts)
}

// Correct decides what to do about a judgment that is likely to be wrong, and writes that to the ledger. nil: nothing
// to do. Advanced.
func (m *Memory) Correct(ctx context.Context, e Evaluation, o harness.CorrectOptions) (*ledger.Correction, error) {
	return m.harness.Correct(ctx, e, o)
}

// harnessed is a memory as a harness needs it.
type harnessed struct{ m *Memory }

func (h harnessed) Guide(ctx context.Context, t *harness.Test, holdout *effect.Holdout) (harness.Advice, error) {
	q := queryOf(t)
	q.Holdout = holdout
	g, err := h.m.Guide(ctx, q)
	if err != nil {
		return harness.Advice{}, err
	}
	return harness.Advice{Text: g.Text, Trial: g.Trial, Arm: g.Arm, IDs: idsIn(&g)}, nil
}

// queryOf is the query for a test.
func queryOf(t *harness.Test) Query {
	return Query{
		Prompt: t.Prompt, Observation: t.Observation, Scene: t.Scene, Scope: t.Scope, Agent: t.Agent, RunID: t.RunID,
	}
}

func (h harnessed) GuideWith(ctx context.Context, t *harness.Test, ids []string) (string, error) {
	m, q := h.m, queryOf(t)
	all := ledger.MaxGiven // the failure itself may be a memory by now, and must not displace another
	f, err := m.find(ctx, &q, retrieval.Limits{Total: all, Strategies: all, Experiences: all, Cases: all},
		(*retrieval.Index).Search)
	if err != nil {
		return "", err
	}
	f.Hits = slices.DeleteFunc(slices.Clone(f.Hits), func(x retrieval.Hit) bool { return !slices.Contains(ids, x.ID) })
	f.facts = slices.DeleteFunc(f.facts, func(x enhance.ObservedFact) bool { return !slices.Contains(ids, x.ID) })
	known, _ := m.factsFor(ctx, &q, f.test)
	known = slices.DeleteFunc(known, func(k knowledge.FoundFact) bool { return !slices.Contains(ids, k.ID) })
	var g Guidance
	d, _, err := m.choose(ctx, &q, f, known, nil, &g)
	if err != nil {
		return "", err
	}
	now := idsIn(&g)
	for _, id := range ids {
		if !slices.Contains(now, id) {
			return "", fmt.Errorf("memory %s is not given any more", id)
		}
	}
	err = g.write(&d)
	return g.Text, err
}

func (h harnessed) Risk(ctx context.Context, e tree.Evaluation) (risk.Risk, error) {
	return h.m.Risk(ctx, e)
}

func (h harnessed) Look(ctx context.Context, e tree.Evaluation) error {
	_, err := h.m.looks.Read(ctx, []tree.Evaluation{e}, look.Options{})
	if llm.KindOf(err) == llm.KindNotSet {
		return nil // no reader: the risk is as it is without one
	}
	return err //nolint:wrapcheck // it names itself
}

func (h harnessed) Quoted(e tree.Evaluation) (point, quote string) {
	l, _ := h.m.looks.Of(e)
	return l.Quoted()
}

func (h harnessed) Record(ctx context.Context, e tree.Evaluation) error { return h.m.Record(ctx, e) }

func (h harnessed) Stopped(ctx context.Context, o harness.CorrectOptions) (stopped bool, err error) {
	l := h.m.learned
	c, others := l.corrections.At(o.Above, o.Since)
	if err := l.Drop(ctx, others...); err != nil {
		return false, err
	}
	err = l.View(ctx, func() { stopped = c.Stopped(o.Do) }, c)
	return stopped, err
}

func (h harnessed) TakenBack(ctx context.Context, key string) (back bool, err error) {
	l := h.m.learned
	c, others := l.corrections.At(0, time.Time{}) // a person's decision holds at any bound
	if err := l.Drop(ctx, others...); err != nil {
		return false, err
	}
	err = l.View(ctx, func() { back = c.TakenBack(key) }, c)
	return back, err
}

func (h harnessed) Write(ctx context.Context, e ledger.Entry) error {
	select {
	case h.m.trials <- e:
		return nil
	default:
	}
	select {
	case h.m.trials <- e:
		return nil
	case <-time.After(h.m.opts.Deadline):
		return errors.New("the ledger cannot keep up")
	case <-ctx.Done():
		return ctx.Err()
	}
}
