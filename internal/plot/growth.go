package plot

import (
	"context"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Growth is how the numbers of cases and lessons grew over time, up to the tree as it is now.
type Growth struct{ Cases, Lessons []effect.Grown }

// Grown returns the Growth of the tree t, from the times when its live memories were created.
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
