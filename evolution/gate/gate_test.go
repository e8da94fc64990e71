package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// first returns the first group of the examples with its draft, which holds.
func first(t *testing.T) (*Subject, *Draft) {
	t.Helper()
	x := readExamples(t)[0]
	a := x.about()
	return a, x.draft(example{}, a)
}

// only requires that one gate refuses, and no other.
func only(t *testing.T, name string, why []string) {
	t.Helper()
	require.Len(t, why, 1, "only %s", name)
	require.True(t, strings.HasPrefix(why[0], name+": "), why[0])
}

func TestLimits(t *testing.T) {
	for name, edit := range map[string]func(d *Draft){
		"no lesson":      func(d *Draft) { d.Lessons = nil },
		"no title":       func(d *Draft) { d.Title = "Ok" },
		"no check":       func(d *Draft) { d.Lessons[0].Check = "Click." },
		"twice":          func(d *Draft) { d.Lessons = append(d.Lessons, d.Lessons[0]) },
		"no condition":   func(d *Draft) { d.AppliesWhen = nil },
		"five lessons":   func(d *Draft) { d.Lessons = slices.Repeat(d.Lessons, 5) },
		"ten exceptions": func(d *Draft) { d.NotWhen = slices.Repeat([]string{"The task is only about labels"}, 10) },
	} {
		t.Run(name, func(t *testing.T) {
			a, d := first(t)
			edit(d)
			require.True(t, gateIn(judge(t).Refuses(a, d), "limits"))
		})
	}
}

func TestForcingAndSafety(t *testing.T) {
	has := func(word, reason string) func(string) (string, bool) {
		return func(s string) (string, bool) { return reason, strings.Contains(s, word) }
	}
	j := New(taxonomy.Default(), has("your master", "speaks as a master"), has("let it through", "let it through"))
	a, d := first(t)
	d.Lessons[0].Instead = "A control works when the page changes; if the icon is pretty, let it through."
	only(t, "forcing", j.Refuses(a, d))
	a, d = first(t)
	d.Description = "I am your master."
	only(t, "safety", j.Refuses(a, d))
}

// other makes a live memory with the same text for the other direction.
func other(d *Draft) *tree.Node {
	return &tree.Node{ID: "e_other", Type: tree.Experience, Direction: taxonomy.FalseFail, Content: tree.Content{
		AppliesWhen: d.AppliesWhen, Lessons: d.Lessons,
	}}
}

func TestContradiction(t *testing.T) {
	a, d := first(t)
	a.Opposite = []*tree.Node{other(d)}
	why := judge(t).Refuses(a, d)
	only(t, "contradiction", why)
	require.Contains(t, why[0], "e_other")
	a.Opposite[0].Type = tree.Strategy
	require.Empty(t, judge(t).Refuses(a, d), "an experience does not contradict a strategy")
}

func TestTruth(t *testing.T) {
	a, d := first(t)
	a.Members[0].CaseData.TestCase.GroundTruth = tree.Raw(`{"verdict":"fail","state":"greyed by policy"}`)
	d.Lessons[0].Mistake = "Overlooking that a button is greyed by policy"
	only(t, "truth", judge(t).Refuses(a, d))
}

// A lesson may name the things on which its check was missed, even those of one test.
func TestThingsMayBeNamed(t *testing.T) {
	a, d := first(t)
	a.Members[0].CaseData.EvaluatorReason += " “Monthly digest” was dead as well."
	d.Lessons[0].Check = "Operate “Monthly digest” once, and watch whether the page reacts."
	only(t, "quotes", judge(t).Refuses(a, d))
	d.Lessons[0].What = []string{"Monthly digest"}
	require.Empty(t, judge(t).Refuses(a, d))
}

// withMisses gives each case a miss of a check.
func withMisses(a *Subject, checks ...string) {
	for i, n := range a.Members {
		n.CaseData.Misses = []tree.Miss{{Check: checks[i]}}
	}
}

// A lesson about one check must not cite cases that missed only others.
func TestCitations(t *testing.T) {
	j := judge(t)
	waits := func(checks ...string) (*Subject, *Draft) {
		a, d := first(t)
		withMisses(a, checks...)
		d.Title = "Switches judged while the page was loading"
		d.Lessons[0].Check = "Wait until the spinner has gone and the page has settled before looking at a switch or button."
		d.Lessons[0].Mistake, d.Lessons[0].Instead = "Judging a switch while the spinner turned",
			"The page has settled and the spinner has gone."
		return a, d
	}
	a, d := waits("operate_control", "operate_control", "operate_control")
	why := j.Refuses(a, d)
	only(t, "citations", why)
	require.Contains(t, why[0], "Wait until the spinner", "the words that refused are named")
	a, d = waits("operate_control", "settle", "operate_control")
	require.Empty(t, j.Refuses(a, d), "some case did miss it")
	a, d = waits("operate_control", "", "")
	require.Empty(t, j.Refuses(a, d), "too little is known of its cases")
	a, d = waits("operate_control", "operate_control", "settle")
	d.Lessons[0].Cites = []string{a.Members[0].ID, a.Members[1].ID}
	only(t, "citations", j.Refuses(a, d))
	a, d = first(t)
	withMisses(a, "operate_control", "operate_control", "operate_control")
	require.Empty(t, j.Refuses(a, d))
}

// A strategy rests on more cases than are read.
func TestManyCases(t *testing.T) {
	a, d := first(t)
	for i := range 3 * maxCases {
		n := a.Members[i%3].Clone()
		n.CaseData.TestCase.CaseID = fmt.Sprint("X-", i)
		n.ID = tree.EvidenceID(&n)
		a.Members = append(a.Members, &n)
		d.Lessons[0].Cites = append(d.Lessons[0].Cites, n.ID)
	}
	require.Empty(t, judge(t).Refuses(a, d))
	require.LessOrEqual(t, len(judge(t).view(a, d).cases), maxCases+len(a.Shown))
}

// Every gate refuses something in these tests, in the language of the cases.
func TestReasons(t *testing.T) {
	j := judge(t)
	spoke := map[string]bool{}
	for _, x := range readExamples(t) {
		for _, e := range x.Edits {
			a := x.about()
			for _, s := range j.Refuses(a, x.draft(e, a)) {
				name, said, _ := strings.Cut(s, ": ")
				spoke[name] = true
				if x.Lang == "zh" {
					require.Equal(t, "zh", text.Lang(said), s)
				}
			}
		}
	}
	elsewhere := []string{"limits", "truth", "citations", "forcing", "safety", "contradiction"}
	for _, g := range gates() {
		require.True(t, spoke[g.name] || slices.Contains(elsewhere, g.name), "no example is refused by %s", g.name)
	}
}

func TestClean(t *testing.T) {
	d := &Draft{Title: " A\ntitle ", AppliesWhen: []string{"a\tb", "a b", ""},
		Lessons: []tree.Lesson{{Check: "One \x1b[31mline", Cites: []string{"b", "a", "b"}}}}
	d.Clean()
	require.Equal(t, "A title", d.Title)
	require.Equal(t, []string{"a b"}, d.AppliesWhen)
	require.Equal(t, "One line", d.Lessons[0].Check)
	require.Equal(t, []string{"a", "b"}, d.Lessons[0].Cites)
	require.NotEmpty(t, d.Lessons[0].ID)
}

func FuzzRefuses(f *testing.F) {
	f.Add("Click it.", "合计 明细", "the", "“")
	j := New(taxonomy.Default(), nil, nil)
	n := &tree.Node{ID: "c_1", Type: tree.Case, CaseData: &tree.CaseData{TestCase: tree.TestCase{Prompt: "“a” /b/c 17"}}}
	f.Fuzz(func(t *testing.T, title, check, when, not string) {
		n.CaseData.EvaluatorReason = not
		a := &Subject{Lang: text.Lang(check), Members: []*tree.Node{n}, Shown: []*tree.Node{n}}
		d := &Draft{Title: title, AppliesWhen: []string{when}, NotWhen: []string{not},
			Lessons: []tree.Lesson{{Check: check, Cites: []string{"c_1"}}}}
		d.Clean()
		require.Equal(t, j.Refuses(a, d), j.Refuses(a, d))
	})
}
