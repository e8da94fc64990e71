package formation

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
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

// memory is a View of the cases that were formed before.
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

func TestQuality(t *testing.T) {
	data := shared(t)
	var b strings.Builder
	b.WriteString("The rules analyst, no model. right: its type is one of the two readings (webjudge), the mapped\n" +
		"human category (ui_flaky); also: right or as good by a third reading; abstain: other_error.\n\n")
	b.WriteString("set        n  right  also  wrong  abstain  share  bar\n")
	r := webjudgeQuality(t, data)
	fmt.Fprintf(&b, "webjudge %3d    %3d   %3d    %3d      %3d   %.3f  0.50\n", r.n, r.right, r.also, r.wrong, r.abstain,
		float64(r.right)/float64(r.n))
	r = flakyQuality(t, data)
	fmt.Fprintf(&b, "ui_flaky %3d    %3d     –    %3d      %3d   %.3f  0.53\n", r.n, r.right, r.wrong, r.abstain,
		float64(r.right)/float64(r.n))
	golden.Equal(t, "testdata/quality.golden", b.String())
}

type rates struct{ n, right, also, wrong, abstain int }

func webjudgeQuality(t *testing.T, data string) rates {
	type reading struct {
		ID            string
		First, Second string
		Also          []string
	}
	readings := map[string]reading{}
	lines(t, filepath.Join(data, "classify", "webjudge_types.jsonl"), func(line []byte) {
		var x reading
		require.NoError(t, json.Unmarshal(line, &x))
		readings[x.ID] = x
	})
	f, err := New(Options{})
	require.NoError(t, err)
	var r rates
	for _, e := range evaluations(t, filepath.Join(data, "evaluations", "webjudge.jsonl")) {
		x, ok := readings[e.ID]
		if !ok {
			continue
		}
		out, err := f.Form(t.Context(), e, &memory{})
		require.NoError(t, err)
		got := out.Changes[0].Node.ErrorType
		r.n++
		also := strings.Contains(" "+strings.Join(x.Also, " ")+" ", " "+got+" ")
		switch got {
		case taxonomy.OtherError:
			r.abstain++
		case x.First, x.Second:
			r.right++
			r.also++
		default:
			r.wrong++
			if also {
				r.also++
			}
		}
		if os.Getenv("MEMTREE_CONFUSION") != "" {
			t.Log(x.First, x.Second, got, e.Direction)
		}
	}
	return r
}

// mapped maps a human category of ui_flaky to an error type, as its README does.
var mapped = map[string]string{
	"Resource Rendering": "async_timing_error", "Animation Timing Issue": "async_timing_error",
	"Network Resource Loading": "async_timing_error", "Incorrect Resource Load Order": "async_timing_error",
	"DOM Selector Issue": "element_locating_error", "Incorrect Test Runner Interaction": "interaction_sequence_error",
	"Layout Difference": "content_validation_error", "Test Order Dependency": "state_detection_error",
	"Platform Issue": "edge_case_error", "Randomness": "edge_case_error", "Time": "edge_case_error",
	"Unordered Collections": "edge_case_error",
}

func flakyQuality(t *testing.T, data string) rates {
	c := newClassifier(taxonomy.Default())
	var r rates
	lines(t, filepath.Join(data, "classify", "ui_flaky.jsonl"), func(line []byte) {
		var x struct {
			Title, Body string
			Cause       string `json:"root_cause"`
			Category    string `json:"root_cause_category"`
			Fixed       string `json:"how_fixed"`
		}
		require.NoError(t, json.Unmarshal(line, &x))
		want, ok := mapped[x.Category]
		require.True(t, ok, x.Category)
		got := c.classify(
			weightedText{x.Cause, 1.5}, weightedText{x.Title, 0.5},
			weightedText{x.Fixed, 0.5}, weightedText{x.Body, 0.2})
		r.n++
		switch got.Type {
		case want:
			r.right++
		case taxonomy.OtherError:
			r.abstain++
		default:
			r.wrong++
		}
		if os.Getenv("MEMTREE_CONFUSION") != "" {
			t.Log(want, got.Type)
		}
	})
	return r
}
