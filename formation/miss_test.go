package formation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// caseOf forms one wrong verdict and returns its case.
func caseOf(t *testing.T, e tree.Evaluation) tree.Node {
	t.Helper()
	if e.Prompt == "" {
		e.Prompt = "Check the settings page: 1. “Save” works; 2. the total equals the sum of the rows; 3. " +
			"the title is “Settings”."
	}
	if len(e.Judgment) == 0 {
		e.Judgment = tree.Raw(`{"verdict":"pass"}`)
	}
	if len(e.GroundTruth) == 0 {
		e.GroundTruth = tree.Raw(`{"verdict":"fail"}`)
	}
	out, err := New(Options{}).Form(t.Context(), e, &memory{})
	require.NoError(t, err)
	require.Len(t, out.Changes, 1)
	require.NoError(t, tree.Check(&out.Changes[0].Node))
	return out.Changes[0].Node
}

func checks(n tree.Node) (out []string) {
	for _, m := range n.CaseData.Misses {
		out = append(out, m.Check)
	}
	return out
}

func TestMissesOfANote(t *testing.T) {
	n := caseOf(t, tree.Evaluation{Reason: "It never clicked “Save”. The rows were not added up either; " +
		"the total is wrong."})
	require.ElementsMatch(t, []string{"operate_control", "recompute"}, checks(n), "two causes are two misses")
	for _, m := range n.CaseData.Misses {
		require.Equal(t, tree.FromPerson, m.From)
		require.Equal(t, []string{"reason"}, m.At)
		require.NotEmpty(t, m.How)
		if m.Check == "operate_control" {
			require.Equal(t, []string{"Save"}, m.What)
			require.Equal(t, "It never clicked “Save”.", m.How, "whole sentences, each with its own miss")
		}
	}
}

func TestMissesOfAList(t *testing.T) {
	n := caseOf(t, tree.Evaluation{
		Prompt:      "请检测计数器页面：1. 页面标题是否正确显示为'计数器'；2. 撤销按钮是否可用",
		GroundTruth: tree.Raw(`{"has_defect":true,"defect_details":["页面标题错误显示为'计算器'而不是'计数器'","撤销按钮被禁用，无法使用撤销功能"]}`),
		Judgment:    tree.Raw(`{"has_defect":false}`),
	})
	require.Equal(t, []string{"exact_text", "operate_control"}, checks(n))
	require.Equal(t, []string{"撤销按钮"}, n.CaseData.Misses[1].What)
	require.Equal(t, []string{"ground_truth.defect_details[1]"}, n.CaseData.Misses[1].At)
	require.NotContains(t, fmt.Sprint(n.Says()), "计算器", "the truth is evidence, and is not said")
}

// Input from outside may be empty, too long, or unexpected.
func TestMissesOfStrangeInput(t *testing.T) {
	silent := func(n tree.Node) {
		require.Equal(t, []string{""}, checks(n))
		require.Empty(t, n.CaseData.Misses[0].How)
		require.Empty(t, n.Says(), "no cause is invented")
	}
	silent(caseOf(t, tree.Evaluation{Prompt: "Look at it."}))
	silent(caseOf(t, tree.Evaluation{Prompt: "Look at it.", Reason: "   "}))
	silent(caseOf(t, tree.Evaluation{Prompt: "Look at it.", Reason: "JIRA-48213"}))
	silent(caseOf(t, tree.Evaluation{Prompt: "Look at it.", Reason: "wrong again"}))
	silent(caseOf(t, tree.Evaluation{Prompt: "看一下。", Reason: "判断错了。"}))

	n := caseOf(t, tree.Evaluation{Prompt: "Check that Save works", Reason: "根本没点保存按钮，点一下就知道是灰的。"})
	require.Equal(t, []string{"operate_control"}, checks(n), "a note in another language is read all the same")
	require.Equal(t, "en", n.Lang)

	n = caseOf(t, tree.Evaluation{Reason: "The page is fine, the agent was right, I think, no defect at all on this one."})
	require.Equal(t, taxonomy.FalsePass, n.Direction, "the truth counts, not the note")

	long := strings.Repeat("It never clicked the button and then went on about the weather. ", 50_000/64+1)
	n = caseOf(t, tree.Evaluation{Reason: long})
	require.Equal(t, "operate_control", n.CaseData.Misses[0].Check)
	require.LessOrEqual(t, len(n.CaseData.Misses[0].How), maxHow)

	var list []string
	for i := range 1000 {
		list = append(list, fmt.Sprintf("The button number %d cannot be clicked", i))
	}
	truth, err := json.Marshal(map[string]any{"verdict": "fail", "defect_details": list})
	require.NoError(t, err)
	n = caseOf(t, tree.Evaluation{GroundTruth: truth})
	require.Len(t, n.CaseData.Misses, tree.MaxMisses, "each defect is a miss, as many as a case may have")
	require.LessOrEqual(t, len(n.CaseData.Misses[0].Truth), maxHow)

	n = caseOf(t, tree.Evaluation{GroundTruth: tree.Raw(`{"verdict":"fail","defects":[null,3,{"x":1},"",` +
		`{"description":"Save cannot be clicked"}]}`)})
	require.Equal(t, []string{"operate_control"}, checks(n))
}

// The same note on many runs gives each run its type, and does not touch the others.
func TestANoteTypesItsOwnRunAlone(t *testing.T) {
	f, m := New(Options{}), &memory{}
	for i := range 16 {
		out, err := f.Form(t.Context(), tree.Evaluation{
			ID: fmt.Sprint("r", i), CaseID: fmt.Sprint("T", i), Prompt: fmt.Sprintf("Check page %d", i),
			Judgment: tree.Raw(`"fail"`), GroundTruth: tree.Raw(`"pass"`),
			Reason: "This is not a defect.", At: time.Unix(int64(i), 0),
		}, m)
		require.NoError(t, err)
		for _, c := range out.Changes {
			require.NotEqual(t, "form_validation_error", c.Node.ErrorType)
		}
		m.apply(out.Changes)
	}
}

func TestRecurrenceInOtherWords(t *testing.T) {
	f, m := New(Options{}), &memory{}
	form := func(id, caseID, judgment, reason string) tree.Change {
		out, err := f.Form(t.Context(), tree.Evaluation{
			ID: id, CaseID: caseID, Prompt: "Check that Save works", Judgment: tree.Raw(judgment),
			GroundTruth: tree.Raw(`{"verdict":"fail"}`),
			Reason:      reason, At: time.Unix(int64(len(m.nodes)), 0),
		}, m)
		require.NoError(t, err)
		require.Len(t, out.Changes, 1)
		m.apply(out.Changes)
		return out.Changes[0]
	}
	first := form("n1", "T1", `{"verdict":"pass","reason":"The Save button is there and blue."}`,
		"It never clicked the button.")
	require.Equal(t, tree.OpAdd, first.Op)
	second := form("n2", "T1", `{"verdict":"pass","reason":"A control called Save can be seen in the footer of the `+
		`page, all good."}`, "Same as last week, the button was not clicked.")
	require.Equal(t, tree.OpAttach, second.Op)
	require.Equal(t, first.Node.ID, second.Node.ID)
	third := form("n3", "T1", `{"verdict":"pass","reason":"ok"}`, "wrong again")
	require.Equal(t, tree.OpAttach, third.Op, "a run about which nothing is said is the same again")
	require.Len(t, third.Node.Occurrences, 3)
	require.Equal(t, tree.OpAdd, form("n4", "T2",
		`{"verdict":"pass","reason":"The Save button is visible on the screen."}`, "It never clicked the button.").Op,
		"another test")
	require.Equal(t, tree.OpAdd, form("n5", "T1",
		`{"verdict":"pass","reason":"Everything is displayed as it should be on the page."}`,
		"The total was not added up.").Op, "another miss")
}

func TestLift(t *testing.T) {
	f := New(Options{})
	n := caseOf(t, tree.Evaluation{Reason: "It never clicked “Save”."})
	want := n.CaseData.Misses
	n.CaseData.Misses = nil
	f.Lift(&n)
	require.Equal(t, want, n.CaseData.Misses, "an old case has the misses a new one would have")
	before := n.Clone()
	f.Lift(&n)
	require.Equal(t, before, n)
}

// The things of a check are those that the text it was read from names: the note, or the defect if there is no note.
func TestThingsOfTheNote(t *testing.T) {
	e := tree.Evaluation{Prompt: "Press “Show more”; the rows of “Fares” are in order. 另一标签页同时失效",
		GroundTruth: tree.Raw(`{"has_defect":true,"defect_details":["rows added by “Show more” are not sorted"]}`),
		Judgment:    tree.Raw(`{"has_defect":false}`),
		Reason:      "It never compared the order of the rows of “Fares”, they are not sorted."}
	require.Equal(t, []string{"Fares"}, caseOf(t, e).CaseData.Misses[0].What)
	e.Reason = "It never compared the order of the rows, they are not sorted."
	require.Empty(t, caseOf(t, e).CaseData.Misses[0].What)
	e.Reason = ""
	require.Equal(t, []string{"Show more"}, caseOf(t, e).CaseData.Misses[0].What)
	require.Contains(t, thingsOf(e.Prompt), "另一标签页")
}
