package retrieval

import (
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Result is the answer to a Query.
type Result struct {
	Hits       []Hit    // the memories that were taken, in rank order; not nil
	Considered []Hit    // only after Explain: every candidate, best first
	Nearest    *Hit     // the candidate with the highest Rel, taken or not; nil when there was none
	Abstained  bool     // no memory was taken
	Asked      []string // ids of the checks that the prompt calls for, the surest first
	Here       []string // ids of the considered cases of this very page or test, taken or not, sorted
	Note       string   // why only the lexical score was used although there is an embedder; "" when nothing failed
}

// Hit is a memory that was found.
type Hit struct {
	ID        string
	Type      tree.Type
	ErrorType string
	Direction taxonomy.Direction
	Rel       float64  // how well the memory fits, 0 to 1
	Score     float64  // Rel, weighed by trust and age, 0 to 1; hits are ranked by it, after lessons taught for the test
	Signals   []Signal // the parts of Rel and Score, in the order they were applied
	Taken     bool
	Reason    string // why the memory was taken or not: an English sentence without its subject
	Why       Why    // Reason as a code and its arguments, for other languages
	Parent    string // id of the node above the memory, "" for none
	SameScene bool   // scene id and route pattern equal those of the query; one of the two may be empty in both
}

// signal returns the signal with a name.
func (h *Hit) signal(name string) (Signal, bool) {
	i := slices.IndexFunc(h.Signals, func(s Signal) bool { return s.Name == name })
	if i < 0 {
		return Signal{}, false
	}
	return h.Signals[i], true
}

// OfTest reports whether this is a lesson taught for the test of the query, or a case that is almost certainly of that
// test: it has the test's id, nearly its text, or exactly its place.
func (h *Hit) OfTest() bool {
	s, ok := h.signal("recurrence")
	return ok && s.Raw >= carriesOver
}

// Lifted reports whether a lesson is a hit only because of a memory under it: it fits neither the text of the query
// nor its task.
func (h *Hit) Lifted() bool {
	_, up := h.signal("activation")
	_, task := h.signal("task")
	words, _ := h.signal("semantic")
	return up && !task && words.Calibrated < leastWords
}

// HitOf returns a hit for a node that a reader picked and no search found. It is ranked by its confidence.
func HitOf(n *tree.Node) Hit {
	return Hit{
		ID: n.ID, Type: n.Type, ErrorType: n.ErrorType, Direction: n.Direction, Rel: 1, Score: n.Content.Confidence,
		Signals: []Signal{{"confidence", n.Content.Confidence, n.Content.Confidence, 1, n.Content.Confidence}},
		Parent:  n.Parent,
	}
}

// Near is a case whose text is similar to that of another case, see [Index.Similar].
type Near struct {
	ID      string
	Overlap float64 // share of the tokens of both that are in both (Jaccard), 0 to 1
}

// hit returns a candidate as callers see it. The signals repeat the computation of compute and judge, in the same
// order, so that their contributions can be added up.
func (r *ranking) hit(x *ranked) Hit {
	h := Hit{
		ID: x.id(), Type: x.kind, ErrorType: x.errorType, Direction: x.direction, Rel: x.rel, Score: x.score,
		Taken: x.taken, Reason: x.why.String(), Why: x.why, Parent: x.parent, SameScene: r.isSameScene(x),
	}
	place := 0.0
	if x.exact > 0 {
		place = 0.5
	}
	if h.SameScene {
		place = 1
	}
	h.Signals = append(make([]Signal, 0, 11),
		Signal{"exact", place, x.exact, exactWeight, exactWeight * x.exact},
		Signal{"semantic", x.raw, x.semantic, semanticWeight, semanticWeight * x.semantic},
		Signal{"words", x.lexical, r.fuse(x.lexical, 0), 1, r.fuse(x.lexical, 0)},
	)
	if r.dense {
		h.Signals = append(h.Signals, Signal{"meaning", x.cosine, max(0, x.cosine), 1, max(0, x.cosine)})
	}
	if x.task > 0 {
		h.Signals = append(h.Signals, Signal{"task", x.task, x.task, taskWeight, taskWeight * x.task})
	}
	h.Signals = append(h.Signals, Signal{"scene", x.candidate.scene, x.candidate.scene, sceneWeight,
		sceneWeight * x.candidate.scene})
	if x.activation > 0 {
		h.Signals = append(h.Signals, Signal{"activation", x.activation, x.activation, x.lifted, x.lifted * x.activation})
	}
	rel := x.rel // the score so far; each factor's contribution is what it adds to that
	factor := func(name string, raw, f float64) {
		h.Signals = append(h.Signals, Signal{name, raw, f, 1, rel*f - rel})
		rel *= f
	}
	factor("confidence", x.confidence, 0.5+0.5*x.confidence)
	if x.again > 0 {
		factor("recurrence", x.again, x.trust/(0.5+0.5*x.confidence))
	}
	factor("age", x.days, x.fresh)
	if h.SameScene {
		factor("closeness", x.semantic, x.close)
	}
	if x.likeness > 0 {
		h.Signals = append(h.Signals, Signal{"diversity", x.likeness, x.likeness, diversity - 1,
			(diversity - 1) * x.likeness})
	}
	return h
}
