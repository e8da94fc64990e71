package memtree_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/tree"
)

// TestDecisionsTogether: of many people who decide at once, none is told that the tree changed meanwhile.
func TestDecisionsTogether(t *testing.T) {
	m := open(t, "", &memtree.Options{InMemory: true})
	const people, each = 16, 4
	es := make([]memtree.Evaluation, people*each)
	for i := range es {
		es[i] = memtree.Evaluation{ID: fmt.Sprint("run-", i), Prompt: fmt.Sprint("Check the total of order ", i),
			Judgment: tree.Raw(`"pass"`)}
	}
	_, err := m.RecordAll(t.Context(), es)
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	failed := make([]error, len(es))
	var all sync.WaitGroup
	for p := range people {
		all.Go(func() {
			for i := p * each; i < (p+1)*each; i++ {
				o := curation.Options{By: fmt.Sprint("person ", p)}
				if i%2 == 0 {
					_, failed[i] = m.Curation().Teach(t.Context(), curation.TaughtLesson{
						Lesson: fmt.Sprintf("Count the stripes of lane %d twice.", i), When: []string{"zebra crossing"},
					}, o)
					continue
				}
				truth := curation.Truth{Correct: new(i%4 == 1)}
				if !*truth.Correct {
					truth.Direction = "false_pass"
				}
				_, failed[i] = m.Curation().Relabel(t.Context(), es[i].ID, truth, o)
			}
		})
	}
	all.Wait()
	for i, err := range failed {
		require.NoError(t, err, "%d", i)
	}
}
