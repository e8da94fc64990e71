package memtree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// EvolveOptions bound what Evolve does. Nil, and the zero value, do everything.
type EvolveOptions struct {
	DryRun   bool                 // plan, write nothing, ask no model
	Only     string               // this error type alone
	MaxCalls int                  // of the model; 0: no bound, negative: none
	Progress func(evolution.Plan) // told after every partition; nil: nobody
}

// Evolved is what an Evolve did, or with DryRun would do.
type Evolved struct {
	Plans   []evolution.Plan `json:"plans"` // by partition, sorted
	Calls   int              `json:"calls"`
	Usage   llm.Usage        `json:"usage"`
	Waiting int              `json:"waiting"` // jobs left for another Evolve because of MaxCalls or DryRun
}

// evolveRetries bounds how often a plan is made again because a node it was made
// on changed meanwhile.
const evolveRetries = 8

// Evolve lets the tree learn: cases of one cause become experiences, experiences
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
	out := Evolved{Plans: []evolution.Plan{}}
	for try := range evolveRetries {
		err = m.evolve(ctx, o, jobs, &out)
		if !errors.Is(err, tree.ErrConflict) {
			break
		}
		m.counts.conflicts.Add(1)
		m.opts.Logger.Debug("plan was stale, planning again", "try", try+1)
	}
	err = errors.Join(err, jobs.save(context.WithoutCancel(ctx)))
	if err != nil {
		return out, fmt.Errorf("evolve: %w", err)
	}
	return out, nil
}

// evolve plans and applies once, partition by partition.
func (m *Memory) evolve(ctx context.Context, o *EvolveOptions, jobs *jobs, out *Evolved) error {
	model := ""
	if g, ok := m.opts.Generator.(interface{ ID() string }); ok {
		model = g.ID()
	}
	e, err := evolution.New(evolution.Options{
		Taxonomy: m.taxonomy, Embedder: m.opts.Embedder, Generator: m.opts.Generator, Model: model,
		Finder: &finder{m: m}, Cache: jobs, Unsafe: enhance.Unsafe,
	})
	if err != nil {
		return err
	}
	most := o.MaxCalls
	if o.DryRun {
		most = -1
	} else if most > 0 {
		if most -= out.Calls; most <= 0 {
			most = -1
		}
	}
	for plan, err := range e.Plan(ctx, trusted{m.store}, evolution.PlanOptions{Only: o.Only, MaxCalls: most, Now: m.opts.Now()}) {
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
				out.Calls += plan.Calls
				return err
			}
		}
		out.add(plan)
		if o.Progress != nil {
			o.Progress(plan)
		}
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
	ix    *retrieval.Index
	nodes map[string]tree.Node // live, as they are
	now   *tree.Node           // the draft that is in the index
}

// Rank implements evolution.Finder.
func (f *finder) Rank(ctx context.Context, candidate, held *tree.Node) (int, error) {
	if err := f.show(ctx, candidate); err != nil {
		return 0, err
	}
	res, err := f.ix.Search(ctx, retrieval.Query{
		Prompt: held.CaseData.TestCase.Prompt, Scene: held.Scene, Scope: held.Scope, Exclude: []string{held.ID},
	})
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

// show puts a draft into the index, its cases under it, and takes the one before
// out again.
func (f *finder) show(ctx context.Context, candidate *tree.Node) error {
	if f.ix == nil {
		if err := f.open(ctx); err != nil {
			return err
		}
	}
	if f.now != nil && f.now.ID == candidate.ID && f.now.Text() == candidate.Text() && slices.Equal(f.now.Children, candidate.Children) {
		return nil
	}
	var batch []tree.Node
	if f.now != nil {
		gone, there := f.nodes[f.now.ID]
		if !there {
			gone = f.now.Clone()
			gone.Status = tree.Archived
		}
		batch = append(batch, gone)
		for _, id := range f.now.Children {
			if n, ok := f.nodes[id]; ok {
				batch = append(batch, n)
			}
		}
		if err := f.ix.Update(ctx, 0, batch); err != nil {
			return err
		}
	}
	batch = []tree.Node{candidate.Clone()}
	for _, id := range candidate.Children {
		if n, ok := f.nodes[id]; ok {
			n = n.Clone()
			n.Parent = candidate.ID
			batch = append(batch, n)
		}
	}
	f.now = candidate
	return f.ix.Update(ctx, 0, batch)
}

func (f *finder) open(ctx context.Context) error {
	f.ix, f.nodes = retrieval.New(f.m.taxonomy, f.m.opts.Embedder), map[string]tree.Node{}
	var batch []tree.Node
	for n, err := range f.m.store.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return err
		}
		if !n.Live() {
			continue
		}
		f.nodes[n.ID] = n
		batch = append(batch, n)
	}
	return f.ix.Update(ctx, 0, batch)
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
