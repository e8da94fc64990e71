package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/embed"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func judged(e *tree.Evaluation) effect.RunLabel {
	v := formation.Detect(e)
	return effect.RunLabel{Labelled: v.Labelled, Correct: v.Correct, Direction: v.Direction}
}

// memorySubject is memtree as replay measures it. It has its own store in memory. A query records no trial and has the
// time of its run, and the run before it is formed first.
type memorySubject struct {
	mem      *memtree.Memory
	limits   retrieval.Limits
	findings bool         // include earlier findings in guidance
	embedder llm.Embedder // nil: the built-in encoder
	now      time.Time
}

func (r *memorySubject) open(ctx context.Context) error {
	o := memtree.Options{InMemory: true, Deadline: access.Patient, Findings: r.findings, Embedder: r.embedder,
		Now: func() time.Time { return r.now }}
	var err error
	r.mem, err = memtree.Open(ctx, "", &o)
	return err
}

func (*memorySubject) Name() string { return "memtree" }

func (r *memorySubject) Ask(ctx context.Context, e *tree.Evaluation) (effect.ReplayAnswer, error) {
	if e.At.After(r.now) {
		r.now = e.At
	}
	x, err := r.mem.Explain(ctx, memtree.Query{
		Prompt: e.Prompt, Scene: e.Scene, Scope: e.Scope, Agent: e.Agent, RunID: e.RunID, Limits: r.limits,
	})
	if err != nil {
		return effect.ReplayAnswer{}, err
	}
	a := effect.ReplayAnswer{Guided: !x.Abstained}
	if x.Nearest != nil {
		a.Score = x.Nearest.Score
	}
	for _, it := range x.Items {
		a.Score = max(a.Score, it.Score)
		i := effect.ReplayWarning{Direction: it.Direction}
		if err := r.scenes(ctx, it.ID, map[string]bool{}, &i.Scenes); err != nil {
			return effect.ReplayAnswer{}, err
		}
		a.Items = append(a.Items, i)
	}
	return a, nil
}

// scenes collects the scenes of the cases that support a memory. A lesson has a scene of its own only if all its
// cases share one, so it also visits the children and the cited cases.
func (r *memorySubject) scenes(ctx context.Context, id string, seen map[string]bool, to *[]tree.Scene) error {
	if seen[id] {
		return nil
	}
	seen[id] = true
	n, err := r.mem.Tree().Get(ctx, id)
	if err != nil {
		return err
	}
	if n.Type == tree.Case {
		*to = append(*to, n.Scene)
		return nil
	}
	below := slices.Clone(n.Children)
	for i := range n.Content.Lessons {
		below = append(below, n.Content.Lessons[i].Cites...)
	}
	for _, id := range below {
		if err := r.scenes(ctx, id, seen, to); err != nil {
			return err
		}
	}
	return nil
}

func (r *memorySubject) Learn(ctx context.Context, e *tree.Evaluation, _ effect.RunLabel) error {
	told := *e
	told.Trial = "" // the trial belongs to another store
	if err := r.mem.Record(ctx, told); err != nil {
		return err
	}
	return r.mem.Wait(ctx)
}

// predictor is a memorySubject that also predicts how likely each verdict is to be wrong.
type predictor struct {
	memorySubject
	plain *effect.Nearest     // the nearest wrong case, for comparison
	next  effect.Prediction   // for the run of the last query
	about predicted           // that prediction with its reasons
	told  []effect.Prediction // for the labelled runs
	said  []predicted         // those predictions with their reasons
}

// predicted is a predicted risk and the outcome.
type predicted struct {
	risky
	wrong bool
	way   taxonomy.Direction // direction of the mistake, if it was wrong
}

func (r *predictor) Ask(ctx context.Context, e *tree.Evaluation) (effect.ReplayAnswer, error) {
	a, err := r.memorySubject.Ask(ctx, e)
	if err != nil {
		return a, err
	}
	x, err := r.mem.Risk(ctx, *e)
	if err != nil {
		return a, err
	}
	near, err := r.plain.Ask(ctx, e)
	if err != nil {
		return a, err
	}
	r.about = predicted{risky: risky{Evaluation: e.Key(), CaseID: e.CaseID, Risk: x, prompt: e.Prompt}}
	r.next = effect.Prediction{
		P: x.P, Order: x.Order, Base: x.Base, Enough: x.Enough, Near: near.Score, Case: cmp.Or(e.CaseID, e.Prompt),
	}
	return a, nil
}

func (r *predictor) Learn(ctx context.Context, e *tree.Evaluation, v effect.RunLabel) error {
	if v.Labelled {
		if right, known := judgment.OppositeRight(e, v.Correct); known {
			r.next.Other = &right
		}
		r.next.Wrong, r.about.wrong, r.about.way = v.Wrong(), v.Wrong(), v.Direction
		r.told = append(r.told, r.next)
		r.said = append(r.said, r.about)
	}
	if err := r.plain.Learn(ctx, e, v); err != nil {
		return err
	}
	return r.memorySubject.Learn(ctx, e, v)
}

// embedders are the embedders of a replay: the built-in encoder, or the configured embedding model.
var embedders = []string{"encoder", "model"}

// replayEmbedder returns the embedder of a replay, nil for the built-in encoder. A model embeds the prompts of all
// runs, each once, before anything is measured: a result with part of the vectors would mean nothing.
func replayEmbedder(ctx context.Context, a *app, stream []tree.Evaluation, which string) (llm.Embedder, error) {
	if which == embedders[0] {
		return nil, nil
	}
	m, err := a.model.Embedder()
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, a.Fail(nil, "--embedder model needs an embedding model; set MEMTREE_LLM_EMBED_MODEL, "+
			"and `memtree llm check` says whether it answers")
	}
	e := embed.NewCache(m, func(s string) string {
		s, _ = formation.RedactText(s)
		return s
	})
	prompts := make([]string, len(stream))
	for i := range stream {
		prompts[i] = stream[i].Prompt
	}
	bar := a.Progress(a.Say("embedding"), say.Count)
	defer bar.End()
	done := 0
	for some := range slices.Chunk(prompts, 64) {
		if _, err := e.Embed(ctx, some); err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("embed: %w", ctx.Err())
			}
			return nil, a.Fail(err, "the embedding model failed, so nothing was measured: %s", err)
		}
		done += len(some)
		bar.Step(int64(done), int64(len(prompts)))
	}
	return e, nil
}
