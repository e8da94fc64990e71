package risk

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/tree"
)

// Seen is what the observation of a verdict settles of remembered misses.
type Seen struct {
	Broken, Holds int      // facts of either kind
	Memories      []string // ids of the cases they were read from
}

// What a decided fact says of a verdict, in log-odds. None of those decided on the pages of
// the GUI benchmark was wrong, so a verdict that denies one is; a page that was repaired in one
// place may be broken in another, so that things hold says little.
const (
	denied    = 3.0
	confirmed = -3.0
	allHold   = 0.8 // of a verdict that reports a defect; the negative of half of it of one that does not
)

// Given returns a risk in the light of what the observation settles: the same probability,
// moved. A verdict that is neither pass nor fail stays as it is.
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
	slices.SortStableFunc(r.Because, func(a, b Reason) int { return cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds)) })
	return r
}
