package evolution

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// shuffled is a view that shows its nodes in another order each time.
type shuffled struct {
	nodes []tree.Node
	r     *rand.Rand
}

func (s *shuffled) Scan(context.Context, store.Filter) iter.Seq2[tree.Node, error] {
	s.r.Shuffle(len(s.nodes), func(i, j int) { s.nodes[i], s.nodes[j] = s.nodes[j], s.nodes[i] })
	return func(yield func(tree.Node, error) bool) {
		for _, n := range s.nodes {
			if !yield(n.Clone(), nil) {
				return
			}
		}
	}
}

// The same nodes make the same plans in whatever order they are read.
func TestOrderOfNodesDoesNotMatter(t *testing.T) {
	o := with(parsed(t, causeChecks(8)))
	v := &shuffled{append(notes(), many(200, 12)...), rand.New(rand.NewPCG(1, 2))}
	first := ""
	for range 10 {
		o.Cache = kept{newMemory(t)}
		var plans []Plan
		for p, err := range evolver(t, o).Plan(t.Context(), v, PlanOptions{}) {
			require.NoError(t, err)
			plans = append(plans, p)
		}
		b, err := json.MarshalIndent(plans, "", " ")
		require.NoError(t, err)
		if first == "" {
			first = string(b)
			require.Greater(t, len(plans), 8)
		}
		require.Equal(t, first, string(b))
	}
}

// The same runs make the same tree in whatever order they are recorded, from the
// record to the strategy.
func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	var runs []tree.Evaluation
	for i, x := range things {
		for j, said := range []string{
			"Brillig " + x + " zorped flumped. Slithy glimmed.",
			"Slithy " + x + " glimmed grobbed.",
			"Mimsy " + x + " frabjous.",
		} {
			runs = append(runs, tree.Evaluation{
				ID: fmt.Sprint(i, j), RunID: fmt.Sprint("run", i), CaseID: fmt.Sprint(x, j),
				At:     time.Date(2026, 1, 1+i, j, 0, 0, 0, time.UTC),
				Prompt: fmt.Sprintf("Outgrabe %d mome %s.", j, x), Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`),
				Scene: tree.Scene{ID: x, Type: "form"}, Reason: said,
			})
		}
	}
	again := slices.Clone(runs[:6]) // the same mistakes once more
	for i := range again {
		again[i].ID, again[i].RunID, again[i].At = again[i].ID+"b", "again", again[i].At.AddDate(0, 1, 0)
	}
	runs = append(runs, again...)
	r := rand.New(rand.NewPCG(5, 5))
	first := ""
	for range 5 {
		m := newMemory(t)
		m.form(tax(t), runs)
		m.evolve(options(t), PlanOptions{})
		for id, n := range m.nodes { // these depend on the history of a node, not on its content
			n.Revision, n.LastChange = 0, ""
			m.nodes[id] = n
		}
		if first == "" {
			first = m.text()
			require.Len(t, m.lesson("t_sums", taxonomy.FalsePass).Children, 8)
			require.Len(t, m.lesson("t_dates", taxonomy.FalsePass).Children, 8, "a case is counted under its first miss")
			require.Len(t, m.live(tree.Case), 24)
		}
		require.Equal(t, first, m.text())
		r.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	}
}
