package retrieval

import (
	"fmt"
	"iter"
	"runtime"

	"github.com/memtree/memtree/store"
)

// Vectors yields the vector of each live node that has one of the present embedder, in no particular order, as it is
// stored: with 8 bits a number. An error ends it.
func (ix *Index) Vectors() iter.Seq2[store.NodeVector, error] {
	return func(yield func(store.NodeVector, error) bool) {
		st := ix.state.Load()
		defer runtime.KeepAlive(st)
		for i := range st.parts {
			p := &st.parts[i]
			for slot := range p.n {
				if p.isDead(slot) {
					continue
				}
				n, err := p.nodeVector(slot)
				if err != nil {
					yield(n, fmt.Errorf("read vectors: %w", err))
					return
				}
				if n.Vector != nil && !yield(n, nil) {
					return
				}
			}
		}
	}
}

// nodeVector returns the vector of a slot, without one if it has none of the present embedder.
func (p *part) nodeVector(slot int) (n store.NodeVector, err error) {
	v, err := p.vectorOf(slot)
	if err != nil || v.row == nil {
		return n, err
	}
	m, err := p.meta(slot)
	n = store.NodeVector{ID: m.id, Revision: m.revision, Vector: make([]float32, len(v.row))}
	for i, x := range v.row {
		n.Vector[i] = float32(int8(x)) * v.scale
	}
	return n, err
}
