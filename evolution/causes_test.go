package evolution

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// unit is a case in which a unit was not read, which no check describes.
func unit(i int, how, cause string) tree.Node {
	m := missed("", how)
	m.Cause = cause
	return as(made(70+i, m), func(n *tree.Node) {
		n.CaseData.TestCase.Prompt = "Check that the weight of the " + things[i] + " is within the limit."
	})
}

// units are three such cases, which share few tokens.
func units() []tree.Node {
	return []tree.Node{
		unit(0, "The weight was in pounds and the agent compared it with kilograms.", "The unit behind a number was ignored"),
		unit(1, "It compared the bare figures although the label gave grams.", "Scale not converted"),
		unit(2, "It held pounds for kilograms.", "Compared values of different measure"),
	}
}

// found is the answer of a model about causes: groups of lines, each of a check or, for 0, a new one.
func found(groups ...prompts.SurveyGroup) string {
	if groups == nil {
		groups = []prompts.SurveyGroup{}
	}
	b, _ := json.Marshal(map[string]any{"groups": groups})
	return string(b)
}

func newCause(lines ...int) prompts.SurveyGroup {
	return prompts.SurveyGroup{Cause: "Unit of a number not read", Lines: lines}
}

// aboutUnits is the lesson about them.
func aboutUnits() string {
	return answer(func(a, en, zh map[string]any) {
		a["cases"] = upTo(3)
		en["title"], en["do"], en["mistake"], en["when"] = "Unit of a number not read",
			"Read the unit on the label, convert the figures to it, and compare them then.",
			"compared figures of pounds with kilograms", "a task compares a weight with a limit"
		zh["title"], zh["do"], zh["mistake"], zh["when"] = "没看数值的单位", "先看标签上的单位，换算后再比较数值。",
			"把磅当成千克比较", "任务要求比较重量与限值"
	})
}

const ownUnits = `^own/unit_of_a_number_not_read_[0-9a-f]{6}$`

func TestCausesBecomeACheck(t *testing.T) {
	m := planted(t, append(notes(), units()...))
	o := options(t)
	script := model(found(newCause(1, 2, 3)), aboutUnits())
	o.Generator = script
	plans := m.evolve(o, PlanOptions{})
	require.Empty(t, total(plans).Rejections)
	require.Equal(t, 2, total(plans).Calls)
	require.Contains(t, script.Requests()[0].Prompt, "Scale not converted")
	require.Contains(t, script.Requests()[1].Prompt, "filed under: unit of a number not read")
	check := m.nodes[units()[0].ID].CaseData.Misses[0].Check
	require.Regexp(t, ownUnits, check)
	for _, n := range units() {
		n = m.nodes[n.ID]
		require.Equal(t, check, n.CaseData.Misses[0].Check)
		require.NotEmpty(t, n.CaseData.Misses[0].Cause, "evidence stays")
		require.Equal(t, m.lesson(check, taxonomy.FalsePass).ID, n.Parent)
	}
	i := slices.IndexFunc(total(plans).Changes, func(c tree.Change) bool { return c.Node.ID == units()[0].ID })
	require.Equal(t, tree.OpRevise, total(plans).Changes[i].Op)
	require.Contains(t, total(plans).Changes[i].Why, check)
	n := m.lesson(check, taxonomy.FalsePass)
	require.Len(t, n.Children, 3)
	require.Equal(t, "没看数值的单位", n.In("zh").Content.Title)
	require.Contains(t, n.Content.Guidance, "convert the figures")
	m.settled(o)
	o.Cache = forgetful{}
	m.settled(o)
	o.Generator = nil
	m.settled(o)
}

// What comes later joins the check that is there, which the question lists by its title.
func TestCauseJoinsACheck(t *testing.T) {
	m := planted(t, append(notes(), units()...))
	o := options(t)
	o.Generator = model(found(newCause(1, 2, 3)), aboutUnits())
	m.evolve(o, PlanOptions{})
	late := unit(3, "Grams were taken for ounces.", "Ounces mixed up with grams")
	other := unit(4, "The picture was blurred.", "A blurred picture went unseen")
	m.plant(late, other)
	script := model(found(prompts.SurveyGroup{Check: 1, Lines: []int{2}}))
	o.Generator = script
	m.evolve(o, PlanOptions{})
	require.Contains(t, script.Requests()[0].Prompt, "k1 Unit of a number not read")
	require.NotContains(t, script.Requests()[0].Prompt, "Scale not converted", "it has its check")
	require.Regexp(t, ownUnits, m.nodes[late.ID].CaseData.Misses[0].Check)
	require.Empty(t, m.nodes[other.ID].CaseData.Misses[0].Check)
	require.Len(t, m.lesson(m.nodes[late.ID].CaseData.Misses[0].Check, taxonomy.FalsePass).Children, 4)
	m.settled(o)
	m.plant(unit(5, "The shadow was missing.", "A missing shadow went unseen"))
	script = model(found())
	o.Generator = script
	m.evolve(o, PlanOptions{})
	require.Contains(t, script.Requests()[0].Prompt, "A blurred picture", "what has no check is company for what is new")
	m.settled(o)
}

// A question is sent where its answer can change something: for three cases of two tests, of one direction.
func TestCausesTooFew(t *testing.T) {
	apart, same := units(), units()
	apart[0] = alarm(apart[0])
	for i := range same {
		same[i] = as(same[i], func(n *tree.Node) { n.CaseData.TestCase.CaseID = "T" })
	}
	for _, list := range [][]tree.Node{apart, same} {
		m := planted(t, list)
		o := with(taxonomy.Default())
		script := model()
		o.Generator = script
		m.evolve(o, PlanOptions{})
		require.Empty(t, script.Requests())
		require.Empty(t, m.kept)
	}
}

// A group that is too small, too wide or named by what may not be shown makes no check.
func TestCausesHostile(t *testing.T) {
	var list []tree.Node
	for i := range 12 {
		m := missed("", fmt.Sprintf("Something of its own went wrong here, number %c.", 'a'+i))
		m.Cause = fmt.Sprintf("Cause %c", 'a'+i)
		list = append(list, made(300+i, m))
	}
	unsafe := func(s string) (string, bool) { return "it instructs", strings.Contains(s, "ignore") }
	all := []int{1, 2, 3, 4, 5, 6, 7, 8}
	for name, c := range map[string]struct {
		answers []string
		calls   int
		given   int
	}{
		"none":      {[]string{found()}, 1, 0},
		"small":     {[]string{found(newCause(1, 2))}, 1, 0},
		"wide":      {[]string{found(newCause(all...)), found(newCause(1, 2, 3))}, 2, 3},
		"wide too":  {[]string{found(newCause(all...)), found(newCause(all...))}, 2, 0},
		"some hold": {[]string{"{}", found(newCause(1, 2, 3), newCause(3, 4, 5))}, 2, 3},
		"unsafe": {[]string{found(prompts.SurveyGroup{Cause: "please ignore this", Lines: []int{1, 2, 3}}),
			found(prompts.SurveyGroup{Cause: "please ignore this", Lines: []int{1, 2, 3}})}, 2, 0},
		"no such line": {[]string{found(newCause(11, 12, 13)), found(newCause(10, 11, 12))}, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			m := planted(t, list)
			o := options(t)
			o.Unsafe = unsafe
			script := model(c.answers...)
			o.Generator = script
			m.evolve(o, PlanOptions{MaxCalls: new(c.calls)})
			require.Len(t, script.Requests(), c.calls)
			given := 0
			for _, n := range m.live(tree.Case) {
				if n.CaseData.Misses[0].Check != "" {
					given++
				}
			}
			require.Equal(t, c.given, given)
			before := len(script.Requests())
			m.evolve(o, PlanOptions{MaxCalls: new(0)})
			require.Len(t, script.Requests(), before)
			_, kept := m.kept[(&planner{e: evolver(t, o)}).causesJob(taxonomy.FalsePass)]
			require.True(t, kept)
		})
	}
}

// A plan that was not applied is planned again without the model; a bound or a silent model leaves
// the question for later.
func TestCausesAreAskedOnce(t *testing.T) {
	m := planted(t, append(notes(), units()...))
	o := options(t)
	o.Generator = model()
	require.Equal(t, 1, total(m.evolve(o, PlanOptions{MaxCalls: new(0)})).Waiting)
	silent := llmtest.NewScript(llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindTimeout, Err: errors.New("slow")}})
	o.Generator = silent
	p := total(m.evolve(o, PlanOptions{}))
	require.Equal(t, 1, p.Waiting)
	require.NotEmpty(t, p.Notes)

	o.Generator, o.Cache = model(found(newCause(1, 2, 3))), kept{m}
	lost := evolver(t, o)
	for _, err := range lost.Plan(t.Context(), m, PlanOptions{MaxCalls: new(1)}) {
		require.NoError(t, err)
	}
	require.Empty(t, m.nodes[units()[0].ID].CaseData.Misses[0].Check)
	o.Generator = model(aboutUnits())
	m.evolve(o, PlanOptions{})
	require.Len(t, m.live(tree.Experience), 1)
}

// A hundred lines are sent at once, and a question that is too long is halved.
func TestCausesInBatches(t *testing.T) {
	var list []tree.Node
	for i := range 130 {
		m := missed("", fmt.Sprintf("Something went wrong here, number %d.", i))
		m.Cause = fmt.Sprintf("Cause %d", i)
		list = append(list, made(400+i, m))
	}
	m := planted(t, list)
	o := options(t)
	long := llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindTooLarge, Err: errors.New("long")}}
	none := llmtest.ScriptStep{Text: found()}
	script := llmtest.NewScript(long, none, none, none)
	o.Generator = script
	m.evolve(o, PlanOptions{MaxCalls: new(4)})
	var lines []int
	for _, r := range script.Requests() {
		lines = append(lines, len(regexp.MustCompile(`(?m)^\d+ Cause`).FindAllString(r.Prompt, -1)))
	}
	require.Equal(t, []int{100, 50, 50, 30}, lines)
}

// In a tree of other trees the misses of one check may differ in error type; they are made one.
func TestOwnCheckHasOneErrorType(t *testing.T) {
	list := units()
	for i := range list {
		m := &list[i].CaseData.Misses[0]
		m.Check = "own/unit_not_read_3f9a2c"
		m.Instead = "Read the unit on the label of each figure before you compare the weight with the limit."
	}
	list[2].CaseData.Misses[0].ErrorType = taxonomy.OtherError
	m := planted(t, list)
	o := options(t)
	m.evolve(o, PlanOptions{})
	for _, n := range m.live(tree.Case) {
		require.Equal(t, "content_validation_error", n.CaseData.Misses[0].ErrorType)
	}
	n := m.lesson("own/unit_not_read_3f9a2c", taxonomy.FalsePass)
	require.Len(t, n.Children, 3, "a hint that was given is its lesson")
	m.settled(o)
}

// A lesson that came from another tree without its cases is a check that causes can join.
func TestCauseJoinsALessonFromElsewhere(t *testing.T) {
	const check = "own/unit_not_read_3f9a2c"
	l := tree.Lesson{Kind: check, Check: "Read the unit beside each number.", From: tree.FromModel}
	l.ID = tree.LessonID(l)
	n := tree.Node{
		ID: "e_elsewhere", Type: tree.Experience, Level: 2, ErrorType: "state_detection_error", Direction: taxonomy.FalsePass,
		Lang: "en", Status: tree.Active, Revision: 1, Children: []string{}, Elsewhere: &tree.Elsewhere{Cases: 3, Tests: 3},
		Content: tree.Content{Title: "Unit not read", Lessons: []tree.Lesson{l}},
	}
	m := planted(t, append(units()[:1], n))
	o := with(taxonomy.Default())
	script := model(found(prompts.SurveyGroup{Check: 1, Lines: []int{1}}))
	o.Generator = script
	m.evolve(o, PlanOptions{})
	require.Contains(t, script.Requests()[0].Prompt, "k1 Unit not read")
	is := m.nodes[units()[0].ID].CaseData.Misses[0]
	require.Equal(t, []string{check, "state_detection_error"}, []string{is.Check, is.ErrorType})
	m.settled(o)
}
