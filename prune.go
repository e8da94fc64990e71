package memtree

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// PruneOptions bound what Prune does. Nil, and the zero value, do everything.
type PruneOptions struct {
	DryRun      bool   // plan, write nothing
	Only        string // this error type alone
	Experiences int    // that stay in use of an error type and direction; 0: the default
}

// Prune takes out of use what the tree can do without: memories are archived,
// each with its reason, and nothing is deleted. See [evolution.Evolver.Prune] for
// the order. Evolve does it too.
func (m *Memory) Prune(ctx context.Context, o *PruneOptions) (evolution.Pruned, error) {
	if o == nil {
		o = &PruneOptions{}
	}
	if m.opts.ReadOnly && !o.DryRun {
		return evolution.Pruned{}, fmt.Errorf("prune: %w", tree.ErrReadOnly)
	}
	out, err := m.prune(ctx, o)
	if err != nil {
		return out, fmt.Errorf("prune: %w", err)
	}
	return out, nil
}

func (m *Memory) prune(ctx context.Context, o *PruneOptions) (evolution.Pruned, error) {
	e, err := evolution.New(evolution.Options{Taxonomy: m.taxonomy})
	if err != nil {
		return evolution.Pruned{}, err
	}
	var p evolution.Pruned
	err = m.untilFresh(func() error {
		demand, err := m.demand(ctx)
		if err != nil {
			return err
		}
		p, err = e.Prune(ctx, m.store, evolution.PruneOptions{
			Only: o.Only, Now: m.opts.Now(), Experiences: o.Experiences, Keep: transfer.Waits, Used: demand.used, Chances: demand.chances,
		})
		if err != nil || o.DryRun || len(p.Changes) == 0 {
			return err
		}
		return m.apply(ctx, tree.Batch{Changes: p.Changes})
	})
	return p, err
}

// demand is what the ledger knows of the queries there were.
type demand struct {
	injected map[string]bool
	places   map[place][]time.Time // of the queries, sorted
}

// place is what a query and a memory have in common if the one could serve the
// other: the product, and the kind of scene, where both name one.
type place struct{ product, scene string }

// demand reads the ledger: which memories were ever put into a prompt, and when
// was asked for what.
func (m *Memory) demand(ctx context.Context) (*demand, error) {
	a := &demand{injected: map[string]bool{}, places: map[place][]time.Time{}}
	for e, err := range m.store.Ledger(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("read the ledger: %w", err)
		}
		switch {
		case e.Trial != nil:
			a.inject(e.Trial.Injected)
			at := place{e.Trial.Scope.Product, m.sceneType(e.Trial.Scene.Type)}
			a.places[at] = append(a.places[at], e.At)
		case e.Step != nil:
			a.inject(e.Step.Injected)
		}
	}
	for _, times := range a.places {
		slices.SortFunc(times, time.Time.Compare)
	}
	return a, nil
}

func (m *Memory) sceneType(word string) string {
	if t, ok := m.taxonomy.SceneType(word); ok {
		return t.ID
	}
	return word
}

func (a *demand) inject(list []tree.Injection) {
	for _, i := range list {
		a.injected[i.ID] = true
	}
}

func (a *demand) used(id string) bool { return a.injected[id] }

// chances counts the queries that came after a memory and that it could have
// served.
func (a *demand) chances(n *tree.Node) (k int) {
	for p, times := range a.places {
		product := n.Scope.Product == "" || p.product == "" || p.product == n.Scope.Product
		scene := n.Scene.Type == "" || p.scene == "" || p.scene == n.Scene.Type
		if product && scene {
			first, _ := slices.BinarySearchFunc(times, n.Metadata.CreatedAt, time.Time.Compare)
			k += len(times) - first
		}
	}
	return k
}
