package plot

import (
	"context"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/tree"
)

// Growth is how a tree grew to what it gives now.
type Growth struct{ Cases, Lessons []effect.Grown }

// Grown reads when the memories in use were made.
func Grown(ctx context.Context, t tree.Reader) (g Growth, err error) {
	var cases, lessons []time.Time
	for n, err := range t.Scan(ctx, tree.Filter{}) {
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
