package retrieval

import (
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Result is the answer to a Query.
type Result struct {
	Hits       []Hit    // taken, in rank order; not nil
	Considered []Hit    // Explain only: every candidate, best first
	Nearest    *Hit     // the best candidate, taken or not; nil when there was none
	Abstained  bool     // nothing was taken
	Asked      []string // ids of the checks that the prompt calls for, the surest first
	Here       []string // ids of the cases of this very page or test among those considered, taken or not, sorted
	Note       string   // what did not work as it should have: words alone were used, and why
}

// Hit is a memory that was found.
type Hit struct {
	ID         string
	Type       tree.Type
	ErrorType  string
	Direction  taxonomy.Direction
	Rel        float64  // how well it fits, 0 to 1
	Score      float64  // Rel, weighed by trust and age, 0 to 1; hits are ranked by it
	Signals    []Signal // what Rel and Score are made of, in the order they were applied
	Taken      bool
	Reason     string // why it was taken, or why not; a sentence
	Why        Why    // the same, to be said in another language
	Parent     string
	SameScene  bool // scene id and route pattern are those of the query, one of them perhaps absent in both
	Confidence float64
}

// Signal is one named part of a hit's score.
//
// For the channels exact, semantic, check and scene, and for activation, Raw is what
// was measured, Calibrated the evidence s in 0 to 1, and Contribution is
// Weight·s. words and meaning are the two halves of semantic's Raw. For
// confidence, recurrence, age and closeness, Calibrated is the factor on Rel and
// Contribution by how much it lowered the score, or raised it: recurrence, how
// surely this is the very test again, gives back half of what confidence took.
// diversity is the likeness to
// what was taken before, and what it cost in the choice, not in the score.
type Signal struct {
	Name         string
	Raw          float64
	Calibrated   float64
	Weight       float64
	Contribution float64
}

// Near is a case like another one, see [Index.Similar].
type Near struct {
	ID      string
	Overlap float64 // share of the tokens of both that are in both (Jaccard), 0 to 1
}
