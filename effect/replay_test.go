package effect

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func replayedRun(i int, wrong taxonomy.Direction, prompt, scene string) tree.Evaluation {
	correct := wrong == taxonomy.None
	return tree.Evaluation{
		ID: fmt.Sprintf("run-%d", i), At: time.Unix(int64(i)*60, 0).UTC(), Prompt: prompt, Judgment: tree.Raw(`"pass"`),
		Scene: tree.Scene{ID: scene}, Correct: &correct, Direction: wrong,
	}
}

func judgeRun(e *tree.Evaluation) RunLabel {
	if e.Correct == nil {
		return RunLabel{}
	}
	return RunLabel{Labelled: true, Correct: *e.Correct, Direction: e.Direction}
}

// replayWitness records what it received and when, and answers with all of it.
type replayWitness struct {
	t    *testing.T
	told []string
	now  time.Time
	all  []ReplayWarning
}

func (*replayWitness) Name() string { return "witness" }

func (w *replayWitness) Ask(_ context.Context, e *tree.Evaluation) (ReplayAnswer, error) {
	require.NotContains(w.t, w.told, e.ID, "asked about a run it had been told of")
	require.False(w.t, e.At.Before(w.now), "asked out of time order")
	w.now = e.At
	return ReplayAnswer{Guided: len(w.all) > 0, Score: float64(len(w.all)), Items: append([]ReplayWarning(nil),
		w.all...)}, nil
}

func (w *replayWitness) Learn(_ context.Context, e *tree.Evaluation, v RunLabel) error {
	w.told = append(w.told, e.ID)
	if v.Wrong() {
		w.all = append(w.all, ReplayWarning{Direction: v.Direction, Scenes: []tree.Scene{e.Scene}})
	}
	return nil
}

// replayedRuns's counts are worked out by hand in the tests below.
func replayedRuns() []tree.Evaluation {
	unlabelled := replayedRun(5, taxonomy.None, "what is this", "A")
	unlabelled.Correct = nil
	return []tree.Evaluation{
		replayedRun(3, taxonomy.FalsePass, "check the cart", "A"),       // warned of by run 1, at this scene
		replayedRun(1, taxonomy.FalsePass, "check the cart total", "A"), // the first mistake: no memory could warn of it
		replayedRun(2, taxonomy.None, "log in", "B"),
		replayedRun(4, taxonomy.FalsePass, "check the invoice", "C"), // warned of, from elsewhere
		unlabelled,
		replayedRun(6, taxonomy.FalseFail, "check the list",
			"D"), // never warned of: no mistake of that direction came before
		replayedRun(7, taxonomy.None, "log out", "B"),
		replayedRun(3, taxonomy.FalsePass, "check the cart", "A"), // again: left out
	}
}

func TestRunCountsByHand(t *testing.T) {
	w := &replayWitness{t: t}
	var done []int
	rep, err := Replay(t.Context(), replayedRuns(), ReplayOptions{Judge: judgeRun, Seed: 1, Progress: func(d, n int) {
		require.Equal(t, 7, n)
		done = append(done, d)
	}}, w)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7}, done)
	require.Equal(t, []string{"run-1", "run-2", "run-3", "run-4", "run-5", "run-6", "run-7"}, w.told)
	require.Equal(t, 6, rep.N)
	require.Equal(t, 4, rep.Wrong)
	require.Equal(t, 1, rep.Unlabelled)
	require.Equal(t, 1, rep.Duplicate)
	require.Len(t, rep.Rows, 2)

	r := rep.Rows[0]
	require.Equal(t, 5, r.Guided.N, "all but the first")
	require.Equal(t, 3, r.Guided.Wrong)
	require.InDelta(t, 0.6, *r.Guided.P, 1e-12)
	require.Equal(t, 1, r.Unguided.N)
	require.Equal(t, 1, r.Unguided.Wrong)
	require.InDelta(t, 0.25, r.Warned.Exact, 1e-12, "run 3")
	require.InDelta(t, 0.25, r.Warned.Similar, 1e-12, "run 4")
	one, third := 1.0, 1.0/3
	in, few := stat.Wilson(1, 1), stat.Wilson(1, 3)
	require.Equal(t, warnedShare{N: 1, Warned: 1, P: &one, Interval: &in}, r.Warned.Recurrence,
		"run 3 alone is at a scene that was wrong before")
	require.Equal(t, warnedShare{N: 3, Warned: 1, P: &third, Interval: &few}, r.Warned.Transfer,
		"runs 1, 4 and 6; 4 was warned of")
	// Scores: wrong 0 1 2 3 (runs 1 3 4 6), right 1 4 (runs 2 7).
	// Pairs won: 0 of 2, half, 1, 1, so 2.5 of 8.
	require.InDelta(t, 2.5/8, *r.AUC, 1e-12)

	control := rep.Rows[1]
	require.Equal(t, "shuffled", control.Name)
	require.Equal(t, r.Guided.N, control.Guided.N, "the control guides as many runs")
	require.Equal(t, 1, control.Warned.Recurrence.N)
	require.LessOrEqual(t, *control.Warned.P, 0.5+1e-9, "chance cannot warn of the first mistake or of a new direction")
}

func TestRecurrenceIsOfTheTestOrTheScene(t *testing.T) {
	at := func(test, scene, route string) *tree.Evaluation {
		return &tree.Evaluation{CaseID: test, Prompt: "look", Scene: tree.Scene{ID: scene, Type: "form", Route: route}}
	}
	wrong, right := RunLabel{Labelled: true, Direction: taxonomy.FalsePass}, RunLabel{Labelled: true, Correct: true}
	tr := newTruth()
	for _, c := range []struct {
		e     *tree.Evaluation
		v     RunLabel
		again bool
	}{
		{at("t1", "A", ""), right, false},
		{at("t1", "A", ""), wrong, false}, // was right before
		{at("t1", "B", ""), right, true},  // the test
		{at("t2", "A", ""), wrong, true},  // the scene
		{at("t3", "B", ""), wrong, false}, // only right verdicts there
		{at("t4", "", ""), wrong, false},
		{at("t5", "", ""), wrong, false}, // a type alone is no scene
		{at("t6", "", "/o/1"), wrong, false},
		{at("t7", "", "/o/2"), wrong, true}, // the pattern is the same
	} {
		tr.add(c.e, c.v)
		require.Equal(t, c.again, tr.again[len(tr.again)-1], "%s %v", c.e.CaseID, c.e.Scene)
	}
}

// A lesson warns of every scene that its cases were made at.
func TestLessonWarnsOfEachOfItsScenes(t *testing.T) {
	tr := newTruth()
	for i, scene := range []string{"A", "B", "C"} {
		e := replayedRun(i, taxonomy.FalsePass, "look", scene)
		tr.add(&e, judgeRun(&e))
	}
	lesson := []ReplayWarning{{Direction: taxonomy.FalsePass, Scenes: []tree.Scene{{ID: "A"}, {ID: "B"}}}}
	r := tr.row("lesson", []ReplayAnswer{{Items: lesson}, {Items: lesson}, {Items: lesson}})
	require.InDelta(t, 2.0/3, r.Warned.Exact, 1e-12)
	require.InDelta(t, 1.0/3, r.Warned.Similar, 1e-12)
}

func TestEverySubjectHasItsControls(t *testing.T) {
	rep, err := Replay(t.Context(), replayedRuns(), ReplayOptions{Judge: judgeRun, Seed: 1}, NewNearest(1),
		&replayWitness{t: t}, NewNearest(2))
	require.NoError(t, err)
	var names []string
	for _, r := range rep.Rows {
		names = append(names, r.Name)
		require.Equal(t, r.Name == "witness", r.Difference != nil, r.Name)
	}
	require.Equal(t, []string{"bm25", "shuffled", "witness", "bm25 as witness", "shuffled as witness"}, names)
	require.Equal(t, 5, rep.Rows[4].Guided.N)
	d := rep.Rows[2].Difference
	require.InDelta(t, *rep.Rows[2].AUC-*rep.Rows[0].AUC, *d.AUC, 1e-12)
	require.InDelta(t, *rep.Rows[2].Warned.P-*rep.Rows[0].Warned.P, d.Warned, 1e-12)
	require.LessOrEqual(t, d.Interval.Low, *d.AUC)
	require.GreaterOrEqual(t, d.Interval.High, *d.AUC)
}

// What is hard or easy for both rows is no difference: rows with the same scores and
// warnings do not differ, however few the runs.
func TestDifferenceIsPaired(t *testing.T) {
	rep, err := Replay(t.Context(), replayedRuns(), ReplayOptions{Judge: judgeRun, Seed: 1}, &replayWitness{t: t},
		&replayWitness{t: t})
	require.NoError(t, err)
	none := 0.0
	require.Equal(t, &pairedDifference{AUC: &none, Interval: &stat.Interval{}, WarnedInterval: &stat.Interval{}},
		rep.Rows[2].Difference)
}

func TestRunIsTheSameAgain(t *testing.T) {
	var reports []ReplayResult
	for range 2 {
		rep, err := Replay(t.Context(), replayedRuns(), ReplayOptions{Judge: judgeRun, Seed: 7}, &replayWitness{t: t},
			NewNearest(2))
		require.NoError(t, err)
		reports = append(reports, rep)
	}
	require.Equal(t, reports[0], reports[1])
}

func TestRunOfNothing(t *testing.T) {
	rep, err := Replay(t.Context(), nil, ReplayOptions{Judge: judgeRun}, NewNearest(1))
	require.NoError(t, err)
	require.Zero(t, rep.N)
	require.Len(t, rep.Rows, 2)
	require.Nil(t, rep.Rows[0].AUC)
	require.Nil(t, rep.Rows[1].AUC)
	rep, err = Replay(t.Context(), replayedRuns(), ReplayOptions{Judge: judgeRun})
	require.NoError(t, err)
	require.Empty(t, rep.Rows)
}

type brokenSubject struct{ replayWitness }

func (*brokenSubject) Ask(context.Context, *tree.Evaluation) (ReplayAnswer, error) {
	return ReplayAnswer{}, context.DeadlineExceeded
}

func TestRunSaysWhoFailed(t *testing.T) {
	_, err := Replay(t.Context(), replayedRuns(), ReplayOptions{Judge: judgeRun}, &brokenSubject{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "ask witness about run-1")
}

func TestMatchedGuidesAsManyAsTheFirst(t *testing.T) {
	answers := []ReplayAnswer{
		{Guided: true, Score: 2, Items: []ReplayWarning{{}}}, {Guided: true, Score: 5, Items: []ReplayWarning{{}}}, {},
		{Guided: true, Score: 2, Items: []ReplayWarning{{}}}, {Guided: true, Score: 3, Items: []ReplayWarning{{}}},
	}
	guided := func(n int) []bool {
		out := []bool{}
		for _, a := range strongest(answers, n) {
			require.Equal(t, a.Guided, len(a.Items) > 0)
			out = append(out, a.Guided)
		}
		return out
	}
	require.Equal(t, []bool{true, true, false, false, true}, guided(3), "a tie goes to the earlier run")
	require.Equal(t, []bool{true, true, false, true, true}, guided(5), "nothing scored is never guided")
	require.Equal(t, []bool{false, false, false, false, false}, guided(0))
}

func TestNearest(t *testing.T) {
	x := NewNearest(1)
	ask := func(prompt string) ReplayAnswer {
		a, err := x.Ask(t.Context(), &tree.Evaluation{Prompt: prompt})
		require.NoError(t, err)
		return a
	}
	require.Equal(t, ReplayAnswer{}, ask("anything"))
	learn := func(e tree.Evaluation) { require.NoError(t, x.Learn(t.Context(), &e, judgeRun(&e))) }
	learn(replayedRun(1, taxonomy.FalsePass, "cart total", "A"))
	learn(replayedRun(2, taxonomy.None, "invoice number", "B"))
	learn(replayedRun(3, taxonomy.FalseFail, "检查购物车的金额", "C"))
	require.False(t, ask("invoice number").Guided, "a right verdict is no memory")
	require.Equal(t, []ReplayWarning{{Direction: taxonomy.FalsePass, Scenes: []tree.Scene{{ID: "A"}}}},
		ask("is the cart total right").Items)
	require.Equal(t, []ReplayWarning{{Direction: taxonomy.FalseFail, Scenes: []tree.Scene{{ID: "C"}}}}, ask("购物车").Items)
}

func TestNearestScoreByHand(t *testing.T) {
	x := NewNearest(1)
	for i, p := range []string{"alpha beta", "gamma delta epsilon zeta"} {
		e := replayedRun(i, taxonomy.FalsePass, p, "")
		require.NoError(t, x.Learn(t.Context(), &e, judgeRun(&e)))
	}
	a, err := x.Ask(t.Context(), &tree.Evaluation{Prompt: "alpha"})
	require.NoError(t, err)
	// idf = ln(1 + 1.5/1.5) = ln 2; length 2 of an average 3: 0.25 + 0.75·2/3 = 0.75;
	// tf = 2.2/(1 + 1.2·0.75) = 2.2/1.9. Together 0.8026.
	require.InDelta(t, 0.80260, a.Score, 1e-4)
}

func TestSameScene(t *testing.T) {
	for _, c := range []struct {
		a, b tree.Scene
		same bool
	}{
		{tree.Scene{}, tree.Scene{}, false},
		{tree.Scene{Type: "form"}, tree.Scene{Type: "form"}, false},
		{tree.Scene{ID: "A"}, tree.Scene{ID: "A"}, true},
		{tree.Scene{ID: "A", Route: "/o/1"}, tree.Scene{ID: "A", Route: "/o/2?x"}, true},
		{tree.Scene{ID: "A", Route: "/o/1"}, tree.Scene{ID: "A", Route: "/p"}, false},
		{tree.Scene{Route: "/o/1"}, tree.Scene{Route: "/o/:p"}, true},
		{tree.Scene{ID: "A"}, tree.Scene{ID: "B"}, false},
	} {
		require.Equal(t, c.same, sameScene(c.a, c.b), "%v %v", c.a, c.b)
	}
}
