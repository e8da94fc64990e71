package risk

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

// Seen counts properties that a page should have according to earlier wrong runs (fact.Finding): how many of them the
// page of a verdict lacks, and how many it has.
type Seen struct {
	Broken   int      // properties that the page lacks
	Holds    int      // properties that the page has
	Memories []string // ids of the cases with these properties
}

// The effect of decided facts, in log-odds towards wrong. On the pages of the GUI benchmark no decided fact was false,
// so a verdict that contradicts one is most likely wrong. Facts that hold are weaker evidence: a page that was repaired
// in one place may be broken in another.
const (
	denied    = 3.0  // the verdict passes, and a fact is broken
	confirmed = -3.0 // the verdict fails, and a fact is broken
	allHold   = 0.8  // the verdict fails, and all facts hold; minus half of it if it passes
)

// Given returns r with the evidence of s added, for the verdict of e. It returns r unchanged if s counts nothing, or
// if the verdict is neither pass nor fail.
func (r Risk) Given(e *tree.Evaluation, s Seen) Risk {
	by := 0.0
	switch p := judgment.PolarityOf(judgment.Decode(e.Judgment)); {
	case s.Broken+s.Holds == 0:
		return r
	case p == judgment.Passes && s.Broken > 0:
		by = denied
	case p == judgment.Fails && s.Broken > 0:
		by = confirmed
	case p == judgment.Fails:
		by = allHold
	case p == judgment.Passes:
		by = -allHold / 2
	default:
		return r
	}
	move := func(p float64) float64 { return sigmoid(logit(p) + by) }
	r.P, r.Low, r.High, r.Order = move(r.P), move(r.Low), move(r.High), move(r.Order)
	r.Enough = true
	r.Because = append(slices.Clone(r.Because), Reason{Signal: "facts", LogOdds: by, Memories: s.Memories})
	slices.SortStableFunc(r.Because, func(a, b Reason) int {
		return cmp.Compare(math.Abs(b.LogOdds),
			math.Abs(a.LogOdds))
	})
	return r
}
