package evolution

import (
	"fmt"
	"math"
	"time"

	"github.com/memtree/memtree/tree"
)

// Confidence: that cases agree on a cause is worth up to this share of what is
// missing to certainty.
const agreement = 0.3

// leastLater is how many cases that came after a lesson was written, of tests it
// was not written from, show that its cause goes on: the lesson is on probation
// no longer.
const leastLater = 2

// confidence of what rests on cases until outcomes are known: the mean of what
// their analyst gave them, raised by how many they are and how alike. A case
// counts half after each half-life, so that agreement that nobody has seen again
// fades; what the analyst was sure of does not.
func confidence(cases []*tree.Node, cohesion float64, now time.Time) float64 {
	sum, support := 0.0, 0.0
	for _, n := range cases {
		sum += n.Content.Confidence
		support += math.Exp2(-max(0, now.Sub(lastSeen(n)).Hours()) / halfLife.Hours())
	}
	mean := sum / float64(len(cases))
	return math.Round(100*(mean+(1-mean)*agreement*cohesion*(1-1/max(1, support)))) / 100
}

// trust brings the confidence of an experience to what its cases say now.
func (w *work) trust(n *tree.Node, b *bucket) {
	if c := confidence(b.cases, b.close, w.s.now); c != n.Content.Confidence {
		n.Content.Confidence = c
		w.edits.put(*n, tree.OpCredit, fmt.Sprintf("%d cases stand behind it, the newest of %s", len(b.cases), newest(b.cases).Format(time.DateOnly)))
	}
}

// proven ends the probation of an experience once later cases have shown that its
// cause goes on.
func (w *work) proven(n *tree.Node, b *bucket) {
	if k := later(n, b.cases); n.Status == tree.Probation && k >= leastLater {
		n.Status = tree.Active
		w.edits.put(*n, tree.OpStatus, fmt.Sprintf("%d later cases of other tests have its cause", k))
	}
}

func newest(cases []*tree.Node) (at time.Time) {
	for _, n := range cases {
		if seen := lastSeen(n); seen.After(at) {
			at = seen
		}
	}
	return at.UTC()
}

// later counts the tests of cases that came after those that a lesson was written
// from. What was there already when it was written, and was found to be of its
// cause only then, shows nothing.
func later(e *tree.Node, cases []*tree.Node) int {
	known, fresh := map[string]bool{}, map[string]bool{}
	var written time.Time
	cited := map[string]bool{}
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
