package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
)

// TestJudge: an arrival with a known key is a duplicate, a contradiction, or adds a label. Of a key that a repair
// restored nothing else is known, so an arrival with it is a duplicate unless it adds a label.
func TestJudge(t *testing.T) {
	one, other, none := [8]byte{1}, [8]byte{2}, [8]byte{}
	for name, c := range map[string]struct {
		known    store.Known
		digest   [8]byte
		labelled bool
		want     store.ReceiptStatus
	}{
		"the same":             {store.Known{Digest: one, Labelled: true}, one, true, store.Duplicate},
		"its unlabelled form":  {store.Known{Digest: one, Before: other, Labelled: true}, other, false, store.Duplicate},
		"another":              {store.Known{Digest: one, Labelled: true}, other, true, store.Contradiction},
		"another, unlabelled":  {store.Known{Digest: one}, other, false, store.Contradiction},
		"a label":              {store.Known{Digest: one}, other, true, store.Accepted},
		"restored":             {store.Known{Digest: none, Labelled: true}, one, true, store.Duplicate},
		"restored, unlabelled": {store.Known{Digest: none}, one, false, store.Duplicate},
		"restored, a label":    {store.Known{Digest: none}, one, true, store.Accepted},
	} {
		t.Run(name, func(t *testing.T) {
			then := c.known
			require.Equal(t, c.want, then.Judge(c.digest, c.labelled))
			if c.want == store.Accepted {
				c.known = store.Known{Digest: c.digest, Before: c.known.Digest, Labelled: true}
			}
			require.Equal(t, c.known, then)
		})
	}
}

// TestLeases: a lease ends by its place or by its key, whichever of them a store names.
func TestLeases(t *testing.T) {
	var l store.Leases[int]
	l.Release([]string{"a"})
	l.End([]int{1})
	l.Held = map[int]store.Hash{1: store.HashOf("a"), 2: store.HashOf("b"), 3: store.HashOf("a"), 4: store.HashOf("c")}
	l.Release([]string{"a", "other"})
	l.End([]int{4, 5})
	require.Equal(t, map[int]store.Hash{2: store.HashOf("b")}, l.Held)
}
