package effect

import (
	"cmp"
	"math"
	"reflect"
	"time"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// by is Change.By of this package.
const by = "effect"

// Revised is a change of a memory's status.
type Revised struct {
	ID  string        `json:"id"` // id of the memory
	Was tree.Status   `json:"was"`
	Now tree.Status   `json:"now"`
	Why taxonomy.Text `json:"why"` // the reason, a sentence
}

// Revise returns the change of memory n that follows from its effect e: new counters, a new Credit and thus a new
// confidence and, if e requires it, another status (see [Next]). t counts what the runs of n showed and may be nil.
// origin is the id of the tree of the runs, and now the time of the latest run. r describes the change of status, and
// is zero if there is none. ok is false if nothing changes.
func Revise(n *tree.Node, e *Effect, t *MemoryTally, origin string, now time.Time) (c tree.Change, r Revised, ok bool) {
	t = cmp.Or(t, &MemoryTally{})
	x := n.Clone()
	count(&x, e, origin)
	credit := tree.Credit{
		Runs: e.Runs, Tests: e.Tests, Right: e.Right, Effect: within(e.Effect), SD: min(1, round4(e.SD)),
		PHarm: round4(e.PHarm), Before: round4(e.Before), Prior: n.Prior(),
		Repeated: t.Repeated, Confirmed: t.Confirmed, NotOn: t.NotOn,
	}
	s := Standing{Status: n.Status, Mark: n.Mark, Ours: n.HeldBack()}
	if n.Credit != nil && n.Credit.Held != nil && !Given(n.Status, n.Mark) {
		credit.Held, s.Since = n.Credit.Held, n.Credit.Held.Since
	}
	if n.Credit != nil {
		credit.Refreshed = min(n.Credit.Refreshed, t.Repeated)
	}
	op, why := tree.OpCredit, e.Size()
	if next, reason := Next(e, s, now); next != n.Status {
		op, why = tree.OpStatus, reason
		r = Revised{n.ID, n.Status, next, why}
		credit.Held = nil
		if x.Status = next; !Given(x.Status, x.Mark) {
			credit.Held = &tree.Held{Since: now.UTC(), Was: n.Status, Why: why.EN}
		}
	}
	x.Credit = &credit
	x.SetPrior(credit.Prior)
	if reflect.DeepEqual(&x, n) {
		return c, r, false
	}
	return tree.NewChange(op, x, n.Revision, by, why.EN), r, true
}

// count sets the counters of the origin's runs, and the sums over all trees. Uses without a counter, such as those of a
// tree in the format of the design document, remain in the sums.
func count(n *tree.Node, e *Effect, origin string) {
	used, right := 0, 0.0
	for _, c := range n.Counters {
		used += c.Used
		right += float64(c.Correct)
	}
	used = max(0, n.Metadata.UsageCount-used)
	right = max(0, min(float64(used), n.Metadata.SuccessRate*float64(n.Metadata.UsageCount)-right))
	if n.Counters == nil {
		n.Counters = map[string]tree.Counters{}
	}
	n.Counters[origin] = tree.Counters{Used: e.Runs, Correct: e.Right}
	for _, c := range n.Counters {
		used += c.Used
		right += float64(c.Correct)
	}
	n.Metadata.UsageCount = used
	n.Metadata.SuccessRate = max(0, min(1, round4(right/float64(max(1, used)))))
}

func round4(x float64) float64 { return math.Round(1e4*x) / 1e4 }

func within(x float64) float64 { return max(-1, min(1, round4(x))) }
