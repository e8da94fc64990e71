package appmap

import (
	"context"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// WrongOnPages returns how many verdicts of the cases in a tree were wrong on each page of a product, by the routes of
// the map; of all products for "".
func WrongOnPages(ctx context.Context, cases store.Reader, product string) (map[string]float64, error) {
	out := map[string]float64{}
	for n, err := range cases.Scan(ctx, store.Filter{Level: tree.Case.Level()}) {
		if err != nil {
			return nil, err
		}
		if n.CaseData != nil && (product == "" || n.Scope.Product == product) && n.Scene.Route != "" {
			out[PageOf(n.Scene.Route)] += float64(max(1, len(n.Occurrences)))
		}
	}
	return out, nil
}
