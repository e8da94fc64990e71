package appmap

import (
	"context"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// WrongOnPages returns for each page of a product how many verdicts were wrong on it, from the cases of a tree that
// have a route, archived ones too. A case whose verdicts a person relabelled as right does not count. The keys are what
// PageOf returns. An empty product takes all products together.
func WrongOnPages(ctx context.Context, cases store.Reader, product string) (map[string]float64, error) {
	out := map[string]float64{}
	for n, err := range cases.Scan(ctx, store.Filter{Level: tree.Case.Level()}) {
		if err != nil {
			return nil, err
		}
		relabelled := n.Status == tree.Archived && len(n.Occurrences) == 0
		if n.CaseData != nil && !relabelled && (product == "" || n.Scope.Product == product) && n.Scene.Route != "" {
			out[PageOf(n.Scene.Route)] += float64(max(1, len(n.Occurrences)))
		}
	}
	return out, nil
}
