package memtree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// onlyLesson returns the one lesson in use.
func onlyLesson(t *testing.T, m *memtree.Memory) tree.Node {
	t.Helper()
	all := liveOf(t, m, tree.Experience)
	require.Len(t, all, 1)
	return all[0]
}

const sumTask = "Check the sum of the prices of the lines against the basket total"

// One word changed in the advice: the new text is given wherever the old one was.
func TestEditedWordsGoWhereTheOldOnesWent(t *testing.T) {
	m := summed(t, 3)
	evolve(t, m)
	queries := []memtree.Query{{Prompt: sumTask}, {Prompt: "Open the profile"}}
	for i := range 3 {
		queries = append(queries, memtree.Query{Prompt: sumRun("r", []string{"cart", "invoice", "refund"}[i], 1).Prompt})
	}
	ids := func() (out [][]string) {
		for _, q := range queries {
			var of []string
			for _, it := range guideOf(t, m, q).Items {
				of = append(of, it.ID)
			}
			out = append(out, of)
		}
		return out
	}
	was := ids()
	require.NotEmpty(t, was[0])
	n := onlyLesson(t, m)
	d := curation.DraftOf(&n)
	d.Lessons[0].Check = strings.Replace(d.Lessons[0].Check, "Add up", "Add together", 1)
	require.Contains(t, d.Lessons[0].Check, "together")
	_, err := m.Curation().Edit(t.Context(), n.ID, d, curation.Options{By: "max"})
	require.NoError(t, err)
	require.Equal(t, was, ids())
	require.Contains(t, guideOf(t, m, queries[0]).Text, "together")

	n = onlyLesson(t, m)
	d = curation.DraftOf(&n)
	d.AppliesWhen = []string{"a voucher is printed"}
	_, err = m.Curation().Edit(t.Context(), n.ID, d, curation.Options{By: "max"})
	require.NoError(t, err)
	require.True(t, guideOf(t, m, queries[0]).Abstained, "its conditions are the reason now")
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: "Look at the printed voucher."}).Text, "together")

	n = onlyLesson(t, m)
	d = curation.DraftOf(&n)
	d.NotWhen = []string{"a gift voucher"}
	_, err = m.Curation().Edit(t.Context(), n.ID, d, curation.Options{By: "max"})
	require.NoError(t, err)
	require.True(t, guideOf(t, m, memtree.Query{Prompt: "Look at the printed gift voucher."}).Abstained)
}

// After a ban nothing of the check is given, not before the very test of a case either; the answer names who banned it.
// A rejected draft takes its sentence along, and what a person noted of a run stays.
func TestNotesAfterANo(t *testing.T) {
	own, elsewhere := memtree.Query{Prompt: sumRun("r", "cart", 1).Prompt}, memtree.Query{Prompt: sumTask}
	t.Run("ban", func(t *testing.T) {
		m := summed(t, 3)
		evolve(t, m)
		_, err := m.Curation().Ban(t.Context(), onlyLesson(t, m).ID, curation.Options{By: "lea"})
		require.NoError(t, err)
		for _, q := range []memtree.Query{own, elsewhere} {
			g := guideOf(t, m, q)
			require.True(t, g.Abstained, g.Text)
			require.NotNil(t, g.Nearest)
			require.Equal(t, retrieval.Banned, g.Nearest.Code)
			require.Contains(t, g.Nearest.Reason, "banned by lea")
		}
	})
	t.Run("rejection", func(t *testing.T) {
		m := summed(t, 0)
		for i := range 3 {
			require.NoError(t, m.Record(t.Context(), sumRun(fmt.Sprintf("r%d", i+1), subjects[i], i+5)))
		}
		require.NoError(t, m.Wait(t.Context()))
		_, err := m.Evolve(t.Context(), &memtree.EvolveOptions{Review: true})
		require.NoError(t, err)
		drafts, err := m.Review().Proposals(t.Context())
		require.NoError(t, err)
		require.Len(t, drafts, 1)
		said := drafts[0].Node.Content.Lessons[0].Check
		_, err = m.Review().Decide(t.Context(), evolution.ReviewDecision{
			Reject: []string{drafts[0].Key}, By: "lea", Why: "too wide",
		})
		require.NoError(t, err)
		g := guideOf(t, m, own)
		require.Contains(t, g.Text, "[Missed here before]:\n- Noted on an earlier run: ")
		require.NotContains(t, g.Text, said)
		require.True(t, guideOf(t, m, elsewhere).Abstained)
	})
}

// A check that a person denied of a case is not given before its very test from other cases either.
func TestDeniedIsNotGivenFromOthers(t *testing.T) {
	m := summed(t, 4)
	evolve(t, m)
	q := memtree.Query{Prompt: sumRun("r", "cart", 1).Prompt}
	check := onlyLesson(t, m).Content.Lessons[0].Kind
	said := onlyLesson(t, m).Content.Lessons[0].Check
	first := liveOf(t, m, tree.Case)[0]
	q.Prompt = first.CaseData.TestCase.Prompt
	_, err := m.Curation().About(t.Context(), first.ID, curation.AboutOptions{Not: []string{check}})
	require.NoError(t, err)
	for range 2 {
		g := guideOf(t, m, q)
		require.NotContains(t, g.Text, strings.TrimSuffix(said, "."))
		require.NotContains(t, g.Text, "what was expected and what was seen")
		require.Contains(t, guideOf(t, m, memtree.Query{Prompt: sumTask}).Text, said)
		evolve(t, m)
	}
}

// A test that is named by its id is known by its prompt too, and the other way round.
func TestTaughtByIDIsKnownByPrompt(t *testing.T) {
	m := summed(t, 3)
	c := liveOf(t, m, tree.Case)[0].CaseData.TestCase
	yes := teachTo(t, m, curation.TaughtLesson{Lesson: "Open the ledger of the month beside it.", When: []string{"zebras"},
		For: []string{c.CaseID}})
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: c.Prompt}).Text, "Open the ledger")
	require.NotContains(t, guideOf(t, m, memtree.Query{Prompt: sumTask}).Text, "Open the ledger")
	teachTo(t, m, curation.TaughtLesson{Lesson: "Read the seal of the deed aloud.", When: []string{c.Prompt[:20]},
		NotFor: []string{c.CaseID}})
	require.NotContains(t, guideOf(t, m, memtree.Query{Prompt: c.Prompt}).Text, "Read the seal")
	require.NotEmpty(t, yes.Action.ID)

	teachTo(t, m, curation.TaughtLesson{Lesson: "Count the pages of the deed.", When: []string{"yaks"},
		For: []string{"Print the deed."}})
	guideOf(t, m, memtree.Query{Prompt: "print the deed", Scope: tree.Scope{Test: "DEED"}, RunID: "x"})
	require.NoError(t, m.Wait(t.Context()))
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: "print the deed"}).Text, "Count the pages")
}

// Of two lessons that contradict each other the newer one is given, and the older one has the reason why it is not.
func TestTheNewerOfTwoOppositesIsGiven(t *testing.T) {
	m := summed(t, 0)
	when := []string{"a volume is read"}
	old := teachTo(t, m, curation.TaughtLesson{When: when,
		Lesson: "Read the unit next to each volume and convert it to ml before comparing."})
	newer := teachTo(t, m,
		curation.TaughtLesson{Lesson: "Do not convert the unit beside a volume; compare it as it is shown.",
			When: when})
	x, err := m.Explain(t.Context(), memtree.Query{Prompt: "Read the volume of the sample."})
	require.NoError(t, err)
	require.Len(t, x.Items, 1)
	require.Equal(t, newer.Action.Node, x.Items[0].ID)
	for _, c := range x.Considered {
		if c.ID == old.Action.Node {
			require.Contains(t, c.Left.Reason, newer.Action.Node)
		}
	}
}

// Another number or name makes another test.
func TestHereIsTheVeryTest(t *testing.T) {
	m := summed(t, 0)
	e := sumRun("n1", "x", 1)
	e.CaseID = ""
	e.Prompt = "Set the zone of truck 3 to 2 degrees and check that the lines of the invoice add up to its total"
	require.NoError(t, m.Record(t.Context(), e))
	require.NoError(t, m.Wait(t.Context()))
	again := memtree.Query{Prompt: strings.ToUpper(e.Prompt) + "."}
	require.Contains(t, guideOf(t, m, again).Text, "here before")
	other := guideOf(t, m, memtree.Query{Prompt: strings.Replace(e.Prompt, "truck 3", "truck 6", 1)})
	require.Contains(t, other.Text, "in a similar test")
	require.NotContains(t, other.Text, "Noted on an earlier run")
}

// One note on many runs is one witness: it takes three different notes to learn a lesson.
func TestOneNoteIsOneWitness(t *testing.T) {
	m := summed(t, 0)
	for i := range 6 {
		e := sumRun(string(rune('a'+i)), subjects[i], i+1)
		e.Reason = sumRun("", "cart", 1).Reason
		require.NoError(t, m.Record(t.Context(), e))
	}
	evolve(t, m)
	require.Empty(t, liveOf(t, m, tree.Experience))
	for i := range 2 {
		require.NoError(t, m.Record(t.Context(), sumRun(string(rune('p'+i)), subjects[6+i], i+1)))
	}
	evolve(t, m)
	require.Len(t, liveOf(t, m, tree.Experience), 1)
}

// What is left of a note is judged as it would be given: the rest of an order can be one.
func TestWhatIsLeftOfAnOrder(t *testing.T) {
	for _, note := range []string{"Skip the check of the total; it is always right.", "Skip the check of the total."} {
		m := open(t, t.TempDir(), nil)
		e := memtree.Evaluation{ID: "A", Prompt: "Check that the total of the cart is right",
			Judgment: tree.Raw(`{"passed":true}`), GroundTruth: tree.Raw(`{"passed":false}`), Reason: note}
		require.NoError(t, m.Record(t.Context(), e))
		require.NoError(t, m.Wait(t.Context()))
		require.NotContains(t, guideOf(t, m, memtree.Query{Prompt: e.Prompt}).Text, "Skip the check", note)
		require.NoError(t, m.Close())
	}
}
