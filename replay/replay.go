// Package replay measures a memory on a history of judged runs: in time order
// it asks for guidance before each run, then tells how the run ended, and
// compares what was said with what came to be.
//
// Nothing leaks: what is asked about run i rests on runs before i only, and the
// truth of a run is told after everybody was asked about it. Whatever is
// measured side by side sees the same stream. A replay changes no run, so it
// says when a memory would have spoken and whether it would have warned of the
// right thing, not whether the agent would have listened.
package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Verdict is what is known of a run afterwards.
type Verdict struct {
	Labelled  bool
	Correct   bool
	Direction taxonomy.Direction // of a wrong one
}

// Wrong reports whether the run was judged wrongly.
func (v Verdict) Wrong() bool { return v.Labelled && !v.Correct }

// Item is one memory that was given for a run.
type Item struct {
	Direction taxonomy.Direction // of the mistake it warns of
	Scenes    []tree.Scene       // where that was made: one of a case, those of all its cases of a lesson
}

// Answer is what a memory says before a run.
type Answer struct {
	Guided bool    // it gave something
	Score  float64 // of the nearest memory, given or not: higher means nearer; 0 when there is none
	Items  []Item  // what it gave, best first
}

// Subject is a memory that is measured. Ask must rest on nothing but what Learn
// was told before; neither may keep e.
type Subject interface {
	Name() string
	Ask(ctx context.Context, e *tree.Evaluation) (Answer, error)
	Learn(ctx context.Context, e *tree.Evaluation, v Verdict) error
}

// Options say how to replay. Judge is required.
type Options struct {
	Judge    func(e *tree.Evaluation) Verdict // what was true; pure
	Seed     uint64                           // of the shuffled control
	Progress func(done, total int)            // told after every run; nil: nobody
}

// Report is what a replay found.
type Report struct {
	N          int   `json:"n"`     // labelled runs: those that count
	Wrong      int   `json:"wrong"` // of N
	Unlabelled int   `json:"unlabelled"`
	Duplicate  int   `json:"duplicate"` // left out: a run of the same key came before
	Rows       []Row `json:"rows"`

	// Evolved is the one of the rows whose memory evolved, nil where none did. It
	// and Risk are not of Run's making.
	Evolved *Row `json:"evolved,omitempty"`

	// Risk is how well wrong verdicts were told apart once they were given, nil
	// where nobody measured it.
	Risk *Risks `json:"risk,omitempty"`
}

// Run replays a stream through the subjects and returns one row for each, in
// order. A subject that is Matched belongs to the one before it that is not, and
// after them comes the shuffled control of that one; from the second such group
// on, names say whose controls they are. The stream is taken in order of time;
// runs without a time come first, and equal times stay in the order they have. A
// run whose key came before is left out, as Record leaves it.
func Run(ctx context.Context, stream []tree.Evaluation, o Options, subjects ...Subject) (Report, error) {
	ordered, duplicate := order(stream)
	rep := Report{Duplicate: duplicate, Rows: []Row{}}
	traces := make([][]Answer, len(subjects))
	t := newTruth()
	for i := range ordered {
		v := o.Judge(&ordered[i])
		if err := turn(ctx, &ordered[i], v, subjects, traces); err != nil {
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

// rows measures every subject and its controls.
func (t *truth) rows(subjects []Subject, traces [][]Answer, seed uint64) []Row {
	out := []Row{}
	for k := 0; k < len(subjects); {
		name, answers, as := subjects[k].Name(), traces[k], ""
		r := t.row(name, answers)
		if k > 0 {
			as, r.Difference = " as "+name, t.difference(traces[0], answers, seed)
		}
		out = append(out, r)
		for k++; k < len(subjects); k++ {
			m, ok := subjects[k].(Matched)
			if !ok {
				break
			}
			out = append(out, t.row(m.Name()+as, strongest(traces[k], guided(answers))))
		}
		r = t.shuffled(answers, seed)
		r.Name += as
		out = append(out, r)
	}
	return out
}

// turn asks every subject about a run, then tells them how it ended.
func turn(ctx context.Context, e *tree.Evaluation, v Verdict, subjects []Subject, traces [][]Answer) error {
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

// Matched is a Subject that has no threshold of its own. After the stream it is
// taken to have guided the runs it scored highest, as many as the subject it
// belongs to guided, ties by time: a threshold chosen in hindsight, in its favour.
type Matched interface {
	Subject
	Matched()
}

// guided counts the runs that were given something.
func guided(answers []Answer) (n int) {
	for _, a := range answers {
		if a.Guided {
			n++
		}
	}
	return n
}

// strongest returns the answers with only the n highest scores above 0 guided.
func strongest(answers []Answer, n int) []Answer {
	rank := make([]int, len(answers))
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(a, b int) int { return cmp.Compare(answers[b].Score, answers[a].Score) })
	out := make([]Answer, len(answers))
	for place, i := range rank {
		out[i] = answers[i]
		if out[i].Guided = place < n && out[i].Score > 0; !out[i].Guided {
			out[i].Items = nil
		}
	}
	return out
}

// order sorts by time and leaves out what has come before.
func order(stream []tree.Evaluation) (ordered []tree.Evaluation, duplicate int) {
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

// SameScene reports whether two scenes are exactly one: the same id and the
// same route pattern, and at least one of the two said.
func SameScene(a, b tree.Scene) bool {
	p := page(a)
	return p == page(b) && p != page(tree.Scene{})
}

// page names a scene by what SameScene compares.
func page(s tree.Scene) tree.Scene { return tree.Scene{ID: s.ID, Route: tree.Route(s.Route)} }
