package tree_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func TestCheckNamesTheBrokenLaw(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*tree.Node)
		want string
	}{
		{"lawful", func(*tree.Node) {}, ""},
		{"level", func(n *tree.Node) { n.Level = 2 }, "its level is that of its type, but a case has level 2"},
		{"type", func(n *tree.Node) { n.Type = "thought" }, `its type is case, experience or strategy, but it is "thought"`},
		{"confidence", func(n *tree.Node) { n.Content.Confidence = math.NaN() }, "its confidence lies in 0 to 1"},
		{"direction", func(n *tree.Node) { n.Direction = "up" }, "its direction is false_pass"},
		{"evidence", func(n *tree.Node) { n.CaseData = nil }, "a case has evidence, but there is none"},
		{"changed evidence", func(n *tree.Node) { n.CaseData.TestCase.Prompt += "!" },
			"a case's id is the hash of its evidence"},
		{"children", func(n *tree.Node) { n.Children = []string{"c_x"} }, "a case has no children, but there are 1"},
		{"error type", func(n *tree.Node) { n.ErrorType = "../etc" },
			`its error type is a lower-case name with _, but it is "../etc"`},
		{"silence", func(n *tree.Node) { n.Content.Guidance = "" }, "it says what to check"},
		{"length", func(n *tree.Node) { n.Content.Guidance = strings.Repeat("x", tree.MaxNodeLine+1) },
			"content has 4097 bytes; the most is 4096"},
		{"archive", func(n *tree.Node) { n.Status = tree.Archived }, "an archived node says why"},
		{"lesson", func(n *tree.Node) { n.Content.Lessons = []tree.Lesson{{ID: "l_x", Check: "look"}} },
			"a lesson's id is the hash of its words"},
		{"NUL", func(n *tree.Node) { n.Content.Title = "a\x00b" }, "has a NUL character"},
		{"own check", func(n *tree.Node) {
			n.CaseData.Misses = []tree.Miss{{Check: "own/unit_not_read_3f9a2c", ErrorType: "other_error", From: tree.FromModel}}
		}, ""},
		{"own check as a path", func(n *tree.Node) {
			n.CaseData.Misses = []tree.Miss{{Check: "own/../etc", ErrorType: "other_error", From: tree.FromModel}}
		}, "a check is named by lower-case letters, digits and _, after own/"},
		{"self", func(n *tree.Node) { n.Parent = n.ID }, "it is not its own kin"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := aCase()
			tt.do(&n)
			err := tree.Check(&n)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
			var law *tree.LawError
			require.ErrorAs(t, err, &law)
		})
	}
}

func anExperience(children ...string) tree.Node {
	return tree.Node{
		ID: "e_1", Type: tree.Experience, Level: 2, ErrorType: "content_validation_error", Direction: taxonomy.FalsePass,
		Content: tree.Content{Guidance: "逐字核对"}, Children: children, Lang: "zh", Status: tree.Probation, Revision: 1,
	}
}

func TestCheckLinks(t *testing.T) {
	kid := aCase()
	kid.Parent = "e_1"
	e := anExperience(kid.ID)
	nodes := map[string]tree.Node{kid.ID: kid, e.ID: e}
	get := func(_ context.Context, id string) (tree.Node, error) {
		n, ok := nodes[id]
		if !ok {
			return n, tree.ErrNotFound
		}
		return n, nil
	}
	check := func(n tree.Node) error { return tree.CheckLinks(t.Context(), &n, get) }
	require.NoError(t, tree.Check(&e))
	require.NoError(t, check(e))
	require.NoError(t, check(kid))

	require.ErrorContains(t, check(anExperience("c_gone")), "the nodes it names exist, but c_gone does not")
	other := anExperience(kid.ID)
	other.Direction = taxonomy.FalseFail
	require.ErrorContains(t, check(other), "its children have its direction")
	nodes[e.ID] = anExperience("c_other")
	require.ErrorContains(t, check(kid), "its parent names it as a child")
	kid.Parent = kid.ID
	nodes[kid.ID] = kid
	require.ErrorContains(t, check(kid), "its parent is one level above")
}

func TestRoute(t *testing.T) {
	for in, want := range map[string]string{
		"/orders/42?x=1#y":                        "/orders/:p",
		"/orders/42/":                             "/orders/:p",
		"https://shop.example/orders/42/items":    "/orders/:p/items",
		"/u/550e8400-e29b-41d4-a716-446655440000": "/u/:p",
		"/c/9f86d081884c7d659a2feaa0":             "/c/:p",
		"/todo-v2":                                "/todo-v2",
		"/decade":                                 "/decade",
		"/faceted":                                "/faceted",
		"":                                        "",
		"/":                                       "/",
		"#/settings/7":                            "/settings/:p",
		"商品/12":                                   "/商品/:p",
		"https://shop.example":                    "/",
		"/2024/01/report":                         "/:p/:p/report",
	} {
		require.Equal(t, want, tree.Route(in), in)
		require.Equal(t, want, tree.Route(want), "a pattern stays")
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`"pass"`: "pass", " \"pass\"\n": "pass", `{"b":1, "a":2}`: `{"a":2,"b":1}`, ` null `: "", ``: "", `  `: "  ",
	} {
		require.Equal(t, want, tree.Raw(in).Text(), in)
	}
}

func TestCanonicalSpellsEqualValuesAlike(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1.0,"a":[1e2, -0.0, 0.1]}`: `{"a":[100,0,0.1],"b":1}`,
		`"<a&b>\u00e9"`:                  `"<a&b>é"`,
		`12345678901234567890`:           `12345678901234567890`,
		`1e400`:                          `1e400`,
		`1e-7`:                           `1e-7`,
		`1E21`:                           `1e+21`,
		``:                               `null`,
		`nonsense`:                       `nonsense`,
	} {
		require.Equal(t, want, string(tree.Raw(in).Canonical()), in)
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add([]byte(`{"a":[1.50,{"b":null}],"a":"\ud800"}`))
	f.Add([]byte(strings.Repeat("[", 100)))
	f.Fuzz(func(t *testing.T, b []byte) {
		once := tree.Raw(b).Canonical()
		require.Equal(t, string(once), string(once.Canonical()), "canonical is a fixed point")
		if tree.Raw(b).Check() == nil && len(b) > 0 {
			require.True(t, json.Valid(once))
		}
	})
}

func FuzzRoute(f *testing.F) {
	f.Add("/orders/42?x=1#y")
	f.Add("#//#?a://b")
	f.Fuzz(func(t *testing.T, s string) {
		once := tree.Route(s)
		require.Equal(t, once, tree.Route(once))
		require.LessOrEqual(t, len(once), 2*len(s)+1)
	})
}

func FuzzNode(f *testing.F) {
	n := aCase()
	b, err := json.Marshal(n)
	require.NoError(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var n tree.Node
		if json.Unmarshal(b, &n) != nil || tree.Check(&n) != nil {
			return
		}
		once, err := json.Marshal(n)
		require.NoError(t, err, "what is lawful can be written")
		var back tree.Node
		require.NoError(t, json.Unmarshal(once, &back))
		twice, err := json.Marshal(back)
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice))
	})
}

func TestIdsAreOfTheEvidenceOnly(t *testing.T) {
	a, b := aCase(), aCase()
	b.CaseData.ErrorReason, b.Content.Guidance, b.Metadata.CreatedAt = "another analysis", "other", time.Now()
	b.CaseData.TestCase.GroundTruth = tree.Raw(` { "n" : 1, "has_defect" : true } `)
	require.Equal(t, tree.EvidenceID(&a), tree.EvidenceID(&b))
	b.CaseData.EvaluatorReason = "the evaluator said something else"
	require.NotEqual(t, tree.EvidenceID(&a), tree.EvidenceID(&b))

	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.StringMatching(`c_[a-z]{3}`)).Draw(t, "ids")
		mixed := slices.Clone(ids)
		slices.Reverse(mixed)
		require.Equal(t, tree.GroupID(tree.Experience, "x", "other", ids),
			tree.GroupID(tree.Experience, "x", "other", append(mixed, ids...)))
	})
	require.Equal(t, tree.LessonID(tree.Lesson{Check: "Look  twice"}),
		tree.LessonID(tree.Lesson{Check: "look twice", Cites: []string{"c_1"}}))
	require.NotEqual(t, tree.Hash("ab", "c"), tree.Hash("a", "bc"), "parts do not run together")
}

func TestChangeKeysAreDeterministic(t *testing.T) {
	a := tree.NewChange(tree.OpAdd, aCase(), 0, "formation", "because")
	b := tree.NewChange(tree.OpAdd, aCase(), 0, "formation", "because")
	require.Equal(t, a, b)
	require.Equal(t, a.Key, a.Node.LastChange)
	require.Equal(t, 1, a.Node.Revision)
	require.NotEqual(t, a.Key, tree.NewChange(tree.OpAdd, aCase(), 1, "formation", "because").Key)
	on := a.On("c_other", 7)
	require.Equal(t, map[string]int{a.Node.ID: 0, "c_other": 7}, on.Basis)
	require.Len(t, a.Basis, 1, "On leaves the first change as it was")
}
