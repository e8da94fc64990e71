package memtree

// Every run that requests guidance is a trial. What it is given is drawn at random, so that runs with memory can be
// compared with runs without.

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// share is what a run is given, and the probabilities with which that was drawn.
type share struct {
	arm     ledger.Arm
	chances effect.Chances
	closed  []string // error types whose memories the breaker holds back
	all     bool     // the breaker holds everything back
}

// draw decides what a run is given of x. The draw is a hash of run, test and the id of the tree: a retry has the same
// result, and the draw can be reproduced. A query without a run id is not a run: nothing is drawn for it, but the
// breaker applies. A later step of a run is in the arm of the first.
func (m *Memory) draw(ctx context.Context, q *Query, x *Explanation) (share, error) {
	types := errorTypes(x)
	if len(types) == 0 || q.RunID == "" || q.Trial != "" {
		s := m.passes(types)
		var err error
		if q.Trial != "" {
			s.arm, err = m.armOf(ctx, q.Trial)
		}
		return s, err
	}
	h := m.opts.Holdout
	if q.Holdout != nil {
		h = q.Holdout
	}
	d := m.learned.brake.Decide(types, *h)
	arms := map[effect.Treatment]ledger.Arm{
		effect.Memory: ledger.ArmMemory, effect.Other: ledger.ArmOther, effect.None: ledger.ArmHoldout,
	}
	return share{
		arm: arms[effect.DrawArm(q.drawn(), m.origin.ID, d.Chances)], chances: d.Chances, closed: d.Blocked,
		all: d.All,
	}, nil
}

// drawn returns the unit of the draw: a test in a run.
func (q *Query) drawn() string { return tree.Hash(q.RunID, cmp.Or(q.Scope.Test, q.Prompt)) }

// passes returns what the breaker allows of memories of the error types, without a draw.
func (m *Memory) passes(types []string) share {
	s := share{arm: ledger.ArmMemory, chances: effect.Chances{Memory: 1}}
	s.closed, s.all = m.learned.brake.Blocked(types)
	if s.all && len(types) > 0 {
		s.arm, s.chances = ledger.ArmHoldout, effect.Chances{}
	}
	return s
}

// errorTypes returns the error types of the content of x, sorted.
func errorTypes(x *Explanation) []string {
	var out []string
	for i := range x.Items {
		out = append(out, x.Items[i].ErrorType)
	}
	for i := range x.Facts {
		if !x.Facts[i].Silent {
			out = append(out, x.Facts[i].ErrorType)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// armOf returns the arm of a trial: of those that were drawn here lately, or are among the last entries of the ledger.
// An unknown trial is in the arm of memory.
func (m *Memory) armOf(ctx context.Context, trial string) (ledger.Arm, error) {
	if arm, ok := m.drawn.arm(trial); ok {
		return arm, nil
	}
	info, err := m.store.Info(ctx)
	if err != nil {
		return "", err
	}
	for e, err := range m.store.Ledger(ctx, info.Entries-min(info.Entries, lateEntries)) {
		if err != nil {
			return "", fmt.Errorf("read the ledger: %w", err)
		}
		if e.Trial != nil && e.Trial.ID == trial {
			m.drawn.add(trial, e.Trial.Arm)
			return e.Trial.Arm, nil
		}
	}
	return ledger.ArmMemory, nil
}

// The steps of a run come within this many trials of this process, and within this many entries of the ledger if
// another process answers them.
const (
	lateTrials  = 1 << 16
	lateEntries = 1 << 12
)

// latestArms holds the arms of the latest trials. The zero value is ready.
type latestArms struct {
	mu   sync.Mutex
	arms map[string]ledger.Arm
	ids  []string // oldest first
}

func (d *latestArms) arm(trial string) (ledger.Arm, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	arm, ok := d.arms[trial]
	return arm, ok
}

func (d *latestArms) add(trial string, arm ledger.Arm) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.arms == nil {
		d.arms = map[string]ledger.Arm{}
	}
	if _, ok := d.arms[trial]; !ok {
		d.ids = append(d.ids, trial)
	}
	d.arms[trial] = arm
	if len(d.ids) > lateTrials {
		delete(d.arms, d.ids[0])
		d.ids = d.ids[1:]
	}
}

// eligible is what a run could have been given: the ids of memories, and how the first was found.
type eligible struct {
	ids []string
	by  enhance.By
}

// give reduces x to what the run is given, and returns everything it could have been given.
func (m *Memory) give(ctx context.Context, q *Query, x *pendingExplanation, s share) (of eligible, err error) {
	of.ids = idsIn(&x.Guidance)
	if len(x.Items) > 0 {
		of.by = x.Items[0].By
	}
	switch {
	case len(of.ids) == 0:
	case s.all:
		x.Guidance = withheld(&x.Guidance, effect.ByBreaker)
	case s.arm == ledger.ArmHoldout:
		x.Guidance = withheld(&x.Guidance, effect.ByChance)
	case s.arm == ledger.ArmOther:
		other, err := m.otherMemories(ctx, q, of.ids)
		if err != nil {
			return of, err
		}
		x.Guidance = other
	default:
		if len(s.closed) > 0 {
			if *x, err = m.compose(ctx, q, x.found, s.closed); err != nil {
				return of, err
			}
		}
		err = x.write(&x.draft)
	}
	if q.RunID != "" && len(of.ids) > 0 {
		x.Arm = s.arm
	}
	return of, err
}

// withheld returns guidance without its memories.
func withheld(g *Guidance, why effect.Withheld) Guidance {
	return Guidance{Abstained: true, Items: []enhance.Item{}, Withheld: why, Note: g.Note}
}

// otherMemories writes guidance of as many memories as were found, drawn at random.
func (m *Memory) otherMemories(ctx context.Context, q *Query, found []string) (Guidance, error) {
	var g Guidance
	ids, err := m.core.Index().Sample(len(found), tree.Hash(q.RunID, q.Prompt), found)
	if err != nil {
		return g, err
	}
	nodes, err := m.core.ReadAll(ctx, ids)
	if err != nil {
		return g, err
	}
	b, err := enhance.Write(nodes, enhance.Options{
		Lang: q.Lang, Prompt: q.Prompt, Words: m.words, Refused: m.core.Refused(),
	})
	if err != nil {
		return g, err
	}
	g = Guidance{Text: b.Text, Hash: b.Hash, Wording: b.Wording, Items: []enhance.Item{}, Abstained: len(b.IDs) == 0}
	for i := range nodes {
		if n := &nodes[i]; slices.Contains(b.IDs, n.ID) {
			g.Items = append(g.Items, enhance.Item{ID: n.ID, Type: n.Type, ErrorType: n.ErrorType, Direction: n.Direction})
		}
	}
	return g, nil
}

// idsIn returns the ids of the memories in a guidance, those of facts last.
func idsIn(g *Guidance) []string {
	var ids []string
	for _, it := range g.Items {
		ids = append(ids, it.ID)
	}
	for _, f := range g.Facts {
		if !f.Silent && !slices.Contains(ids, f.Memory) {
			ids = append(ids, f.Memory)
		}
	}
	return ids
}

// trialCount makes the ids of trials with one query and one time distinct.
var trialCount atomic.Uint64

// keepTrial sets the trial of g and passes its entry to the worker that writes the ledger. It
// does not wait: if the queue is full, the entry is lost and g has no trial.
func (m *Memory) keepTrial(q *Query, g *Guidance, of eligible, s share, began time.Time) {
	if m.opts.ReadOnly {
		return
	}
	at := m.opts.Now()
	var injected []ledger.Injection
	for i, id := range idsIn(g) {
		injected = append(injected, ledger.Injection{ID: id, Rank: i + 1, Step: q.StepNumber})
	}
	e := ledger.Entry{At: at}
	if q.Trial != "" {
		g.Trial = q.Trial
		e.Step = &ledger.Step{Trial: q.Trial, Injected: injected, Guidance: g.Hash, Wording: g.Wording}
	} else {
		query := q.digest()
		g.Trial = "t_" + tree.Hash(query, at.UTC().Format(time.RFC3339Nano), strconv.FormatUint(trialCount.Add(1), 10))
		e.Trial = &ledger.Trial{
			ID: g.Trial, At: at, Query: query, Scene: q.Scene, Scope: q.Scope, Agent: q.Agent, Run: q.RunID != "", Arm: s.arm,
			P: s.chances.Memory, Other: s.chances.Other, Eligible: of.ids, Found: string(of.by), Injected: injected,
			Guidance: g.Hash, Wording: g.Wording, Took: max(0, float64(at.Sub(began).Round(10*time.Microsecond))/1e6),
		}
	}
	select {
	case m.trials <- e:
		if e.Trial != nil {
			m.drawn.add(g.Trial, s.arm)
		}
	default:
		g.Trial = ""
		m.counts.trialsLost.Add(1)
	}
}

// digest returns a hash of the query, so that the ledger can distinguish queries without their texts.
func (q *Query) digest() string {
	return tree.Hash(q.Prompt, q.Step, q.Scene.ID, q.Scene.Type, tree.Route(q.Scene.Route),
		q.Scope.Product, q.Scope.Suite, q.Scope.Test)
}

// asking returns the search of Guide: for one run in ten it also finds the best of the memories that were quarantined
// for their effect, so that it can clear itself.
func (m *Memory) asking(q *Query) core.Asking {
	ask := (*retrieval.Index).Search
	if q.RunID == "" || q.Trial != "" || !effect.Probes(q.drawn(), m.origin.ID) {
		return ask
	}
	return func(ix *retrieval.Index, ctx context.Context, rq retrieval.Query) (retrieval.Result, error) {
		r, err := ask(ix, ctx, rq)
		if err != nil {
			return r, err
		}
		probe, err := m.core.Probe(ctx, rq)
		if probe != nil {
			r.Hits = append(r.Hits, *probe)
		}
		return r, err
	}
}
