package retrieval

import (
	"cmp"
	"time"

	"github.com/memtree/memtree/tree"
)

// Query describes the run for which memories are searched. Only Prompt is required.
type Query struct {
	Prompt string
	Step   string // the step of the run that is about to begin; it is appended to the prompt
	Lang   string // language of the guidance; the search does not depend on it

	Scene tree.Scene // where the run takes place; Route may be a route or a pattern
	Scope tree.Scope // product, suite and test of the run
	Names []string   // other ids and prompts under which this very test is known

	Exclude      []string // ids of nodes that must not be used
	ExcludeTests []string // case_id of tests whose cases must not be used

	// Alike is for a person who looks for similar texts. The search then ignores the task of the prompt, which would
	// rank memories of similar mistakes above those of similar texts.
	Alike bool

	Now    time.Time // to compute the age of memories, in whole hours; with the zero time age has no effect
	Limits Limits
}

// Limits bounds the number of hits, except lessons taught for the very test. A zero field means its default. A negative
// number of hits means none.
type Limits struct {
	Total       int // most memories in all; 0: 3
	Strategies  int // most strategies; 0: none, because people read these, and agents the lessons below
	Experiences int // most experiences; 0: 2
	Cases       int // most cases; 0: 2
	Candidates  int // memories computed on each level, 1 to 1,000; 0: 20

	// Confidence is the least confidence of a memory that is taken; 0: 0.2; negative: no floor. A case of the very test
	// needs no confidence.
	Confidence float64
}

// maxCandidates bounds Limits.Candidates and the length of lists of cases.
const maxCandidates = 1000

// DefaultTotal is the number of memories taken where Limits.Total is 0.
const DefaultTotal = 3

// withDefaults returns l with its defaults filled in.
func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		n *int
		d int
	}{{&l.Total, DefaultTotal}, {&l.Strategies, 0}, {&l.Experiences, 2}, {&l.Cases, 2}, {&l.Candidates, 20}} {
		if *f.n == 0 {
			*f.n = f.d
		}
	}
	l.Candidates = min(max(l.Candidates, 1), maxCandidates)
	l.Confidence = cmp.Or(l.Confidence, 0.2)
	return l
}

// ofLevel returns how many memories of a level may be taken.
func (l Limits) ofLevel(t tree.Type) int {
	switch t {
	case tree.Strategy:
		return l.Strategies
	case tree.Experience:
		return l.Experiences
	}
	return l.Cases
}
