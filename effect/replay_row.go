package effect

import (
	"cmp"
	"slices"

	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/tree"
)

// ReplayRow is the result of one memory in a replay.
type ReplayRow struct {
	Name     string         `json:"name"`
	AUC      *float64       `json:"auc"` // of Score as a forecast of a wrong verdict; null when all are right or all wrong
	Interval *stat.Interval `json:"aucInterval,omitempty"`
	Guided   proportion     `json:"guided"`   // the runs for which the memory gave guidance
	Unguided proportion     `json:"unguided"` // the runs for which the memory gave none
	Warned   warnedCount    `json:"warned"`

	// Difference is how the row differs from the first row, over the same runs. The first row and the controls have none.
	Difference *pairedDifference `json:"difference,omitempty"`
}

// proportion is a number of runs and how many of them were wrong.
type proportion struct {
	N        int            `json:"n"`
	Wrong    int            `json:"wrong"`
	P        *float64       `json:"p"` // Wrong/N; null when N is 0
	Interval *stat.Interval `json:"interval,omitempty"`
}

// warnedCount counts the wrong verdicts that a given memory had warned of. A memory warns of a verdict if its direction
// is the same.
type warnedCount struct {
	warnedShare // all wrong verdicts

	// Exact and Similar are shares of all, 0 to 1, that add up to P: warned of by a memory from exactly this scene;
	// and only by memories from other scenes.
	Exact   float64 `json:"exact"`
	Similar float64 `json:"similar"`

	// Recurrence and Transfer partition the wrong verdicts. The partition depends on the run and not on the guidance,
	// so N is the same in all rows.
	Recurrence warnedShare `json:"recurrence"` // its test or its scene had an earlier wrong verdict
	Transfer   warnedShare `json:"transfer"`   // neither had
}

// warnedShare is a number of wrong verdicts and how many of them were warned of.
type warnedShare struct {
	N        int            `json:"n"`
	Warned   int            `json:"warned"`
	P        *float64       `json:"p"` // Warned/N; null when N is 0
	Interval *stat.Interval `json:"interval,omitempty"`
}

// labelStream holds the labels of the labelled runs of a stream, in order.
type labelStream struct {
	verdicts []RunLabel
	scenes   []tree.Scene
	tests    []string
	again    []bool          // the test or the scene had an earlier wrong verdict
	past     []ReplayWarning // the mistakes, as items
	known    []int           // how many of past were known before each run

	wrongTests  map[string]bool // tests with a mistake so far
	wrongScenes map[tree.Scene]bool
}

func newTruth() *labelStream {
	return &labelStream{wrongTests: map[string]bool{}, wrongScenes: map[tree.Scene]bool{}}
}

// add appends a run and what was known before it.
func (t *labelStream) add(e *tree.Evaluation, v RunLabel) {
	test, scene := cmp.Or(e.CaseID, e.Prompt), sceneKey(e.Scene)
	t.verdicts = append(t.verdicts, v)
	t.scenes = append(t.scenes, e.Scene)
	t.tests = append(t.tests, test)
	t.again = append(t.again, t.wrongTests[test] || t.wrongScenes[scene])
	t.known = append(t.known, len(t.past))
	if v.Wrong() {
		t.past = append(t.past, ReplayWarning{Direction: v.Direction, Scenes: []tree.Scene{e.Scene}})
		t.wrongTests[test] = true
		t.wrongScenes[scene] = scene != tree.Scene{} // an empty scene is no scene
	}
}

// row measures the answers, one per labelled run.
func (t *labelStream) row(name string, answers []ReplayAnswer) ReplayRow {
	r := ReplayRow{Name: name}
	var wrong, right []float64
	w := &r.Warned
	for i, a := range answers {
		g := &r.Unguided
		if a.Guided {
			g = &r.Guided
		}
		g.N++
		if !t.verdicts[i].Wrong() {
			right = append(right, a.Score)
			continue
		}
		g.Wrong++
		wrong = append(wrong, a.Score)
		exact, similar := t.warned(i, a.Items)
		w.add(t.again[i], exact, similar)
	}
	if w.N > 0 {
		w.Exact /= float64(w.N)
		w.Similar /= float64(w.N)
	}
	for _, s := range []*warnedShare{&w.warnedShare, &w.Recurrence, &w.Transfer} {
		s.P, s.Interval = shareOf(s.Warned, s.N)
	}
	for _, g := range []*proportion{&r.Guided, &r.Unguided} {
		g.P, g.Interval = shareOf(g.Wrong, g.N)
	}
	if auc, in, ok := stat.AUC(wrong, right); ok {
		r.AUC, r.Interval = &auc, &in
	}
	return r
}

// add adds a wrong verdict.
func (w *warnedCount) add(again, exact, similar bool) {
	kind := &w.Transfer
	if again {
		kind = &w.Recurrence
	}
	w.N++
	kind.N++
	if !exact && !similar {
		return
	}
	w.Warned++
	kind.Warned++
	if exact {
		w.Exact++
	} else {
		w.Similar++
	}
}

// shareOf returns k/n and its interval, nil if n is 0.
func shareOf(k, n int) (*float64, *stat.Interval) {
	if n == 0 {
		return nil, nil
	}
	p, in := float64(k)/float64(n), stat.Wilson(k, n)
	return &p, &in
}

// warned reports whether one of the items warned of the mistake in run i: one from exactly its scene, and one from
// another scene.
func (t *labelStream) warned(i int, items []ReplayWarning) (exact, similar bool) {
	for _, it := range items {
		if it.Direction == t.verdicts[i].Direction {
			if slices.ContainsFunc(it.Scenes, func(s tree.Scene) bool { return sameScene(s, t.scenes[i]) }) {
				exact = true
			} else {
				similar = true
			}
		}
	}
	return exact, similar
}
