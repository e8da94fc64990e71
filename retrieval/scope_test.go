package retrieval

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// A lesson from cases is for every product, whatever theirs; one that a person brought stays in its
// own.
func TestScopesOfLessons(t *testing.T) {
	of := func(cites ...string) func(*tree.Node) {
		return func(n *tree.Node) { n.Scope, n.Provenance.Cites = tree.Scope{Product: "shop"}, cites }
	}
	one, other := above(tree.Experience, "e_learned", login), above(tree.Experience, "e_brought", login)
	of("c_1", "c_2")(&one)
	of()(&other)
	ix := indexOf(t, one, other)
	_, by := explain(t, ix, Query{Prompt: login, Scope: tree.Scope{Product: "desk"}})
	require.Contains(t, by, "e_learned")
	require.NotContains(t, by, "e_brought")
}

func TestScopes(t *testing.T) {
	suite := []string{"t1", "t2", "t3"}
	ix := indexOf(t,
		aCase(login, id("c_every")),
		aCase(login, id("c_product"), scope(tree.Scope{Product: "shop"})),
		aCase(login, id("c_suite"), scope(tree.Scope{Product: "shop", Suite: "smoke", SuiteTests: suite, Position: 1})),
		aCase(login, id("c_test"), scope(tree.Scope{Test: "t2"})))
	for _, x := range []struct {
		scope tree.Scope
		want  []string
	}{
		{tree.Scope{}, []string{"c_every", "c_product"}},
		{tree.Scope{Product: "desk"}, []string{"c_every"}},
		{tree.Scope{Product: "shop"}, []string{"c_every", "c_product"}},
		{tree.Scope{Product: "desk", Test: "t2"}, []string{"c_every", "c_test"}},
		{tree.Scope{Product: "shop", Suite: "smoke", SuiteTests: suite, Position: 1},
			[]string{"c_every", "c_product", "c_suite"}},
		{tree.Scope{Product: "shop", Suite: "smoke", SuiteTests: suite, Position: 2}, []string{"c_every", "c_product"}},
		{tree.Scope{Product: "shop", Suite: "smoke", SuiteTests: []string{"t2", "t1", "t3"}, Position: 1},
			[]string{"c_every", "c_product"}},
		{tree.Scope{Product: "shop", Suite: "smoke"}, []string{"c_every", "c_product"}},
		{tree.Scope{Product: "shop", Suite: "smoke", SuiteTests: []string{"t0", "t1", "t2", "t3"}, Position: 2},
			[]string{"c_every", "c_product", "c_suite"}},
		{tree.Scope{Product: "shop", Suite: "smoke", SuiteTests: []string{"t1", "t2"}, Position: 1},
			[]string{"c_every", "c_product", "c_suite"}},
		{tree.Scope{Product: "shop", Suite: "smoke", SuiteTests: []string{"t1", "t3", "t2"}, Position: 2},
			[]string{"c_every", "c_product"}},
		{tree.Scope{Product: "shop", Suite: "full", SuiteTests: suite, Position: 1}, []string{"c_every", "c_product"}},
	} {
		_, by := explain(t, ix, Query{Prompt: login, Scope: x.scope})
		got := []string{}
		for _, id := range []string{"c_every", "c_product", "c_suite", "c_test"} {
			if _, ok := by[id]; ok {
				got = append(got, id)
			}
		}
		require.Equal(t, x.want, got, "%+v", x.scope)
	}
}

// If neither side names a route, the scene id is the whole place. If one side does, the scene
// id is half of it.
func TestARouteThatNobodyNamesIsEqual(t *testing.T) {
	nodes := []tree.Node{
		aCase("the avatar is round", id("c_bare"), in("S1", "list", "")),
		aCase("the map is square", id("c_routed"), in("S1", "list", "/people")),
		aCase("logos are sharp", id("c_route"), in("", "list", "/people")),
		aCase("a tooltip names the icon", id("c_none"), in("", "list", "")),
	}
	ix := indexOf(t, nodes...)
	for _, x := range []struct {
		scene tree.Scene
		full  []string
		half  []string
	}{
		{tree.Scene{ID: "S1"}, []string{"c_bare"}, []string{"c_routed"}},
		{tree.Scene{Route: "/people"}, []string{"c_route"}, []string{"c_routed"}},
		{tree.Scene{ID: "S1", Route: "/people"}, []string{"c_routed"}, []string{"c_bare", "c_route"}},
		{tree.Scene{ID: "S1", Route: "/else"}, nil, []string{"c_bare", "c_routed"}},
		{tree.Scene{Type: "list"}, nil, nil},
	} {
		_, by := explain(t, ix, Query{Prompt: "印章的颜色", Scene: x.scene})
		for _, n := range nodes {
			want := 0.0
			switch {
			case slices.Contains(x.full, n.ID):
				want = 1
			case slices.Contains(x.half, n.ID):
				want = 0.5
			}
			require.InDelta(t, want, signal(by[n.ID], "exact").Raw, 1e-9, "%s for %+v", n.ID, x.scene)
			require.Equal(t, want == 1, by[n.ID].SameScene)
		}
	}
}
