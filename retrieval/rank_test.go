package retrieval

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// explain returns the answer and every candidate by id. It checks that each candidate that was
// not taken has a reason.
func explain(tb testing.TB, ix *Index, q Query) (Result, map[string]Hit) {
	tb.Helper()
	r, err := ix.Explain(tb.Context(), q)
	require.NoError(tb, err)
	by := map[string]Hit{}
	for _, h := range r.Considered {
		by[h.ID] = h
		if !h.Taken {
			require.NotEmpty(tb, h.Reason, "every drop has its reason")
		}
	}
	return r, by
}

func signal(h Hit, name string) Signal {
	for _, s := range h.Signals {
		if s.Name == name {
			return s
		}
	}
	return Signal{}
}

const login = "the login button stays disabled until a password is typed"

func id(s string) func(*tree.Node)                { return func(n *tree.Node) { n.ID = s } }
func child(parent string) func(*tree.Node)        { return func(n *tree.Node) { n.Parent = parent } }
func trusted(c float64) func(*tree.Node)          { return func(n *tree.Node) { n.Content.Confidence = c } }
func seen(at time.Time) func(*tree.Node)          { return func(n *tree.Node) { n.Metadata.UpdatedAt = at } }
func scope(s tree.Scope) func(*tree.Node)         { return func(n *tree.Node) { n.Scope = s } }
func kindOf(e string) func(*tree.Node)            { return func(n *tree.Node) { n.ErrorType = e } }
func wrong(d taxonomy.Direction) func(*tree.Node) { return func(n *tree.Node) { n.Direction = d } }
func test(caseID string) func(*tree.Node) {
	return func(n *tree.Node) { n.CaseData.TestCase.CaseID = caseID }
}

func TestChannels(t *testing.T) {
	ix := indexOf(t,
		aCase("the total is the sum of all lines", id("c_both"), in("S1", "form", "/orders/1")),
		aCase("the avatar is round", id("c_scene"), in("S1", "list", "/people")),
		aCase("the search box finds nothing for blanks", id("c_route"), in("S9", "search", "/orders/7")),
		aCase("a tooltip names the icon", id("c_type"), in("S8", "form", "/tips")),
		aCase(login, id("c_words"), in("S7", "login", "/login")),
	)
	r, by := explain(t, ix, Query{Prompt: "印章的颜色",
		Scene: tree.Scene{ID: "S1", Type: "form", Route: "https://x.test/orders/55?tab=2"}})
	require.True(t, r.Abstained)
	require.InDelta(t, 1, by["c_both"].Rel, 1e-9)
	require.Contains(t, by["c_both"].Reason, "its place is no reason")
	require.InDelta(t, 0.5, signal(by["c_scene"], "exact").Raw, 1e-9)
	require.Less(t, signal(by["c_scene"], "exact").Calibrated, 0.5, "another memory has the scene id too")
	require.InDelta(t, 0.5, signal(by["c_route"], "exact").Raw, 1e-9)
	require.InDelta(t, 0.6, by["c_type"].Rel, 0.01)
	require.False(t, by["c_type"].Taken, "a scene type alone never injects a case")
	require.Contains(t, by["c_type"].Reason, "the least for a memory of this level (case) is 0.620")

	_, by = explain(t, ix, Query{Prompt: login})
	require.True(t, by["c_words"].Taken)
	require.LessOrEqual(t, by["c_words"].Rel, 0.8)
	require.Greater(t, signal(by["c_words"], "meaning").Raw, 0.99)

	for _, q := range []Query{{Prompt: "x", Scene: tree.Scene{}}, {Prompt: ""}, {}} {
		r, _ := explain(t, ix, q)
		require.True(t, r.Abstained, "what is empty equals nothing")
		require.NotNil(t, r.Nearest)
	}
}

func TestSceneTypesHaveParentsAndOtherNames(t *testing.T) {
	tax := taxonomy.Default()
	var kid taxonomy.SceneType
	for _, s := range tax.SceneTypes() {
		if s.Parent != "" {
			kid = s
		}
	}
	require.NotEmpty(t, kid.ID)
	ix := indexOf(t, aCase("one", id("c_same"), in("", kid.ID, "")), aCase("two", id("c_parent"), in("", kid.Parent, "")))
	_, by := explain(t, ix, Query{Prompt: "three", Scene: tree.Scene{Type: kid.Name.ZH}})
	require.InDelta(t, 1, signal(by["c_same"], "scene").Raw, 1e-9)
	require.InDelta(t, 0.5, signal(by["c_parent"], "scene").Raw, 1e-9)
}

// A place is no reason by itself. Where few memories share it, a text that is not far off is enough.
func TestAPlaceIsNoReason(t *testing.T) {
	c := newCorpus(4)
	nodes := []tree.Node{aCase("the avatar is round", id("c_here"), in("S1", "list", ""))}
	for i := range 30 {
		nodes = append(nodes, aCase(c.prompt(), in(fmt.Sprintf("T%d", i), "list", "")))
	}
	ix, here := indexOf(t, nodes...), tree.Scene{ID: "S1", Type: "list"}
	require.True(t, ask(t, ix, Query{Prompt: "印章的颜色", Scene: here}).Abstained)
	near := Query{Prompt: "a round table is booked"}
	require.True(t, ask(t, ix, near).Abstained)
	near.Scene = here
	require.Equal(t, []string{"c_here"}, ids(ask(t, ix, near).Hits))
}

// If every memory has one scene id, the id is no evidence. The route still is.
func TestASceneIDThatAllShareSaysNothing(t *testing.T) {
	c := newCorpus(3)
	var nodes []tree.Node
	for i := range 100 {
		nodes = append(nodes, aCase(c.prompt(), in("SCENE_001", "form", fmt.Sprintf("/page-%c%c", 'a'+i/26, 'a'+i%26))))
	}
	ix := indexOf(t, nodes...)
	r, _ := explain(t, ix, Query{Prompt: "印章的颜色", Scene: tree.Scene{ID: "SCENE_001", Type: "form"}})
	require.True(t, r.Abstained)
	require.Less(t, signal(*r.Nearest, "exact").Calibrated, 0.06)
	r, _ = explain(t, ix, Query{Prompt: "印章的颜色", Scene: tree.Scene{ID: "SCENE_001", Type: "form", Route: "/page-cc"}})
	require.True(t, r.Nearest.SameScene)
	require.Greater(t, signal(*r.Nearest, "exact").Calibrated, leastPlace)
}

func TestLevels(t *testing.T) {
	nodes := []tree.Node{
		above(tree.Strategy, "s_1", "when a form is judged"),
		above(tree.Experience, "e_1", "buttons that wait for input", child("s_1")),
		aCase(login, id("c_1"), child("e_1")),
		aCase("the login button is disabled until the password was typed", id("c_2"), child("e_1")),
		aCase("a saved draft is offered again", id("c_3")),
	}
	ix := indexOf(t, nodes...)
	_, by := explain(t, ix, Query{Prompt: login})
	require.InDelta(t, 0.9*by["c_1"].Rel, by["e_1"].Rel, 1e-9)
	require.InDelta(t, 0.8*by["e_1"].Rel, by["s_1"].Rel, 1e-9)
	require.InDelta(t, by["c_1"].Rel, signal(by["e_1"], "activation").Raw, 1e-9)
	require.True(t, by["c_1"].Taken, "the very case says more than what it shares with others")
	require.Contains(t, by["e_1"].Reason, "c_1")

	const other = "the login button is disabled until a code was typed"
	r, by := explain(t, ix, Query{Prompt: other})
	require.Equal(t, []string{"e_1"}, ids(r.Hits), "an experience replaces the cases it stands for")
	require.Contains(t, by["c_1"].Reason, "covered by experience e_1")
	require.Contains(t, by["s_1"].Reason, "of one branch with e_1", "what stands on it would say the same again")
	_, by = explain(t, ix, Query{Prompt: other, Exclude: []string{"c_2"}})
	require.True(t, by["c_1"].Taken, "one case says more than its lesson")
	require.NotContains(t, by, "c_2")
}

// A case of the same scene type does not lift its lesson, because the lesson's own scene type is the same evidence.
func TestACaseOfTheSceneTypeAloneLiftsNothing(t *testing.T) {
	ix := indexOf(t,
		above(tree.Experience, "e_1", "totals and their lines"),
		aCase("the total of the basket is the sum of its lines", id("c_1"), child("e_1"), in("S1", "login", "/basket")))
	_, by := explain(t, ix, Query{Prompt: "logos are sharp", Scene: tree.Scene{ID: "S9", Type: "login", Route: "/other"}})
	require.Greater(t, by["c_1"].Rel, 0.5)
	require.False(t, by["c_1"].Taken)
	require.Less(t, by["e_1"].Rel, 0.5)
	require.False(t, by["e_1"].Taken)
}

// If a lesson cannot be taken, the cases that it covers can, so that something is returned.
func TestACoverThatCannotBeTakenCoversNothing(t *testing.T) {
	nodes := []tree.Node{
		above(tree.Experience, "e_1", "buttons that wait for input"),
		aCase("the login button is disabled until the name was typed", id("c_1"), child("e_1")),
		aCase("the login button is disabled until the password was typed", id("c_2"), child("e_1")),
	}
	ix := indexOf(t, nodes...)
	const other = "the login button is disabled until a code was typed"
	r, by := explain(t, ix, Query{Prompt: other})
	require.Equal(t, []string{"e_1"}, ids(r.Hits))
	require.Contains(t, by["c_1"].Reason, "covered by experience e_1; of the candidates it stands for: 2")
	r, by = explain(t, ix, Query{Prompt: other, Limits: Limits{Experiences: -1}})
	require.Len(t, r.Hits, 2)
	require.False(t, by["e_1"].Taken)
	require.NotContains(t, by["c_1"].Reason, "covered")
}

// Beside a case of the very test there is no lesson: lessons are for tests not seen before.
func TestNoLessonBesideTheVeryTest(t *testing.T) {
	ix := indexOf(t,
		aCase(login, id("c_1"), trusted(0.9)),
		above(tree.Experience, "e_1", login, kindOf("async_timing_error")),
		above(tree.Strategy, "s_1", login, kindOf("edge_case_error")))
	r, by := explain(t, ix, Query{Prompt: login})
	require.Equal(t, []string{"c_1"}, ids(r.Hits))
	require.Contains(t, by["e_1"].Reason, "the case c_1 is of the very test")
	require.Contains(t, by["s_1"].Reason, "the case c_1 is of the very test")
	r, _ = explain(t, ix, Query{Prompt: login, Exclude: []string{"c_1"}, Limits: Limits{Strategies: 1}})
	require.Equal(t, []string{"e_1", "s_1"}, ids(r.Hits))
	r, _ = explain(t, ix, Query{Prompt: login, Exclude: []string{"c_1"}})
	require.Equal(t, []string{"e_1"}, ids(r.Hits), "a strategy is given only to who asks for one")
}

func TestLimits(t *testing.T) {
	const asked = "the login button stays disabled until the user has typed a password"
	var nodes []tree.Node
	for i := range 6 {
		nodes = append(nodes, aCase(fmt.Sprintf("%s %c", login, 'a'+i), id(fmt.Sprintf("c_%d", i)),
			trusted(0.9-0.1*float64(i))))
	}
	nodes = append(nodes, aCase(login, id("c_low"), trusted(0.05)))
	for i := range 3 {
		nodes = append(nodes, above(tree.Experience, fmt.Sprintf("e_%d", i), login, kindOf("async_timing_error")),
			above(tree.Strategy, fmt.Sprintf("s_%d", i), login, kindOf("edge_case_error")))
	}
	ix := indexOf(t, nodes...)
	for _, x := range []struct {
		limits              Limits
		total, cases, above int
	}{
		{Limits{Strategies: 1}, 3, 2, 3},
		{Limits{Total: 9, Strategies: 1}, 5, 2, 3},
		{Limits{Total: 9, Cases: 4, Experiences: -1, Strategies: -1}, 4, 4, 0},
		{Limits{Total: -1}, 0, 0, 0},
	} {
		r, by := explain(t, ix, Query{Prompt: asked, Limits: x.limits})
		require.Len(t, r.Hits, x.total)
		cases := 0
		for _, h := range r.Hits {
			if h.Type == tree.Case {
				cases++
			}
		}
		require.LessOrEqual(t, cases, x.cases)
		require.LessOrEqual(t, len(r.Hits)-cases, x.above)
		require.Contains(t, by["c_low"].Reason, "below the floor")
	}
	_, by := explain(t, ix, Query{Prompt: login, Limits: Limits{Confidence: -1, Cases: 9, Total: 20}})
	require.True(t, by["c_low"].Taken)
}

func TestARepetitionThatAddsLittleIsLeftOut(t *testing.T) {
	ix := indexOf(t, aCase(login, id("c_1"), trusted(0.9)),
		aCase(login, id("c_2"), trusted(0.05), seen(noon.Add(-2000*time.Hour))))
	r, by := explain(t, ix, Query{Prompt: "when is the login button of the shop disabled, and until what was typed",
		Now: noon.Add(9000 * time.Hour), Limits: Limits{Confidence: -1}})
	require.Equal(t, []string{"c_1"}, ids(r.Hits))
	require.Contains(t, by["c_2"].Reason, "adds too little")
}

func TestNeverBothDirections(t *testing.T) {
	ix := indexOf(t,
		aCase(login, id("c_pass"), trusted(0.9)),
		aCase(login+" again", id("c_fail"), wrong(taxonomy.FalseFail)),
		aCase(login+" once more", id("c_else"), wrong(taxonomy.FalseFail), kindOf("async_timing_error")))
	r, by := explain(t, ix, Query{Prompt: login})
	require.Equal(t, []string{"c_pass", "c_else"}, ids(r.Hits))
	require.Contains(t, by["c_fail"].Reason, "never both")
}

// Of two directions of one check the better memory is given; those of two checks are two matters.
func TestDirectionsOfChecks(t *testing.T) {
	missed := func(check string) func(*tree.Node) {
		return func(n *tree.Node) { n.CaseData.Misses = []tree.Miss{{Check: check, ErrorType: n.ErrorType, Sure: 1}} }
	}
	ix := indexOf(t,
		aCase(login, id("c_pass"), trusted(0.9), missed("recompute")),
		aCase(login+" again", id("c_same"), wrong(taxonomy.FalseFail), missed("recompute")),
		aCase(login+" once more", id("c_else"), wrong(taxonomy.FalseFail), missed("whole_list")))
	r, by := explain(t, ix, Query{Prompt: login})
	require.Equal(t, []string{"c_pass", "c_else"}, ids(r.Hits))
	require.Contains(t, by["c_same"].Reason, "never both")
}

// A case of this very test outranks a similar case of another test, although the analyst was
// less sure of its cause.
func TestTheVeryTestComesFirst(t *testing.T) {
	like := "the pay button stays disabled until a card number was typed"
	for name, here := range map[string]tree.Scene{"by its place": {ID: "S1", Type: "login"}, "by its words": {}} {
		elsewhere := here
		if here.ID != "" {
			elsewhere.ID = "S2"
		}
		ix := indexOf(t,
			aCase(login, id("c_here"), in(here.ID, here.Type, ""), trusted(0.15)),
			aCase(like, id("c_like"), in(elsewhere.ID, elsewhere.Type, ""), trusted(0.5)),
			aCase(login, id("c_doubted"), in(here.ID, here.Type, ""), trusted(0.05)))
		r, by := explain(t, ix, Query{Prompt: login, Scene: here})
		require.Equal(t, "c_here", r.Hits[0].ID, name)
		require.Positive(t, signal(by["c_here"], "recurrence").Contribution, name)
		require.Less(t, signal(by["c_like"], "recurrence").Raw, 0.5, name)
		require.NotEqual(t, Distrusted, by["c_doubted"].Why.Code, "%s: whatever the trust", name)
		for _, h := range r.Considered {
			score := h.Rel
			for _, s := range h.Signals {
				switch s.Name {
				case "confidence", "recurrence", "age", "closeness":
					score += s.Contribution
				}
			}
			require.InDelta(t, h.Score, score, 1e-9, "the signals add up to the score")
		}
	}
}

// Cases that share the scene type with the prompt but hardly a token are not taken. Nor do they take the candidates'
// places from a case that fits.
func TestAFewWordsDoNotCarryASceneType(t *testing.T) {
	nodes := []tree.Node{aCase(login, id("c_fits"), in("", "login", ""))}
	for i := range 40 {
		nodes = append(nodes, aCase(fmt.Sprintf("the delete button of row %c%c opens a dialog", 'a'+i/26, 'a'+i%26),
			id(fmt.Sprintf("c_%d", i)), in("", "form", "")))
	}
	for _, limits := range []Limits{{}, {Candidates: 3}} {
		r, by := explain(t, indexOf(t, nodes...), Query{Prompt: login, Scene: tree.Scene{Type: "form"}, Limits: limits})
		require.Equal(t, []string{"c_fits"}, ids(r.Hits))
		for id, h := range by {
			if id != "c_fits" && h.Rel >= threshold(tree.Case) {
				require.Equal(t, Unfounded, h.Why.Code)
			}
		}
	}
}

func TestReasonsHaveASentenceEach(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Codes() {
		require.NotEmpty(t, c.Sentence(), c)
		require.False(t, seen[c.Sentence()])
		seen[c.Sentence()] = true
	}
	require.Empty(t, Code("none").Sentence())
	require.Equal(t, "fits 0.610; the least for a memory of this level (case) is 0.620",
		Why{TooFar, []any{0.61, tree.Case, 0.62}}.String())
}

func TestExcludeTests(t *testing.T) {
	ix := indexOf(t, aCase(login, id("c_1"), test("T1")), aCase(login, id("c_2"), test("T2"), func(n *tree.Node) {
		n.Occurrences = []tree.Occurrence{{CaseID: "T3", At: noon}}
	}))
	_, by := explain(t, ix, Query{Prompt: login, ExcludeTests: []string{"T1"}})
	require.NotContains(t, by, "c_1")
	_, by = explain(t, ix, Query{Prompt: login, ExcludeTests: []string{"T3"}})
	require.NotContains(t, by, "c_2")
}

func TestTrustAndAge(t *testing.T) {
	ix := indexOf(t, aCase(login, id("c_new"), trusted(0.6)),
		aCase(login, id("c_old"), trusted(0.6), seen(noon.Add(-90*24*time.Hour))), aCase(login, id("c_sure"), trusted(1)))
	r, by := explain(t, ix, Query{Prompt: login, Now: noon, Limits: Limits{Cases: 9}})
	require.Equal(t, []string{"c_sure", "c_new", "c_old"}, ids(r.Hits))
	require.InDelta(t, by["c_new"].Rel*0.9, by["c_new"].Score, 1e-4,
		"0.5 + 0.5·0.6, and half of the rest back, as it is the same prompt")
	require.InDelta(t, by["c_old"].Rel*0.9*0.925, by["c_old"].Score, 1e-4)
	require.InDelta(t, 90, signal(by["c_old"], "age").Raw, 1e-9)
}

// The more often the very test went wrong, the more its case is trusted. For other tests the
// number of times does not count.
func TestEachTimeHalfOfTheDoubtGoes(t *testing.T) {
	again := func(n *tree.Node) {
		n.Occurrences = []tree.Occurrence{{Evaluation: "e2", At: n.Metadata.UpdatedAt},
			{Evaluation: "e3", At: n.Metadata.UpdatedAt}}
	}
	ix := indexOf(t, aCase(login, id("c_once"), trusted(0.6)), aCase(login, id("c_thrice"), trusted(0.6), again))
	_, by := explain(t, ix, Query{Prompt: login})
	require.InDelta(t, by["c_once"].Rel*(1-0.2/2), by["c_once"].Score, 1e-4)
	require.InDelta(t, by["c_thrice"].Rel*(1-0.2/8), by["c_thrice"].Score, 1e-4)
	_, by = explain(t, ix, Query{Prompt: "export the report as a file"})
	require.InDelta(t, by["c_once"].Score, by["c_thrice"].Score, 1e-3)
}

func TestTiesGoByTimeThenID(t *testing.T) {
	ix := indexOf(t, aCase(login, id("c_b")), aCase(login, id("c_a")), aCase(login, id("c_c"), seen(noon.Add(time.Hour))))
	r := ask(t, ix, Query{Prompt: login})
	require.Equal(t, []string{"c_c", "c_a"}, ids(r.Hits))
}

func TestTheStepJoinsThePrompt(t *testing.T) {
	ix := indexOf(t, aCase(login, id("c_1")), aCase("the basket is empty after the order was paid", id("c_2")))
	q := Query{Prompt: "buy a book"}
	require.True(t, ask(t, ix, q).Abstained)
	q.Step = login
	require.Equal(t, []string{"c_1"}, ids(ask(t, ix, q).Hits))
}

func TestSimilar(t *testing.T) {
	one := aCase(login, id("c_1"), in("S1", "login", "/login"))
	ix := indexOf(t, one,
		aCase("the login button stays disabled until the password was typed", id("c_2"), in("S1", "login", "/login")),
		aCase("logos are sharp", id("c_3"), in("S1", "login", "/login")),
		aCase(login, id("c_elsewhere"), in("S2", "login", "/login")),
		aCase(login, id("c_other"), in("S1", "login", "/login"), wrong(taxonomy.FalseFail)))
	near, err := ix.Similar(&one, 5, 0.05)
	require.NoError(t, err)
	require.Len(t, near, 1, "no word in common is not alike")
	require.Equal(t, "c_2", near[0].ID)
	require.Greater(t, near[0].Overlap, 0.6)
	near, err = ix.Similar(&one, 5, near[0].Overlap+0.01)
	require.NoError(t, err)
	require.Empty(t, near)
	none, err := ix.Similar(&tree.Node{Type: tree.Case, ErrorType: "x"}, 5, 0.5)
	require.NoError(t, err)
	require.Empty(t, none)
}

// Where strategies are requested, one is taken if more of its experiences fit than an answer has room for. If fewer
// fit, they are taken themselves, since each contains only what fits.
func TestAStrategyStandsForMany(t *testing.T) {
	checks := []string{"read every price of the basket", "compare the words of the basket with the task",
		"open every page of the basket"}
	nodes := []tree.Node{above(tree.Strategy, "s_1", "the basket is checked in order")}
	for i, c := range checks {
		nodes = append(nodes, above(tree.Experience, fmt.Sprintf("e_%d", i+1), c, child("s_1")))
	}
	q := Query{Prompt: "read every price of the basket, compare the words of the basket with the task, " +
		"open every page of the basket", Limits: Limits{Strategies: 1}}
	r, by := explain(t, indexOf(t, nodes...), q)
	require.Equal(t, []string{"s_1"}, ids(r.Hits))
	require.Contains(t, by["e_1"].Reason, "covered by strategy s_1")
	r, by = explain(t, indexOf(t, nodes[:3]...), q)
	require.ElementsMatch(t, []string{"e_1", "e_2"}, ids(r.Hits))
	require.Contains(t, by["s_1"].Reason, "of one branch with e_")
}
