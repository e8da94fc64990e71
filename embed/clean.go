package embed

import (
	"context"

	"github.com/memtree/memtree/llm"
)

// Cleaned returns an embedder that clean has gone over every text for: what is in a
// tree has no secrets, but a prompt that is asked about may, and e may be somebody
// else's.
func Cleaned(e llm.Embedder, clean func(string) string) llm.Embedder { return cleaned{e, clean} }

type cleaned struct {
	llm.Embedder
	clean func(string) string
}

// Embed implements llm.Embedder.
func (c cleaned) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = c.clean(t)
	}
	return c.Embedder.Embed(ctx, out)
}
