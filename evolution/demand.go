package evolution

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Demand is which memories runs received, and when and where runs asked for guidance; see ReadDemand.
type Demand struct {
	injected map[string]bool
	places   map[niche][]time.Time // of the queries, sorted
}

// niche is what a query and a memory have in common if the memory could serve the query: the product, and the kind of
// scene, where both name one.
type niche struct{ product, scene string }

// ReadDemand reads from the ledger of r which memories runs ever received. It also reads when runs asked for guidance,
// and for which product and scene type. It ignores requests that no run followed. tax identifies scene types by their
// names.
func ReadDemand(ctx context.Context, r store.Reader, tax *taxonomy.Taxonomy) (*Demand, error) {
	a := &Demand{injected: map[string]bool{}, places: map[niche][]time.Time{}}
	runs := map[string]bool{} // trials that a run followed
	var trials []ledger.Entry
	for e, err := range r.Ledger(ctx, 0) {
		switch {
		case err != nil:
			return nil, fmt.Errorf("read the ledger: %w", err)
		case e.Outcome != nil:
			runs[e.Outcome.Trial] = true
		case e.Trial != nil:
			runs[e.Trial.ID] = runs[e.Trial.ID] || e.Trial.Run || e.Trial.Drawn()
			trials = append(trials, e)
		case e.Step != nil:
			trials = append(trials, e)
		}
	}
	for i := range trials {
		e := &trials[i]
		switch {
		case e.Step != nil && runs[e.Step.Trial]:
			a.inject(e.Step.Injected)
		case e.Trial != nil && runs[e.Trial.ID]:
			a.inject(e.Trial.Injected)
			at := niche{e.Trial.Scope.Product, sceneType(tax, e.Trial.Scene.Type)}
			a.places[at] = append(a.places[at], e.At)
		}
	}
	for _, times := range a.places {
		slices.SortFunc(times, time.Time.Compare)
	}
	return a, nil
}

func sceneType(tax *taxonomy.Taxonomy, word string) string {
	if t, ok := tax.SceneType(word); ok {
		return t.ID
	}
	return word
}

func (a *Demand) inject(list []ledger.Injection) {
	for _, i := range list {
		a.injected[i.ID] = true
	}
}

// Used reports whether any run received the memory with this id.
func (a *Demand) Used(id string) bool { return a.injected[id] }

// Chances returns how many requests of runs could have received case n: the requests since n was created, for the
// product and scene type of n. An unknown product or scene type fits any.
func (a *Demand) Chances(n *tree.Node) (k int) {
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
