package memtree_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/tree"
)

// A decision that takes a case from a lesson of a person hands that lesson out with the cases it lost, from which
// evolution.Stays foretells what the next Evolve does.
func TestWhatStaysIsForetold(t *testing.T) {
	by := curation.Options{By: "ann"}
	for _, pin := range []bool{true, false} {
		for forget := 1; forget <= 4; forget++ {
			m := summed(t, 4)
			lesson := liveOf(t, m, tree.Experience)[0]
			if pin {
				_, err := m.Curation().Pin(t.Context(), lesson.ID, by)
				require.NoError(t, err)
			} else {
				words := curation.DraftOf(&lesson)
				words.Lessons[0].Check = "Add up the prices of the lines and compare the sum with the shown total."
				_, err := m.Curation().Edit(t.Context(), lesson.ID, words, by)
				require.NoError(t, err)
			}
			var d curation.DecisionResult
			for i := range forget {
				var err error
				d, err = m.Curation().Forget(t.Context(), caseOf(t, m, fmt.Sprint("r", i+1)).ID, by)
				require.NoError(t, err)
			}
			require.Len(t, d.Stood, 1)
			require.Len(t, d.Stood[0].Provenance.Lost, forget)
			evolve(t, m)
			n, err := m.Tree().Get(t.Context(), lesson.ID)
			require.NoError(t, err)
			require.Equal(t, evolution.Stays(&d.Stood[0], 4-forget), n.Live(), "pinned %v, %d of 4 forgotten", pin, forget)
			problems(t, m)
		}
	}
}
