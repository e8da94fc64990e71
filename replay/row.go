package replay

import (
	"cmp"
	"slices"

	"github.com/memtree/memtree/stat"
	"github.com/memtree/memtree/tree"
)

// Row is one memory's result.
type Row struct {
	Name     string    `json:"name"`
	AUC      *float64  `json:"auc"` // of the score against "this verdict is wrong"; null when all are right or all wrong
	Interval *Interval `json:"aucInterval,omitempty"`
	Guided   Group     `json:"guided"`   // the runs it gave something for
	Unguided Group     `json:"unguided"` // and those it did not
	Warned   Warned    `json:"warned"`

	// Difference is how far the row is above the first one, run by run. Subjects
	// with a threshold of their own have it, the first aside.
	Difference *Difference `json:"difference,omitempty"`
}

// Group is some runs and how many of them were wrong.
type Group struct {
	N        int       `json:"n"`
	Wrong    int       `json:"wrong"`
	P        *float64  `json:"p"` // Wrong/N; null when N is 0
	Interval *Interval `json:"interval,omitempty"`
}

// Warned says of the wrong verdicts how many one of the memories given had warned
// of in the same direction.
type Warned struct {
	Share // all of them

	// Shares of all, 0 to 1, that add up to P: warned of by a memory from exactly
	// this scene, or else by one from elsewhere that came by similarity.
	Exact   float64 `json:"exact"`
	Similar float64 `json:"similar"`

	// Two kinds of wrong verdict apart. It is the run that decides, not what was
	// given: all rows have the same.
	Recurrence Share `json:"recurrence"` // its test or its scene had a wrong verdict before
	Transfer   Share `json:"transfer"`   // neither had
}

// Share is some wrong verdicts and how many of them were warned of.
type Share struct {
	N        int       `json:"n"`
	Warned   int       `json:"warned"`
	P        *float64  `json:"p"` // Warned/N; null when N is 0
	Interval *Interval `json:"interval,omitempty"`
}

// Interval is a 95 % interval, within 0 to 1.
type Interval = stat.Interval

// Wilson is [stat.Wilson].
func Wilson(k, n int) Interval { return stat.Wilson(k, n) }

// truth is what the labelled runs of a stream came to, in order.
type truth struct {
	verdicts []Verdict
	scenes   []tree.Scene
	tests    []string
	again    []bool // the test or the scene had a wrong verdict before
	past     []Item // the mistakes
	known    []int  // how many of them were known before each run

	wrongTests  map[string]bool // those with a mistake
	wrongScenes map[tree.Scene]bool
}

func newTruth() *truth {
	return &truth{wrongTests: map[string]bool{}, wrongScenes: map[tree.Scene]bool{}}
}

func (t *truth) add(e *tree.Evaluation, v Verdict) {
	test, scene := cmp.Or(e.CaseID, e.Prompt), page(e.Scene)
	t.verdicts = append(t.verdicts, v)
	t.scenes = append(t.scenes, e.Scene)
	t.tests = append(t.tests, test)
	t.again = append(t.again, t.wrongTests[test] || t.wrongScenes[scene])
	t.known = append(t.known, len(t.past))
	if v.Wrong() {
		t.past = append(t.past, Item{Direction: v.Direction, Scenes: []tree.Scene{e.Scene}})
		t.wrongTests[test] = true
		t.wrongScenes[scene] = scene != tree.Scene{} // one that says nothing is no scene
	}
}

// row measures the answers, one per labelled run.
func (t *truth) row(name string, answers []Answer) Row {
	r := Row{Name: name}
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
	for _, s := range []*Share{&w.Share, &w.Recurrence, &w.Transfer} {
		s.P, s.Interval = share(s.Warned, s.N)
	}
	for _, g := range []*Group{&r.Guided, &r.Unguided} {
		g.P, g.Interval = share(g.Wrong, g.N)
	}
	if auc, in, ok := stat.AUC(wrong, right); ok {
		r.AUC, r.Interval = &auc, &in
	}
	return r
}

// add counts a wrong verdict.
func (w *Warned) add(again, exact, similar bool) {
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

// share returns k/n with its interval, or nothing of none.
func share(k, n int) (*float64, *Interval) {
	if n == 0 {
		return nil, nil
	}
	p, in := float64(k)/float64(n), Wilson(k, n)
	return &p, &in
}

// warned says whether an item warned of what went wrong in run i.
func (t *truth) warned(i int, items []Item) (exact, similar bool) {
	for _, it := range items {
		if it.Direction == t.verdicts[i].Direction {
			if slices.ContainsFunc(it.Scenes, func(s tree.Scene) bool { return SameScene(s, t.scenes[i]) }) {
				exact = true
			} else {
				similar = true
			}
		}
	}
	return exact, similar
}
