package plot

import (
	"context"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Growth holds the number of cases and lessons over time, up to the tree as it is now.
type Growth struct{ Cases, Lessons []effect.Grown }

// Grown reads when the live memories were created.
func Grown(ctx context.Context, t store.Reader) (g Growth, err error) {
	var cases, lessons []time.Time
	for n, err := range t.Scan(ctx, store.Filter{}) {
		switch {
		case err != nil:
			return g, err
		case n.Metadata.CreatedAt.IsZero() || !n.Live():
		case n.Type == tree.Case:
			cases = append(cases, n.Metadata.CreatedAt)
		default:
			lessons = append(lessons, n.Metadata.CreatedAt)
		}
	}
	return Growth{effect.Growth(cases), effect.Growth(lessons)}, nil
}
