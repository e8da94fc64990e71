package memtree

// Risk says which verdicts are likely to be wrong before their truth is known. Its model is
// derived data: it is learned from the ledger, saved beside the store, and learned anew
// whenever the saved one cannot be used.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// riskName is the name of the model among a store's derived data.
const riskName = "risk"

// risks is the model, and how much of the ledger it has learned.
type risks struct {
	wake  chan struct{} // wakes the worker that learns
	turn  chan struct{} // holds one token; who has taken it may use the fields below, like a lock that ctx ends
	model *risk.Model   // nil until it is needed
	seq   uint64        // number of the last entry of the ledger that was learned
	saved uint64        // the same for the model on disk
	times uint64        // how often the model became another

	scores *scores // of runs that wait; it has a lock of its own
}

// scores are risks that hold as long as neither the model nor a memory changes.
type scores struct {
	mu sync.Mutex
	at [2]uint64 // what they were made with: the model and the memories
	of map[string]risk.Risk
}

// scored is Risk for runs that wait: it is asked for many of them, again and again.
func (m *Memory) scored(ctx context.Context, runs []Unlabelled) error {
	now := [2]uint64{0, m.changed.Load()}
	if err := m.withRisks(ctx, func(*risk.Model) { now[0] = m.risks.times }); err != nil {
		return err
	}
	for i := range runs {
		e := &runs[i].Evaluation
		r, ok := m.risks.scores.get(now, e.ID)
		if !ok {
			var err error
			if r, err = m.Risk(ctx, *e); err != nil {
				return err
			}
			m.risks.scores.put(now, e.ID, &r)
		}
		runs[i].Risk = r
	}
	return nil
}

func (s *scores) get(at [2]uint64, id string) (risk.Risk, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at != at || s.of == nil {
		s.at, s.of = at, map[string]risk.Risk{}
	}
	r, ok := s.of[id]
	return r, ok
}

func (s *scores) put(at [2]uint64, id string, r *risk.Risk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == at && s.of != nil {
		s.of[id] = *r
	}
}

// newRisks returns risks without a model, and the token in its place.
func newRisks() risks {
	r := risks{wake: make(chan struct{}, 1), turn: make(chan struct{}, 1), scores: &scores{}}
	r.turn <- struct{}{}
	return r
}

// Risk says how likely a judgment is to be wrong before its truth is known, and why; or
// that past errors do not predict it. Advanced.
func (m *Memory) Risk(ctx context.Context, e Evaluation) (risk.Risk, error) {
	if err := e.Check(); err != nil {
		return risk.Risk{}, fmt.Errorf("risk: %w", err)
	}
	e.Identify() // as Record does, so that the model knows an evaluation that it learned from
	clean, _ := formation.Redact(e)
	seen, err := m.observeFacts(ctx, &clean)
	if err != nil {
		return risk.Risk{}, fmt.Errorf("risk: %w", err)
	}
	var r risk.Risk
	if err := m.withRisks(ctx, func(model *risk.Model) { r = model.Score(&clean) }); err != nil {
		return risk.Risk{}, fmt.Errorf("risk: %w", err)
	}
	return r.Given(&clean, seen), nil
}

// observeFacts counts what the observation of a verdict shows of remembered misses: how many
// of them are still wrong, how many hold, and of which memories.
func (m *Memory) observeFacts(ctx context.Context, e *Evaluation) (out risk.Seen, err error) {
	if e.Observation == "" || m.index.Load().Stats().Nodes == 0 {
		return out, nil
	}
	scope := e.Scope
	if scope.Test == "" {
		scope.Test = e.CaseID
	}
	q := retrieval.Query{Prompt: e.Prompt, Scene: e.Scene, Scope: scope}
	r, err := m.searchIndex(ctx, q, (*retrieval.Index).Search)
	if err != nil {
		return out, err
	}
	held, err := m.holdCases(ctx, &enhance.Look{Observation: e.Observation, Prompt: e.Prompt, Test: scope.Test}, r.Here)
	for _, f := range held {
		if f.Aside {
			continue
		}
		switch f.State {
		case fact.Broken:
			out.Broken++
		case fact.Holds:
			out.Holds++
		default:
			continue
		}
		if !slices.Contains(out.Memories, f.ID) {
			out.Memories = append(out.Memories, f.ID)
		}
	}
	return out, err
}

// withRisks calls use with the model, which has learned the whole ledger by then. It holds the
// token meanwhile, so use must be short and must not ask for risks itself. There is no other
// way to the model: a purge drops it at any time.
func (m *Memory) withRisks(ctx context.Context, use func(*risk.Model)) error {
	select {
	case <-m.risks.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { m.risks.turn <- struct{}{} }()
	if err := m.learnRisks(ctx); err != nil {
		return err
	}
	use(m.risks.model)
	return nil
}

// learnRisks learns what the ledger has beyond the model. It loads the model first if need be.
// The caller has the token.
func (m *Memory) learnRisks(ctx context.Context) error {
	if m.risks.model == nil {
		if err := m.loadRisks(ctx); err != nil {
			return err
		}
	}
	info, err := m.store.Info(ctx)
	if err != nil || info.Entries == m.risks.seq {
		return err
	}
	said, err := m.retold(ctx)
	if err != nil {
		return err
	}
	for entry, err := range m.store.Ledger(ctx, m.risks.seq) {
		if err != nil {
			return err
		}
		m.learnVerdict(said.of(&entry))
		if t := entry.Tally; t != nil && !m.risks.model.Believe(t) {
			m.opts.Logger.Warn("what another team counted of verdicts was not taken over", "origin", t.Origin)
		}
		if entry.Tally != nil {
			m.risks.times++
		}
		m.risks.seq = entry.Seq
	}
	return nil
}

// retold is what a person said of evaluations since they were learned. The zero value says that nobody did.
type retold struct {
	last map[string]tree.Entry // by id; what was said last
	told map[string]bool       // evaluations that came with their truth
}

// retold returns what a person said, if what the model learned is another now. Then the model is begun anew, because
// it cannot unlearn. A truth that nobody knew before is no such word: it is learned like any other.
func (m *Memory) retold(ctx context.Context) (out retold, err error) {
	corrected := false
	for entry, err := range m.store.Ledger(ctx, m.risks.seq) {
		if err != nil {
			return out, err
		}
		corrected = corrected || entry.Act != nil && entry.Act.Corrects()
	}
	if !corrected {
		return out, nil
	}
	out = retold{map[string]tree.Entry{}, map[string]bool{}}
	for entry, err := range m.store.Ledger(ctx, 0) {
		if err != nil {
			return out, err
		}
		if v := entry.Verdict; v != nil && v.By != "" {
			out.last[v.Evaluation] = entry
		}
	}
	m.risks.model, m.risks.seq = risk.New(), 0
	m.risks.times++
	return out, nil
}

// of returns what is to be learned of an entry of the ledger, nil for nothing. What a person said stands in the place
// of the truth that it corrects, or where it was said if nothing was known.
func (r *retold) of(e *tree.Entry) *tree.Verdict {
	v := e.Verdict
	if v == nil || r.last == nil {
		return v
	}
	last := r.last[v.Evaluation]
	switch {
	case v.By == "" && !v.Labelled:
		return nil
	case v.By == "":
		r.told[v.Evaluation] = true
		return cmp.Or(last.Verdict, v)
	case r.told[v.Evaluation] || last.Seq != e.Seq:
		return nil
	}
	return v
}

// learnVerdict learns from a verdict.
func (m *Memory) learnVerdict(v *tree.Verdict) {
	if v == nil || !v.Labelled || v.Features == "" {
		return
	}
	f, err := risk.Decode(v.Features)
	if err != nil {
		m.opts.Logger.Warn("a verdict was not learned from", "evaluation", v.Evaluation, "error", err)
		return
	}
	m.risks.model.Learn(v.Evaluation, f, v.Correct, v.Direction)
	m.risks.times++
}

// loadRisks reads the saved model. If it cannot be used, it begins a new one at the start of
// the ledger.
func (m *Memory) loadRisks(ctx context.Context) error {
	info, err := m.store.Info(ctx)
	if err != nil {
		return err
	}
	m.risks.seq, m.risks.saved = 0, 0
	model, seq, err := m.keptRisks(ctx)
	switch {
	case err == nil && seq <= info.Entries:
		m.risks.model, m.risks.seq, m.risks.saved = model, seq, seq
		return nil
	case err == nil:
		m.opts.Logger.Info("learning risks anew from the ledger", "reason", "it is shorter than when they were kept")
	case !errors.Is(err, tree.ErrNotFound):
		m.opts.Logger.Info("learning risks anew from the ledger", "reason", err)
	}
	m.risks.model = risk.New()
	return nil
}

// keptRisks reads the saved model, and the number of the last entry that it learned.
func (m *Memory) keptRisks(ctx context.Context) (*risk.Model, uint64, error) {
	kept, err := tree.OpenDerived(ctx, m.store, riskName)
	if err != nil {
		return nil, 0, err
	}
	model, err := risk.Load(io.NewSectionReader(kept, 0, kept.Size))
	return model, kept.Version, errors.Join(err, kept.Closer.Close())
}

// saveRisks saves the model for the next Open. Its version is the number of the last ledger
// entry that it learned.
func (m *Memory) saveRisks(ctx context.Context) {
	if m.opts.ReadOnly {
		return
	}
	<-m.risks.turn
	defer func() { m.risks.turn <- struct{}{} }()
	if m.risks.model == nil || m.risks.seq == m.risks.saved {
		return
	}
	if err := tree.SaveDerived(ctx, m.store, riskName, m.risks.seq, m.risks.model.Save); err != nil {
		m.opts.Logger.Warn("what was learned of risks was not kept and will be learned anew", "error", err)
		return
	}
	m.risks.saved = m.risks.seq
}

// tally counts the verdicts in the ledger, of one product if it is given.
func (m *Memory) tally(ctx context.Context, product string) (*tree.Tally, error) {
	c := risk.NewCounter()
	for entry, err := range m.store.Ledger(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if v := entry.Verdict; v != nil && (product == "" || v.Product == product) {
			c.Add(v)
		}
	}
	return c.Tally(m.origin.ID), nil
}

// believe writes what another team counted into the ledger, where the model learns it.
func (m *Memory) believe(ctx context.Context, t *tree.Tally) error {
	var room bool
	if err := m.withRisks(ctx, func(model *risk.Model) { room = model.Room(t.Origin) }); err != nil {
		return err
	}
	if !room && len(t.Rows) > 0 {
		return errors.New("there are counts of 16 teams already; take one out first")
	}
	return m.apply(ctx, tree.Batch{Entries: []tree.Entry{{At: m.opts.Now(), Tally: t}}})
}

// riskSafely is Risk for Wrap, which must not fail: after an error or a panic it returns nil. It
// takes at most Options.Deadline.
func (m *Memory) riskSafely(ctx context.Context, e Evaluation) (r *risk.Risk) {
	defer func() {
		if p := recover(); p != nil {
			m.opts.Logger.Error("no risk could be said, the run goes on without", "panic", p)
			r = nil
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, m.opts.Deadline)
	defer cancel()
	x, err := m.Risk(ctx, e)
	if err != nil {
		m.opts.Logger.Warn("no risk could be said, the run goes on without", "error", err)
		return nil
	}
	return &x
}
