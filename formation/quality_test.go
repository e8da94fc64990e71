package formation

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// shared is the folder of real data that is measured with and not shipped.
func shared(tb testing.TB) string {
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		tb.Skip("the shared data is not here; set MEMTREE_SHARED to the folder that has data/ in it")
	}
	return filepath.Join(dir, "data")
}

func lines(tb testing.TB, path string, each func(line []byte)) {
	tb.Helper()
	f, err := os.Open(path)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, f.Close()) }()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 8<<20)
	for s.Scan() {
		each(s.Bytes())
	}
	require.NoError(tb, s.Err())
}

func evaluations(tb testing.TB, path string) []tree.Evaluation {
	var list []tree.Evaluation
	lines(tb, path, func(line []byte) {
		var e tree.Evaluation
		require.NoError(tb, json.Unmarshal(line, &e))
		list = append(list, e)
	})
	return list
}

// memory is a treeView of the cases that were formed before.
type memory struct{ nodes []tree.Node }

func (m *memory) Get(_ context.Context, id string) (tree.Node, error) {
	for i := range m.nodes {
		if m.nodes[i].ID == id {
			return m.nodes[i], nil
		}
	}
	return tree.Node{}, fmt.Errorf("get %s: %w", id, tree.ErrNotFound)
}

func (m *memory) Similar(_ context.Context, n *tree.Node, k int) ([]tree.Node, error) {
	var out []tree.Node
	for i := range m.nodes {
		o := &m.nodes[i]
		test := n.CaseData.TestCase.CaseID != "" && o.CaseData.TestCase.CaseID == n.CaseData.TestCase.CaseID
		if o.Direction == n.Direction && (test || o.ErrorType == n.ErrorType && o.Scene.ID == n.Scene.ID && len(out) < k) {
			out = append(out, *o)
		}
	}
	return out, nil
}

func (m *memory) apply(changes []tree.Change) {
	for _, c := range changes {
		replaced := false
		for i := range m.nodes {
			if m.nodes[i].ID == c.Node.ID {
				m.nodes[i], replaced = c.Node, true
			}
		}
		if !replaced {
			m.nodes = append(m.nodes, c.Node)
		}
	}
}

// TestQualityOfNotes measures how many notes of each writer get a check, and how many of these have the
// labelled cause that most of their check have. What the rules read of a note may be little and must be right.
func TestQualityOfNotes(t *testing.T) {
	data := shared(t)
	var b strings.Builder
	b.WriteString("suite  notes  with a check  agree\n")
	for _, suite := range []string{"a", "b", "g", "i"} {
		causes, notes, typed, agree := map[string]map[string]int{}, 0, 0, 0
		f := New(Options{})
		lines(t, filepath.Join(data, "lessons", "suite-"+suite, "runs.jsonl"), func(line []byte) {
			var label struct{ Labels struct{ Cause string } }
			require.NoError(t, json.Unmarshal(line, &label))
			var e tree.Evaluation
			require.NoError(t, json.Unmarshal(line, &e))
			if e.Correct == nil || *e.Correct || e.Reason == "" {
				return
			}
			notes++
			out, err := f.Form(t.Context(), e, &memory{})
			require.NoError(t, err)
			if check := out.Changes[0].Node.CaseData.Misses[0].Check; check != "" {
				typed++
				if causes[check] == nil {
					causes[check] = map[string]int{}
				}
				causes[check][label.Labels.Cause]++
			}
		})
		for _, of := range causes {
			agree += slices.Max(slices.Collect(maps.Values(of)))
		}
		fmt.Fprintf(&b, "%s      %5d         %.3f  %.3f\n", suite, notes, portion(typed, notes), portion(agree, typed))
		require.GreaterOrEqual(t, portion(agree, typed), 0.80, "suite %s: a note that gets a check gets the right one", suite)
	}
	golden.Equal(t, "testdata/notes.golden", b.String())
}

func portion(part, of int) float64 { return float64(part) / float64(max(1, of)) }
