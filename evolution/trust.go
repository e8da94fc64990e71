package evolution

import (
	"fmt"
	"math"
	"time"

	"github.com/memtree/memtree/tree"
)

// agreement is the share of the distance from the cases' mean confidence to 1 that
// their agreement on a cause can add.
const agreement = 0.3

// leastLater is how many later cases from new tests end the probation of a lesson.
const leastLater = 2

// confidence returns the confidence of a lesson from the cases, 0 to 1, in two decimals. It is the mean of the
// confidence that the analyst gave the cases, raised by their number and their similarity (cohesion, 0 to 1). For the
// raise the weight of a case halves after each half-life, so that an agreement that does not recur fades. The mean
// does not fade.
func confidence(cases []*tree.Node, cohesion float64, now time.Time) float64 {
	sum, support := 0.0, 0.0
	for _, n := range cases {
		sum += n.Prior()
		support += math.Exp2(-max(0, now.Sub(lastSeen(n)).Hours()) / halfLife.Hours())
	}
	mean := sum / float64(len(cases))
	return math.Round(100*(mean+(1-mean)*agreement*cohesion*(1-1/max(1, support)))) / 100
}

// updateConfidence sets the confidence of an experience to that of its present cases.
func (w *partitionWork) updateConfidence(n *tree.Node, b *bucket) {
	if c := confidence(b.cases, b.close, w.s.now); c != n.Prior() {
		n.SetPrior(c)
		w.edits.put(*n, tree.OpCredit, fmt.Sprintf("%d cases stand behind it, the newest of %s",
			len(b.cases), newest(b.cases).Format(time.DateOnly)))
	}
}

// endProbation puts an experience into full use when later cases have confirmed it.
func (w *partitionWork) endProbation(n *tree.Node, b *bucket) {
	if k := laterTests(n, b.cases); n.Status == tree.Probation && k >= leastLater {
		n.Status = tree.Active
		w.edits.put(*n, tree.OpStatus, fmt.Sprintf("%d later cases of other tests have its cause", k))
	}
}

// newest returns when the last mistake of the cases was made, in UTC.
func newest(cases []*tree.Node) (at time.Time) {
	for _, n := range cases {
		if seen := lastSeen(n); seen.After(at) {
			at = seen
		}
	}
	return at.UTC()
}

// laterTests returns the number of tests that confirm a lesson: tests of cases created after all cases the lesson was
// written from, and that none of these has. An older case that joined the lesson later confirms nothing.
func laterTests(e *tree.Node, cases []*tree.Node) int {
	known, fresh := map[string]bool{}, map[string]bool{} // tests
	var written time.Time                                // of the newest cited case
	cited := map[string]bool{}                           // cases
	for _, id := range e.Provenance.Cites {
		cited[id] = true
	}
	for _, n := range cases {
		if cited[n.ID] {
			known[testOf(n)] = true
			if at := n.Metadata.CreatedAt; at.After(written) {
				written = at
			}
		}
	}
	for _, n := range cases {
		if t := testOf(n); !known[t] && n.Metadata.CreatedAt.After(written) {
			fresh[t] = true
		}
	}
	return len(fresh)
}
