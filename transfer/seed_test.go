package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func readJSON(s string) ([]tree.Node, error) {
	var out []tree.Node
	err := transfer.ReadSeed(strings.NewReader(s), transfer.Allowed, func(string, tree.Raw) taxonomy.Direction {
		return taxonomy.FalsePass
	},
		func(n tree.Node) error { out = append(out, n); return nil })
	return out, err
}

// TestSeedForm: a written file has the members of the design's interfaces and no others, and can
// be read back.
func TestSeedForm(t *testing.T) {
	f := forest{}
	one, two := aCase("one"), aCase("two")
	one.Scene, two.Scene = tree.Scene{ID: "CART"}, tree.Scene{ID: "CART"} // all that the form has of a scene
	for _, n := range []*tree.Node{&one, &two} {
		n.CaseData.EvaluatorReason = ""
		n.ID = tree.EvidenceID(n)
		f[n.ID] = *n
	}
	above := anExperience(f, one.ID, two.ID)
	var buf bytes.Buffer
	require.NoError(t, transfer.WriteSeed(&buf, given(f.nodes()...)))
	var members []map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(buf.Bytes(), &members))
	require.Len(t, members, 3)
	for _, m := range members {
		for name := range m {
			require.Contains(t, []string{"id", "type", "level", "errorType", "content", "metadata", "children", "parent",
				"caseData"}, name)
		}
		require.NotContains(t, string(m["content"]), "lessons")
		require.Contains(t, string(m["metadata"]), `"createdAt":"2026-01-05T09:00:00.000Z"`)
	}
	back, err := readJSON(buf.String())
	require.NoError(t, err)
	require.Len(t, back, 3)
	for _, n := range back {
		require.NoError(t, tree.Check(&n))
		require.Contains(t, f, n.ID, "the same evidence has the same id")
		if n.Type == tree.Case {
			require.Equal(t, above.ID, n.Parent)
		}
	}
}

// TestPublicForm reads the file of the public implementation.
func TestPublicForm(t *testing.T) {
	nodes, err := readJSON(`{"rootIds":["s1"],"indices":{"bySceneId":{"A":["c1"]}},"metadata":{"totalNodes":3},"nodes":{
	"e1":{"id":"e1","type":"experience","content":{"title":"按钮","description":"未核对文字","guidance":"逐字核对",
		"triggers":["按钮"],"keywords":["k"]},"context":{"sceneId":"A","caseId":"","errorType":"content_validation_error",
		"prompt":""},"createdAt":"2026-01-05T09:00:00.000Z","updatedAt":"2026-01-05T09:00:00.000Z","usageCount":4,
		"successCount":3,"confidence":0.7,"childrenIds":[],"relatedCaseIds":["c1","missing"]},
	"c1":{"id":"c1","type":"case","content":{"title":"t","description":"d","guidance":"g","triggers":[],
		"keywords":[]},"context":{"sceneId":"A","caseId":"CASE_1","errorType":"content_validation_error","prompt":"检查按钮",
		"routePath":"/todo/42","uiElementTypes":["button"]},"createdAt":"2026-01-05T09:00:00.000Z","updatedAt":"bad",
		"usageCount":0,"successCount":0,"confidence":7,"parentId":"e1","childrenIds":[],"relatedCaseIds":[]}}}`)
	require.NoError(t, err)
	require.Len(t, nodes, 2)
	c, e := nodes[0], nodes[1]
	require.NoError(t, tree.Check(&c))
	require.NoError(t, tree.Check(&e))
	require.Equal(t, []string{c.ID}, e.Children)
	require.Equal(t, e.ID, c.Parent)
	require.Equal(t, "/todo/:p", c.Scene.Route)
	require.Equal(t, "检查按钮", c.CaseData.TestCase.Prompt)
	require.Equal(t, "g", c.CaseData.AvoidanceHint)
	require.InDelta(t, .75, e.Metadata.SuccessRate, 0)
	require.InDelta(t, 1, c.Content.Confidence, 0)
	require.Equal(t, "zh", e.Lang)
	plan := forest{}.take(t, nodes, transfer.PlannerOptions{})
	require.Equal(t, 2, plan.Counts[transfer.New])
}

func TestHostileJSON(t *testing.T) {
	for _, c := range []struct{ in, says string }{
		{``, "cut off"},
		{`[`, "cut off"},
		{`7`, "no export of memtree"},
		{`{}`, "no export of memtree"},
		{`{"nodes":7}`, "no export of memtree"},
		{`{"nodes":[],"nodes":[]}`, "twice"},
		{`[] []`, "goes on after its end"},
		{`[7]`, "no export of memtree"},
		{`[{"id":"` + strings.Repeat("x", 5<<20) + `"}]`, "a value of more than"},
		{`{"x":"` + strings.Repeat("x", 5<<20) + `","nodes":[]}`, "a value of more than"},
		{`[` + strings.Repeat("[", 1<<16), "no export of memtree"},
		{`{"x":` + strings.Repeat("[", 1<<16), ""},
		{`[` + strings.Repeat("{},", 50_000) + `{}]`, "more than 50000 nodes"},
	} {
		_, err := readJSON(c.in)
		var file *transfer.UnusableError
		require.ErrorAs(t, err, &file, "%.40s", c.in)
		require.ErrorContains(t, err, c.says, "%.40s", c.in)
	}
	// A circle of parents: only nodes that rest on cases remain above.
	nodes, err := readJSON(`[{"id":"a","type":"experience","children":["b"]},{"id":"b","type":"experience",
		"children":["a"],"parent":"a"},{"id":"s","type":"strategy","children":["s"]}]`)
	require.NoError(t, err)
	for _, n := range nodes {
		require.Empty(t, n.Children)
		require.Empty(t, n.Parent)
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add(`[{"id":"a","type":"case","caseData":{"testCase":{"prompt":"p","ground_truth":{"x":1}}},
		"content":{"guidance":"g"}}]`)
	f.Add(`{"nodes":{"e":{"type":"experience","context":{"errorType":"X","routePath":"/a?b"},"relatedCaseIds":["c"]}}}`)
	f.Fuzz(func(t *testing.T, s string) {
		nodes, err := readJSON(s)
		if err != nil {
			return
		}
		p := transfer.NewPlanner(forest{}, transfer.PlannerOptions{})
		for _, n := range nodes {
			require.NoError(t, p.Add(context.Background(), n), fmt.Sprint(n.ID))
		}
		_, err = p.Plan(context.Background())
		require.NoError(t, err)
		for family, err := range p.Batches(1 << 20) {
			require.NoError(t, err)
			for _, c := range family {
				require.NoError(t, tree.Check(&c.Node))
			}
		}
		require.NoError(t, p.Close())
	})
}
