package memtree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// EvolveOptions bound what Evolve does. Nil, and the zero value, do everything.
type EvolveOptions struct {
	DryRun   bool                 // plan, write nothing, ask no model
	Only     string               // this error type alone
	MaxCalls int                  // of the model; 0: no bound, negative: none
	MaxCost  float64              // of the calls, by Price; 0: no bound
	Price    evolution.Price      // of the model's tokens
	Review   bool                 // lessons wait for a person's word, see Decide
	KeepAll  bool                 // archive nothing, see Prune
	Progress func(evolution.Step) // told after every job and partition; nil: nobody
}

// Evolved is what an Evolve did, or with DryRun would do.
type Evolved struct {
	Plans     []evolution.Plan      `json:"plans"`     // by partition, sorted
	Forgotten []evolution.Forgotten `json:"forgotten"` // what was archived
	Revived   []string              `json:"revived"`   // cases taken back into use
	Calls     int                   `json:"calls"`
	Usage     llm.Usage             `json:"usage"`
	Cost      float64               `json:"cost"`    // by Price
	Waiting   int                   `json:"waiting"` // jobs left for another Evolve because of MaxCalls, MaxCost or DryRun
}

// Proposals returns what waits for a person, by partition and as planned.
func (v *Evolved) Proposals() []evolution.Proposal {
	out := []evolution.Proposal{}
	for _, p := range v.Plans {
		out = append(out, p.Proposals...)
	}
	return out
}

// evolveRetries bounds how often a plan is made again because a node it was made
// on changed meanwhile.
const evolveRetries = 8

// Evolve lets the tree learn: cases that missed one check become experiences, experiences
// strategies, and what no longer stands on its cases goes out of use. See package
// evolution.
//
// No lock is held while a model is asked, and guidance and recording go on. Every
// partition is applied at once; when ctx ends between two jobs, what was applied
// stands, answers are kept, and the next Evolve goes on from there. A second
// Evolve with nothing new changes nothing and asks nothing.
func (m *Memory) Evolve(ctx context.Context, o *EvolveOptions) (Evolved, error) {
	if o == nil {
		o = &EvolveOptions{}
	}
	if m.opts.ReadOnly && !o.DryRun {
		return Evolved{}, fmt.Errorf("evolve: %w", tree.ErrReadOnly)
	}
	if err := m.Wait(ctx); err != nil {
		return Evolved{}, fmt.Errorf("evolve: %w", err)
	}
	jobs, err := m.openJobs(ctx, o.DryRun)
	if err != nil {
		return Evolved{}, fmt.Errorf("evolve: %w", err)
	}
	out := Evolved{Plans: []evolution.Plan{}, Forgotten: []evolution.Forgotten{}, Revived: []string{}}
	err = errors.Join(m.evolveRounds(ctx, o, jobs, &out), jobs.save(context.WithoutCancel(ctx)))
	if err != nil {
		return out, fmt.Errorf("evolve: %w", err)
	}
	return out, nil
}

// evolveRounds forgets and learns, and once more where learning has left
// something to forget, so that another Evolve finds nothing to do.
func (m *Memory) evolveRounds(ctx context.Context, o *EvolveOptions, jobs *jobs, out *Evolved) error {
	const rounds = 3
	for round := range rounds {
		var view evolution.View = trusted{m.store}
		if !o.KeepAll {
			p, err := m.prune(ctx, &PruneOptions{DryRun: o.DryRun, Only: o.Only})
			if err != nil {
				return fmt.Errorf("prune: %w", err)
			}
			if round > 0 && len(p.Changes) == 0 {
				return nil
			}
			out.Revived = append(out.Revived, p.Revived...)
			if out.Forgotten = append(out.Forgotten, p.Forgotten...); o.DryRun && len(p.Changes) > 0 {
				view = after{view, p.Changes}
			}
		}
		err := m.evolveRound(ctx, view, o, jobs, out)
		if err != nil || o.DryRun || o.KeepAll {
			return err
		}
	}
	return nil
}

// evolveRound plans until no plan is stale.
func (m *Memory) evolveRound(ctx context.Context, v evolution.View, o *EvolveOptions, jobs *jobs, out *Evolved) error {
	for try := 1; ; try++ {
		err := m.evolve(ctx, v, o, jobs, out)
		if !errors.Is(err, tree.ErrConflict) || try == evolveRetries {
			return err
		}
		m.counts.conflicts.Add(1)
		m.opts.Logger.Debug("plan was stale, planning again", "try", try)
	}
}

// after is a tree as changes would leave it.
type after struct {
	evolution.View
	changes []tree.Change
}

// Scan implements evolution.View.
func (a after) Scan(ctx context.Context, f tree.Filter) iter.Seq2[tree.Node, error] {
	changed := map[string]tree.Node{}
	for _, c := range a.changes {
		changed[c.Node.ID] = c.Node
	}
	return func(yield func(tree.Node, error) bool) {
		for n, err := range a.View.Scan(ctx, f) {
			if c, ok := changed[n.ID]; ok && err == nil {
				n = c.Clone()
			}
			if !yield(n, err) {
				return
			}
		}
	}
}

// evolve plans and applies once, partition by partition.
func (m *Memory) evolve(ctx context.Context, v evolution.View, o *EvolveOptions, jobs *jobs, out *Evolved) error {
	before := *out
	model := ""
	if g, ok := m.opts.Generator.(interface{ ID() string }); ok {
		model = g.ID()
	}
	e, err := evolution.New(evolution.Options{
		Taxonomy: m.taxonomy, Generator: m.opts.Generator, Model: model,
		Finder: &finder{m: m}, Cache: jobs, Unsafe: guard.Instructs, Forces: guard.Forces,
		Words: m.words.Fill, Lift: m.former.Lift,
	})
	if err != nil {
		return err
	}
	bounds := evolution.PlanOptions{
		Only: o.Only, MaxCalls: o.MaxCalls, Price: o.Price, Now: m.opts.Now(), Review: o.Review,
		Progress: func(s evolution.Step) {
			if s.Calls, s.Usage = s.Calls+before.Calls, s.Usage.Add(before.Usage); o.Progress != nil {
				s.Cost = o.Price.Of(s.Usage)
				o.Progress(s)
			}
		},
	}
	switch { // an earlier try may have used some of the bounds
	case o.DryRun, o.MaxCalls > 0 && out.Calls >= o.MaxCalls, o.MaxCost > 0 && out.Cost >= o.MaxCost:
		bounds.MaxCalls = -1
	default:
		if o.MaxCalls > 0 {
			bounds.MaxCalls -= out.Calls
		}
		if o.MaxCost > 0 {
			bounds.MaxCost = o.MaxCost - out.Cost
		}
	}
	defer func() { out.Cost = o.Price.Of(out.Usage) }()
	for plan, err := range e.Plan(ctx, v, bounds) {
		if err != nil {
			return err
		}
		if !o.DryRun && len(plan.Changes) > 0 {
			// What was paid for is kept before anything can go wrong with the tree.
			if err := jobs.save(context.WithoutCancel(ctx)); err != nil {
				return err
			}
			changes, err := m.displace(ctx, plan.Changes)
			if err != nil {
				return err
			}
			if err := m.apply(ctx, tree.Batch{Changes: changes}); err != nil {
				out.Calls, out.Usage = out.Calls+plan.Calls, out.Usage.Add(plan.Usage)
				return err
			}
		}
		out.add(plan)
	}
	return nil
}

// add joins what another try did to a partition with what was done before.
func (v *Evolved) add(p evolution.Plan) {
	v.Calls += p.Calls
	v.Usage = v.Usage.Add(p.Usage)
	i := slices.IndexFunc(v.Plans, func(o evolution.Plan) bool { return o.Partition == p.Partition })
	if i < 0 {
		v.Waiting += p.Waiting
		v.Plans = append(v.Plans, p)
		return
	}
	old := v.Plans[i]
	v.Waiting += p.Waiting - old.Waiting
	p.Changes, p.Calls, p.Usage = append(old.Changes, p.Changes...), p.Calls+old.Calls, p.Usage.Add(old.Usage)
	v.Plans[i] = p
}

// Rejected returns the drafts that no gate let through, as far as they are kept.
func (m *Memory) Rejected(ctx context.Context) ([]evolution.Rejection, error) {
	jobs, err := m.openJobs(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("read rejected drafts: %w", err)
	}
	out := []evolution.Rejection{}
	for _, key := range slices.Sorted(maps.Keys(jobs.kept)) {
		out = append(out, evolution.Rejections(jobs.kept[key])...)
	}
	return out, nil
}

// finder asks a retrieval of its own, made for one plan, what a draft would do.
type finder struct {
	m     *Memory
	seen  map[string]tree.Node // what is not as the store has it
	base  *retrieval.Index     // the cases as the plan has them
	ix    *retrieval.Index     // with the draft
	draft *tree.Node
}

// Begin implements evolution.Finder.
func (f *finder) Begin(cases, lessons []*tree.Node) {
	*f = finder{m: f.m, seen: map[string]tree.Node{}}
	for _, n := range cases {
		f.seen[n.ID] = n.Clone()
	}
	for _, n := range lessons {
		gone := n.Clone()
		gone.Status = tree.Retired
		f.seen[n.ID] = gone
	}
}

// Rank implements evolution.Finder. Cases are not in its way: which of them are on
// the page of the test says nothing against a lesson.
func (f *finder) Rank(ctx context.Context, candidate, held *tree.Node) (int, error) {
	if err := f.show(ctx, candidate); err != nil {
		return 0, err
	}
	q := retrieval.Query{Prompt: held.CaseData.TestCase.Prompt, Scene: held.Scene, Scope: held.Scope, Exclude: []string{held.ID}, Limits: retrieval.Limits{Cases: -1}}
	if id := held.CaseData.TestCase.CaseID; id != "" {
		q.ExcludeTests = []string{id} // a lesson is for a test nobody has seen; of a known one its own cases say more
	}
	res, err := f.ix.Search(ctx, q)
	if err != nil {
		return 0, err
	}
	for i := range res.Hits {
		if res.Hits[i].ID == candidate.ID {
			return i + 1, nil
		}
	}
	return 0, nil
}

// show puts a draft into an index like the memory's own, its cases under it.
func (f *finder) show(ctx context.Context, draft *tree.Node) error {
	if f.draft != nil && f.draft.ID == draft.ID && f.draft.Text() == draft.Text() && slices.Equal(f.draft.Children, draft.Children) {
		return nil
	}
	if f.base == nil {
		var changed []tree.Node
		for _, id := range slices.Sorted(maps.Keys(f.seen)) {
			changed = append(changed, f.seen[id])
		}
		base := f.m.index.Load().Fork()
		if err := base.Update(ctx, 0, changed); err != nil {
			return err
		}
		f.base = base
	}
	batch, err := f.live(ctx, draft.Children)
	if err != nil {
		return err
	}
	for i := range batch {
		batch[i].Parent = draft.ID
	}
	f.ix, f.draft = f.base.Fork(), draft
	return f.ix.Update(ctx, 0, append(batch, draft.Clone()))
}

// live reads those of the nodes that are in use.
func (f *finder) live(ctx context.Context, ids []string) ([]tree.Node, error) {
	var out []tree.Node
	for _, id := range ids {
		n, ok := f.seen[id]
		if !ok {
			var err error
			if n, err = f.m.store.Get(ctx, id); errors.Is(err, tree.ErrNotFound) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		if n.Live() {
			out = append(out, n.Clone())
		}
	}
	return out, nil
}

// jobs keeps what became of evolution's jobs beside the store, as derived data:
// losing it costs calls, not knowledge.
type jobs struct {
	m     *Memory
	dry   bool // nothing is written
	mu    sync.Mutex
	kept  map[string]json.RawMessage
	used  map[string]bool
	dirty bool
}

const (
	jobsName = "evolution"
	maxJobs  = 20_000   // beyond, those go that no plan asked for
	jobsSize = 64 << 20 // bytes that are read at most
)

func (m *Memory) openJobs(ctx context.Context, dry bool) (*jobs, error) {
	j := &jobs{m: m, dry: dry, kept: map[string]json.RawMessage{}, used: map[string]bool{}}
	d, ok := m.store.(tree.Deriver)
	if !ok {
		return j, nil
	}
	kept, err := d.OpenDerived(ctx, jobsName)
	if errors.Is(err, tree.ErrNotFound) || errors.Is(err, errors.ErrUnsupported) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.NewSectionReader(kept, 0, min(kept.Size, jobsSize)))
	if err := errors.Join(err, kept.Closer.Close()); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &j.kept); err != nil {
		m.opts.Logger.Warn("what is known of earlier jobs cannot be read and will be made anew", "error", err)
		j.kept = map[string]json.RawMessage{}
	}
	return j, nil
}

// Get implements evolution.Cache.
func (j *jobs) Get(key string) ([]byte, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.used[key] = true
	v, ok := j.kept[key]
	return v, ok
}

// Put implements evolution.Cache. What a model was paid for is written at once,
// what rules can write again with the next save.
func (j *jobs) Put(ctx context.Context, key string, value []byte) error {
	j.mu.Lock()
	j.kept[key], j.used[key], j.dirty = slices.Clone(value), true, true
	j.mu.Unlock()
	if j.m.opts.Generator == nil {
		return nil
	}
	return j.save(context.WithoutCancel(ctx))
}

func (j *jobs) save(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	d, ok := j.m.store.(tree.Deriver)
	if !j.dirty || j.dry || !ok {
		return nil
	}
	if len(j.kept) > maxJobs {
		maps.DeleteFunc(j.kept, func(key string, _ json.RawMessage) bool { return !j.used[key] })
	}
	b, err := json.Marshal(j.kept)
	if err != nil {
		return fmt.Errorf("keep what became of jobs: %w", err)
	}
	info, err := j.m.store.Info(ctx)
	if err != nil {
		return err
	}
	err = d.SaveDerived(ctx, jobsName, info.Version, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("keep what became of jobs: %w", err)
	}
	j.dirty = false
	return nil
}
