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
	Scene     tree.Scene         // where that was made
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

	// Risk is how well wrong verdicts were told apart once they were given. It is
	// not of the rows' making and nil where nobody measured it.
	Risk *Risks `json:"risk,omitempty"`
}

// Run replays a stream through the subjects and returns one row for each, in
// order, and after them the shuffled control of the first. The stream is taken
// in order of time; runs without a time come first, and equal times stay in the
// order they have. A run whose key came before is left out, as Record leaves it.
func Run(ctx context.Context, stream []tree.Evaluation, o Options, subjects ...Subject) (Report, error) {
	ordered, duplicate := order(stream)
	rep := Report{Duplicate: duplicate, Rows: []Row{}}
	traces := make([][]Answer, len(subjects))
	var t truth
	for i := range ordered {
		v := o.Judge(&ordered[i])
		if err := turn(ctx, &ordered[i], v, subjects, traces); err != nil {
			return rep, err
		}
		if v.Labelled {
			t.add(v, ordered[i].Scene)
		} else {
			rep.Unlabelled++
		}
		if o.Progress != nil {
			o.Progress(i+1, len(ordered))
		}
	}
	rep.N, rep.Wrong = len(t.verdicts), len(t.past)
	for k, s := range subjects {
		rep.Rows = append(rep.Rows, t.row(s.Name(), fit(s, traces, k)))
	}
	if len(subjects) > 0 {
		rep.Rows = append(rep.Rows, t.shuffled(traces[0], o.Seed))
	}
	return rep, nil
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
// taken to have guided the runs it scored highest, as many as the first subject
// guided, ties by time: a threshold chosen in hindsight, in its favour.
type Matched interface {
	Subject
	Matched()
}

func fit(s Subject, traces [][]Answer, k int) []Answer {
	if _, ok := s.(Matched); !ok {
		return traces[k]
	}
	n := 0
	for _, a := range traces[0] {
		if a.Guided {
			n++
		}
	}
	return strongest(traces[k], n)
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
	ra, rb := tree.Route(a.Route), tree.Route(b.Route)
	return a.ID == b.ID && ra == rb && (a.ID != "" || ra != "")
}
