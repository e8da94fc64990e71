package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
)

// TestJudge: an arrival with a known key is a duplicate, a contradiction, or adds a label. Of a key that a repair
// restored nothing else is known, so an arrival with it is a duplicate unless it adds a label.
func TestJudge(t *testing.T) {
	const duplicate, contradiction, accepted = store.Duplicate, store.Contradiction, store.Accepted
	one, other, none := []byte("11111111"), []byte("22222222"), make([]byte, 8)
	type known = acceptedKey
	type in = incoming
	for name, c := range map[string]struct {
		known acceptedKey
		in    incoming
		want  store.ReceiptStatus
	}{
		"the same":             {known{digest: one, labelled: true}, in{digest: one, labelled: true}, duplicate},
		"its unlabelled form":  {known{digest: one, before: other, labelled: true}, in{digest: other}, duplicate},
		"another":              {known{digest: one, labelled: true}, in{digest: other, labelled: true}, contradiction},
		"a label":              {known{digest: one}, in{digest: other, labelled: true}, accepted},
		"restored":             {known{digest: none, labelled: true}, in{digest: one, labelled: true}, duplicate},
		"restored, unlabelled": {known{digest: none}, in{digest: one}, duplicate},
		"restored, a label":    {known{digest: none}, in{digest: one, labelled: true}, accepted},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, c.known.judge(&c.in)) })
	}
}
