package memtree

import (
	"context"

	"github.com/memtree/memtree/embed"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
)

// openEmbedder takes the built-in table where no other embedder is given.
func (m *Memory) openEmbedder() (err error) {
	switch m.opts.Embedder.(type) {
	case nil:
		m.opts.Embedder, err = embed.Default()
	case *embed.Table:
	default:
		m.opts.Embedder = discreet{m.opts.Embedder}
	}
	return err
}

// discreet keeps secrets from an embedder that may be somebody else's: what is
// in the tree has none, but a prompt that is asked about may.
type discreet struct{ llm.Embedder }

// Embed implements llm.Embedder.
func (d discreet) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	clean := make([]string, len(texts))
	for i, t := range texts {
		clean[i], _ = formation.RedactText(t)
	}
	return d.Embedder.Embed(ctx, clean)
}

// tableBuiltIn reports whether the embedder is the one that is always there.
func (m *Memory) tableBuiltIn() bool {
	_, is := m.opts.Embedder.(*embed.Table)
	return is
}
