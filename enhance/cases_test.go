package enhance_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/tree"
)

// nothing is a tree without nodes.
type nothing struct{}

func (nothing) Get(context.Context, string) (tree.Node, error)                { return tree.Node{}, tree.ErrNotFound }
func (nothing) Similar(context.Context, *tree.Node, int) ([]tree.Node, error) { return nil, nil }

// cases returns the cases that are formed of a file's wrong runs without a model.
func cases(t *testing.T, name string) []tree.Node {
	t.Helper()
	former := formation.New(formation.Options{})
	f, err := fixtures.Files.Open(name + ".jsonl")
	if err != nil {
		dir := os.Getenv("MEMTREE_SHARED")
		if dir == "" {
			dir = filepath.Join("..", "..", "shared")
		}
		if f, err = os.Open(filepath.Join(dir, "data", "evaluations", name+".jsonl")); err != nil {
			t.Skipf("the shared data is not here (set MEMTREE_SHARED): %v", err)
		}
	}
	defer f.Close()
	var nodes []tree.Node
	for e, err := range ingest.Read(name, f) {
		require.NoError(t, err)
		formed, err := former.Form(t.Context(), e, nothing{})
		require.NoError(t, err)
		for _, c := range formed.Changes {
			nodes = append(nodes, c.Node)
		}
	}
	return nodes
}

// TestRealCases writes every case of the samples by itself. The block must have the lesson, and the checks for attacks
// and for leaks must let nearly all of these honest cases pass.
func TestRealCases(t *testing.T) {
	for _, name := range []string{"shop", "tau", "agentrx", "whoandwhen", "webjudge", "judgebench"} {
		t.Run(name, func(t *testing.T) {
			nodes := cases(t, name)
			reasons := map[string]int{}
			tokens := 0
			for _, n := range nodes {
				g, err := enhance.Write([]tree.Node{n}, enhance.Options{Prompt: n.CaseData.TestCase.Prompt})
				require.NoError(t, err)
				require.Equal(t, len(g.IDs), 1-len(g.Dropped))
				tokens += enhance.Tokens(g.Text)
				for _, d := range g.Dropped {
					reasons[d.Reason]++
				}
				if len(g.IDs) == 1 {
					require.Equal(t, 2, strings.Count(g.Text, "<"))
				}
			}
			dropped, silent := 0, reasons["it does not say what to check"] // a memory without content gives no text
			for _, n := range reasons {
				dropped += n
			}
			dropped -= silent
			why, err := json.Marshal(reasons)
			require.NoError(t, err)
			t.Logf("%d cases, %d left out, %.0f tokens each with fence and header: %s", len(nodes), dropped,
				float64(tokens)/float64(max(1, len(nodes)-dropped-silent)), why)
			require.LessOrEqual(t, dropped*20, len(nodes), "more than 5 %% of honest cases are left out")
		})
	}
}
