package retrieval

import (
	"time"

	"github.com/memtree/memtree/tree"
)

// Query is what is about to be run. Only Prompt is needed.
type Query struct {
	Prompt string
	Step   string // the step of the run about to begin; its text joins the prompt
	Lang   string // of the guidance; finding does not depend on it

	Scene tree.Scene // Route may be a route or a pattern
	Scope tree.Scope

	Exclude      []string // ids of nodes that must not be used
	ExcludeTests []string // case_id of tests whose cases must not be used

	Now    time.Time // for the age of memories; the zero time leaves age out
	Limits Limits
}

// Limits says how much may be taken. A zero field has the default written
// beside it, a negative count means none.
type Limits struct {
	Total       int     // 3
	Strategies  int     // 1
	Experiences int     // 2
	Cases       int     // 2
	Candidates  int     // 20, looked at on each level; at most 1,000
	Confidence  float64 // 0.2: what is trusted less stays out, a case of the very test at half of it; negative: no floor
}

const maxCandidates = 1000

func (l Limits) filled() Limits {
	for _, f := range []struct {
		n *int
		d int
	}{{&l.Total, 3}, {&l.Strategies, 1}, {&l.Experiences, 2}, {&l.Cases, 2}, {&l.Candidates, 20}} {
		if *f.n == 0 {
			*f.n = f.d
		}
	}
	l.Candidates = min(max(l.Candidates, 1), maxCandidates)
	if l.Confidence == 0 {
		l.Confidence = 0.2
	}
	return l
}

func (l Limits) of(t tree.Type) int {
	switch t {
	case tree.Strategy:
		return l.Strategies
	case tree.Experience:
		return l.Experiences
	}
	return l.Cases
}
