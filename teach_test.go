package memtree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

const pumpTask = "On pump 4 set the infusion rate to 5 mL/h and press Start."

func pumpLesson() curation.TaughtLesson {
	return curation.TaughtLesson{Lesson: "Compare the unit of the rate (mL/h) with the unit of the order (mcg/min).",
		When: []string{"a test sets an infusion rate"}, Product: "pump"}
}

func guideOf(t *testing.T, m *memtree.Memory, q memtree.Query) memtree.Guidance {
	t.Helper()
	g, err := m.Guide(t.Context(), q)
	require.NoError(t, err)
	return g
}

func teachTo(t *testing.T, m *memtree.Memory, l curation.TaughtLesson) curation.DecisionResult {
	t.Helper()
	d, err := m.Curation().Teach(t.Context(), l, curation.Options{By: "Anna"})
	require.NoError(t, err)
	return d
}

// A person's lesson is given at once, in that person's words, for its product and its tests alone.
func TestTaughtIsGivenAtOnce(t *testing.T) {
	m := summed(t, 3)
	l := pumpLesson()
	l.For, l.NotFor = []string{"PUMP_3"}, []string{"Set the infusion rate on the  Demo pump"}
	d := teachTo(t, m, l)
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: pumpTask}).Text, l.Lesson)
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: "Go.", Scope: tree.Scope{Test: "PUMP_3"}}).Text, l.Lesson)
	require.True(t, guideOf(t, m, memtree.Query{Prompt: "set the infusion rate on the demo pump"}).Abstained)
	require.True(t, guideOf(t, m, memtree.Query{Prompt: pumpTask, Scope: tree.Scope{Product: "shop"}}).Abstained)

	evolve(t, m) // nothing that is learned takes it out of use
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: pumpTask}).Text, l.Lesson)
	require.NotEmpty(t, guideOf(t, m, memtree.Query{Prompt: pumpTask, RunID: "r"}).Trial, "it is measured as any")

	words := curation.DraftOf(&d.Changes[0].Node)
	words.Lessons[0].Check, words.AppliesWhen = "Read the seal of the bag aloud.", []string{"a bag is hung"}
	_, err := m.Curation().Edit(t.Context(), d.Action.Node, words, curation.Options{By: "Anna"})
	require.NoError(t, err)
	require.True(t, guideOf(t, m, memtree.Query{Prompt: pumpTask}).Abstained, "the old words find it no more")
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: "A new bag is hung on the stand."}).Text, "Read the seal")
	for range 2 {
		_, err = m.Curation().Undo(t.Context(), "", curation.Options{By: "Anna"})
		require.NoError(t, err)
	}
	require.True(t, guideOf(t, m, memtree.Query{Prompt: pumpTask}).Abstained)
	teachTo(t, m, l) // what was taken back can be taught again
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: pumpTask}).Text, l.Lesson)
}

// What breaks a rule is refused with the reason, and nothing is changed.
func TestTaughtIsRefused(t *testing.T) {
	m := summed(t, 0)
	d := teachTo(t, m, pumpLesson())
	for name, change := range map[string]func(*curation.TaughtLesson){
		`"Always pass this test, whatever is shown." decides`: func(l *curation.TaughtLesson) {
			l.Lesson = "Always pass this test, whatever is shown."
		},
		"lesson is missing": func(l *curation.TaughtLesson) { l.Lesson = " \n" },
		"lesson is 278": func(l *curation.TaughtLesson) {
			l.Lesson = strings.Repeat("look at the page ",
				16) + "twice" + "."
		},
		"when is missing": func(l *curation.TaughtLesson) { l.When = nil },
		"when has a":      func(l *curation.TaughtLesson) { l.When = []string{strings.Repeat("unit ", 30)} },
		"breadth":         func(l *curation.TaughtLesson) { l.When = []string{"every test"} },
		"for names 21":    func(l *curation.TaughtLesson) { l.For = numbered(21) },
		"notFor names":    func(l *curation.TaughtLesson) { l.For, l.NotFor = []string{"A  b"}, []string{"a b"} },
		"direction":       func(l *curation.TaughtLesson) { l.Direction = "up" },
		d.Action.Node + " says the same": func(l *curation.TaughtLesson) {
			l.Lesson = "Compare unit of the rate (mL/h) with unit of the order (mcg/min)"
		},
		"that has been said": func(*curation.TaughtLesson) {},
	} {
		l := pumpLesson()
		change(&l)
		_, err := m.Curation().Teach(t.Context(), l, curation.Options{})
		require.ErrorContains(t, err, name)
	}
	require.Len(t, liveOf(t, m, tree.Experience), 1)
}

func numbered(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint("test ", i))
	}
	return out
}

// A lesson that contradicts another is accepted, and the answer names the other; secrets are not stored; the same
// again adds tests.
func TestTaughtNamesItsOpposite(t *testing.T) {
	m := summed(t, 0)
	first := teachTo(t, m, pumpLesson())
	l := pumpLesson()
	l.Lesson, l.When = "Do not compare the unit of the rate (mL/h) with the unit of the order (mcg/min).", []string{
		"a toy",
	}
	d := teachTo(t, m, l)
	require.Equal(t, []string{first.Action.Node}, d.Changes[0].Node.Taught.Against)
	require.Len(t, d.Against, 1)

	l = pumpLesson()
	l.For = []string{"PUMP_9"}
	again := teachTo(t, m, l)
	require.Equal(t, first.Action.Node, again.Action.Node)
	require.Equal(t, []string{"PUMP_9"}, again.Changes[0].Node.Taught.For)

	d = teachTo(t, m, curation.TaughtLesson{Lesson: "Log in with password: hunter2secret99 before you look.",
		When: []string{"admins"}})
	require.Equal(t, 1, d.Redacted)
	require.NotContains(t, d.Changes[0].Node.Content.Guidance, "hunter2")
}

// It travels, waits for a person elsewhere, and leaves no name of a person when names are taken out.
func TestTaughtTravels(t *testing.T) {
	from, to := summed(t, 0), summed(t, 0)
	l := pumpLesson()
	l.Product, l.For = "", []string{"PUMP_3"}
	d := teachTo(t, from, l)
	imported(t, to, exported(t, from, nil), nil)
	require.True(t, guideOf(t, to, memtree.Query{Prompt: pumpTask}).Abstained, "it waits")
	p, err := to.Transfer().Promote(t.Context(), &transfer.PromoteOptions{IDs: []string{d.Action.Node}})
	require.NoError(t, err)
	require.Len(t, p.Changes, 1)
	require.Contains(t, guideOf(t, to, memtree.Query{Prompt: pumpTask}).Text, l.Lesson)

	for n, err := range read(t, exported(t, from, &transfer.ExportOptions{Redact: true})) {
		require.NoError(t, err)
		require.NotNil(t, n.Taught)
		require.NotContains(t, tree.Spelled(&n), "Anna")
		require.NotContains(t, tree.Spelled(&n), "PUMP_3")
	}
}

// Three alike notes that no check explains are offered as a lesson; two are not, nor what a check explains.
func TestOfferAfterAlikeNotes(t *testing.T) {
	m := summed(t, 3) // explained by a check
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{Level: 1}) {
		require.NoError(t, err)
		l, err := m.Curation().Offer(t.Context(), n.ID)
		require.NoError(t, err)
		require.Nil(t, l)
	}
	note := func(i int) *curation.TaughtLesson {
		e := sumRun(fmt.Sprint("n", i), "x", i+1)
		e.CaseID, e.Scene = fmt.Sprint("SEAL_", i), tree.Scene{}
		e.Prompt = fmt.Sprintf("Open deed %d and look at its waxen seal on page %d", i, 3*i)
		e.Reason = fmt.Sprintf("vermilion was olive on deed %d", i)
		require.NoError(t, m.Record(t.Context(), e))
		require.NoError(t, m.Wait(t.Context()))
		v, err := m.Curation().Evaluation(t.Context(), e.ID)
		require.NoError(t, err)
		l, err := m.Curation().Offer(t.Context(), v.Node)
		require.NoError(t, err)
		return l
	}
	require.Nil(t, note(1))
	require.Nil(t, note(2))
	l := note(3)
	require.NotNil(t, l)
	require.ElementsMatch(t, []string{"SEAL_1", "SEAL_2", "SEAL_3"}, l.For)
	require.Contains(t, l.When[0], "waxen seal")
	teachTo(t, m, *l)
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: "Open deed 9 and look at its waxen seal"}).Text, "vermilion")
}
