package effect

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// RunLabel is what is known about a run after it was judged: whether its verdict was right.
type RunLabel struct {
	Labelled  bool               // the truth is known; else Correct means nothing
	Correct   bool               // the verdict was right
	Direction taxonomy.Direction // which way the verdict was wrong, if it was
}

// Wrong reports whether the verdict of the run is known to be wrong.
func (v RunLabel) Wrong() bool { return v.Labelled && !v.Correct }

// ReplayWarning is one memory that would have been given before a run.
type ReplayWarning struct {
	Direction taxonomy.Direction // direction of the mistake it warns of
	Scenes    []tree.Scene       // where that mistake was made: one scene for a case, those of all its cases for a lesson
}

// ReplayAnswer is what a ReplaySubject would have given before a run.
type ReplayAnswer struct {
	Guided bool            // it would have given guidance
	Score  float64         // score of the nearest memory, given or not; higher means nearer; 0 for none
	Items  []ReplayWarning // the memories given, best first
}

// ReplaySubject is a memory that a replay measures. For each run, in order of time, Replay calls Ask and then Learn,
// with the label if the run has one. An answer may use only what Learn received before. Neither method may retain e.
type ReplaySubject interface {
	Name() string
	Ask(ctx context.Context, e *tree.Evaluation) (ReplayAnswer, error)
	Learn(ctx context.Context, e *tree.Evaluation, v RunLabel) error
}

// ReplayOptions configures Replay. Judge is required.
type ReplayOptions struct {
	Judge    func(e *tree.Evaluation) RunLabel // returns the label of a run; a pure function
	Seed     uint64                            // seed of shuffles and bootstraps
	Progress func(done, total int)             // called after every run, unless nil
}

// ReplayResult is the result of Replay: counts of the runs, and a row for each subject and control.
type ReplayResult struct {
	N          int         `json:"n"`          // labelled runs: only these are measured
	Wrong      int         `json:"wrong"`      // of N, wrong verdicts
	Unlabelled int         `json:"unlabelled"` // runs without a label
	Duplicate  int         `json:"duplicate"`  // runs that were skipped because an earlier run had the same key
	Rows       []ReplayRow `json:"rows"`       // in the order of the subjects, each followed by its controls

	// Embedder is the embedding model, "" for the built-in encoder. The caller sets it.
	Embedder string `json:"embedder,omitempty"`

	// Evolved is the row of the memory that evolved during the replay, nil for none. Replay sets neither Evolved nor Risk
	// nor Correction; its caller does.
	Evolved *ReplayRow `json:"evolved,omitempty"`

	// Risk measures how well risks, predicted before the label was known, separate wrong verdicts from right ones; nil if
	// not measured.
	Risk *RiskMeasure `json:"risk,omitempty"`

	// Correction is the result of reversing the verdicts with the highest risks; nil if not measured.
	Correction *Reversal `json:"correction,omitempty"`
}

// Replay runs a history of evaluations through the subjects and returns a row for each, in order. It sorts the history
// by time; runs without a time come first, and equal times keep their order. It skips a run with the key of an earlier
// run, as a store does. It stops at the first error of a subject.
//
// Control rows follow the row of each subject. A subject with a method Matched(), such as Nearest, is a control of the
// subject before it: it counts as giving guidance in the runs with its highest scores above 0, in at most as many runs
// as that subject. The last control shuffles the answers of the subject. A control of the second or a further subject
// has the name of its subject in its own name.
func Replay(ctx context.Context, stream []tree.Evaluation, o ReplayOptions, subjects ...ReplaySubject) (ReplayResult,
	error) {
	ordered, duplicate := sortRuns(stream)
	rep := ReplayResult{Duplicate: duplicate, Rows: []ReplayRow{}}
	traces := make([][]ReplayAnswer, len(subjects))
	t := newTruth()
	for i := range ordered {
		v := o.Judge(&ordered[i])
		if err := replayRun(ctx, &ordered[i], v, subjects, traces); err != nil {
			return rep, err
		}
		if v.Labelled {
			t.add(&ordered[i], v)
		} else {
			rep.Unlabelled++
		}
		if o.Progress != nil {
			o.Progress(i+1, len(ordered))
		}
	}
	rep.N, rep.Wrong = len(t.verdicts), len(t.past)
	rep.Rows = t.rows(subjects, traces, o.Seed)
	return rep, nil
}

// rows measures every subject and its controls, from its answers in traces.
func (t *labelStream) rows(subjects []ReplaySubject, traces [][]ReplayAnswer, seed uint64) []ReplayRow {
	out := []ReplayRow{}
	for k := 0; k < len(subjects); {
		name, answers, as := subjects[k].Name(), traces[k], ""
		r := t.row(name, answers)
		if k > 0 {
			as, r.Difference = " as "+name, t.difference(traces[0], answers, seed)
		}
		out = append(out, r)
		for k++; k < len(subjects); k++ {
			m, ok := subjects[k].(matched)
			if !ok {
				break
			}
			out = append(out, t.row(m.Name()+as, strongest(traces[k], countGuided(answers))))
		}
		r = t.shuffled(answers, seed)
		r.Name += as
		out = append(out, r)
	}
	return out
}

// replayRun requests guidance of every subject for a run, then passes its label to them.
func replayRun(ctx context.Context, e *tree.Evaluation, v RunLabel, subjects []ReplaySubject,
	traces [][]ReplayAnswer) error {
	for k, s := range subjects {
		a, err := s.Ask(ctx, e)
		if err != nil {
			return fmt.Errorf("ask %s about %s: %w", s.Name(), e.Key(), err)
		}
		if v.Labelled {
			traces[k] = append(traces[k], a)
		}
	}
	for _, s := range subjects {
		if err := s.Learn(ctx, e, v); err != nil {
			return fmt.Errorf("tell %s of %s: %w", s.Name(), e.Key(), err)
		}
	}
	return nil
}

// matched is a Subject without a threshold of its own. After the stream, its highest scores are treated as guided, as
// many runs as its subject guided; on a tie the earlier run. That threshold is chosen in hindsight, which favours it.
type matched interface {
	ReplaySubject
	Matched()
}

// countGuided returns the number of runs with guidance.
func countGuided(answers []ReplayAnswer) (n int) {
	for _, a := range answers {
		if a.Guided {
			n++
		}
	}
	return n
}

// strongest returns the answers with guidance only for the n highest scores above 0.
func strongest(answers []ReplayAnswer, n int) []ReplayAnswer {
	rank := make([]int, len(answers))
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(a, b int) int { return cmp.Compare(answers[b].Score, answers[a].Score) })
	out := make([]ReplayAnswer, len(answers))
	for place, i := range rank {
		out[i] = answers[i]
		if out[i].Guided = place < n && out[i].Score > 0; !out[i].Guided {
			out[i].Items = nil
		}
	}
	return out
}

// sortRuns sorts by time and drops runs whose key came before.
func sortRuns(stream []tree.Evaluation) (ordered []tree.Evaluation, duplicate int) {
	ordered = slices.Clone(stream)
	slices.SortStableFunc(ordered, func(a, b tree.Evaluation) int { return a.At.Compare(b.At) })
	seen := make(map[string]bool, len(ordered))
	ordered = slices.DeleteFunc(ordered, func(e tree.Evaluation) bool {
		k := e.Key()
		if seen[k] {
			duplicate++
			return true
		}
		seen[k] = true
		return false
	})
	return ordered, duplicate
}

// sameScene reports whether two scenes have the same id and the same route pattern,
// at least one of which is not empty.
func sameScene(a, b tree.Scene) bool {
	p := sceneKey(a)
	return p == sceneKey(b) && p != sceneKey(tree.Scene{})
}

// sceneKey returns the part of a scene that sameScene compares.
func sceneKey(s tree.Scene) tree.Scene { return tree.Scene{ID: s.ID, Route: tree.Route(s.Route)} }
