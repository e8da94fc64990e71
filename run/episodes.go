package run

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
)

// Episode is an ended run that is like a goal, and how well it fits. Without a goal, Runs.Find returns any run as one.
type Episode struct {
	Run
	Score float64 `json:"score"` // 0 to 1: likeness, lowered by age and changed by ratings; 0 if no goal was given
}

// The weights of an episode beside its likeness.
const (
	leastLike = 0.25                // of the terms in common
	halfLife  = 14 * 24 * time.Hour // of what an episode counts for
	recency   = 0.2                 // the share of the score that its age decides
	rated     = 0.1                 // what the best rating adds, and the worst takes
)

// Like returns the ended runs whose goals are like goal, the best first, at most limit; 0: all. The score is the share
// of the terms of the shorter goal that both goals have, lowered by the age of the run at the time now and changed by
// people's ratings. f restricts the runs; its State Open means all ended runs.
func (l *Log) Like(goal string, f Filter, limit int, now time.Time) []Episode {
	if f.State == "" || f.State == Open {
		f.State = Ended
	}
	asked := termsOf(goal)
	var out []Episode
	for _, r := range l.runs {
		if !f.lets(&r.Run) {
			continue
		}
		like := asked.like(termsOf(r.Goal))
		if like < leastLike {
			continue
		}
		age := math.Exp2(-float64(max(0, now.Sub(r.Last))) / float64(halfLife))
		score := like * (1 - recency + recency*age)
		if mean := r.Rating(); mean > 0 {
			score *= 1 + rated*(mean-3)/2
		}
		out = append(out, Episode{r.Run, math.Round(1000*min(1, score)) / 1000})
	}
	slices.SortFunc(out, func(a, b Episode) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(len(out), cmp.Or(max(0, limit), len(out)))]
}

// Like returns the ended runs whose goals are like goal, the best first, at most limit; 0: all. See [Log.Like].
func (r *Runs) Like(ctx context.Context, goal string, f Filter, limit int) (out []Episode, err error) {
	err = r.o.View(ctx, func(l *Log) {
		out = l.Like(goal, f, limit, r.o.Now())
		for i := range out {
			out[i].Run = out[i].clone()
		}
	})
	return out, err
}

// leastCommon is how many runs have to have something in common.
const leastCommon = 3

// Common returns a reason that runs similar to x have in common: runs of the same product and state, with a similar
// goal. It is the reason most similar to the others, "" if fewer than three different reasons are similar; the same
// text in several runs counts once. Common compares terms, not meaning, so a person has to confirm the reason.
func (l *Log) Common(x *Run) string {
	f := Filter{State: x.State, Product: x.Product}
	var reasons []string
	goal := termsOf(x.Goal)
	for _, r := range l.List(f) {
		if goal.like(termsOf(r.Goal)) < 2*leastLike {
			continue
		}
		if s := reason(&r); s != "" && !slices.Contains(reasons, s) {
			reasons = append(reasons, s)
		}
	}
	best, most := "", 0.0
	for _, s := range reasons {
		like, sum := 1, 0.0
		for _, o := range reasons {
			if x := termsOf(s).like(termsOf(o)); o != s && x >= 2*leastLike {
				like, sum = like+1, sum+x
			}
		}
		if like >= leastCommon && sum > most {
			best, most = s, sum
		}
	}
	return best
}

// Common returns a reason that runs similar to x have in common, "" for none. See [Log.Common].
func (r *Runs) Common(ctx context.Context, x *Run) (out string, err error) {
	err = r.o.View(ctx, func(l *Log) { out = l.Common(x) })
	return out, err
}

// reason returns the sentence on how a run ended: its own, or its last error.
func reason(r *Run) string {
	s := r.Why
	if errs := r.Of(ledger.WorkError); s == "" && len(errs) > 0 {
		s = errs[len(errs)-1].Text
	}
	for _, one := range text.Sentences(text.Line(s)) {
		return strings.TrimSpace(one)
	}
	return ""
}

// termSet is a set of terms.
type termSet map[string]bool

func termsOf(s string) termSet {
	out := termSet{}
	for _, t := range text.Terms(s) {
		out[t] = true
	}
	return out
}

// like returns the share of the terms of the shorter one that both have, if it has two.
func (a termSet) like(b termSet) float64 {
	if len(b) < len(a) {
		a, b = b, a
	}
	if len(a) == 0 {
		return 0
	}
	n := 0
	for t := range a {
		if b[t] {
			n++
		}
	}
	return float64(n) / float64(max(2, len(a)))
}
