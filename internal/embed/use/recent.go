package use

import (
	"hash/maphash"
	"slices"
	"sync"
)

// recent remembers the vectors of the latest texts: a prompt is read both for its meaning and for what it calls for,
// and computing its vector takes a millisecond. It keeps 128 bits of hash in place of a text, so nothing of a text is
// left in it. A text takes the place of another one. It is safe for concurrent use.
type recent struct {
	seeds [2]maphash.Seed
	mu    sync.Mutex
	list  [256]remembered
}

type remembered struct {
	hash   [2]uint64
	vector []float32
}

func newRecent() *recent {
	return &recent{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
}

// vector returns the vector of s, computed by the function unless it is remembered. The caller owns the result.
func (r *recent) vector(s string, compute func(string) []float32) []float32 {
	hash := [2]uint64{maphash.String(r.seeds[0], s), maphash.String(r.seeds[1], s)}
	at := &r.list[hash[0]%uint64(len(r.list))]
	r.mu.Lock()
	found := *at
	r.mu.Unlock()
	if found.vector != nil && found.hash == hash {
		return slices.Clone(found.vector)
	}
	v := compute(s)
	r.mu.Lock()
	*at = remembered{hash, slices.Clone(v)}
	r.mu.Unlock()
	return v
}
