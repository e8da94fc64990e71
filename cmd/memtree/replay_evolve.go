package main

import (
	"context"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/tree"
)

// evolvingSubject is a memorySubject whose tree evolves at the end of each day of the history: before the first run of
// another day in UTC, and whenever longestDay runs were recorded since the last evolve. Only past runs decide when.
type evolvingSubject struct {
	memorySubject
	last time.Time // time of the last recorded run
	runs int       // number of recorded runs since the last evolve
}

// longestDay is the number of runs after which the tree evolves even if the day is the same:
// in many histories the runs have no times, or all of them fall on one day.
const longestDay = 50

func (*evolvingSubject) Name() string { return "evolved" }

func (v *evolvingSubject) Ask(ctx context.Context, e *tree.Evaluation) (effect.ReplayAnswer, error) {
	const day = 24 * time.Hour
	if v.runs >= longestDay || v.runs > 0 && !e.At.Truncate(day).Equal(v.last.Truncate(day)) {
		if _, err := v.mem.Evolve(ctx, nil); err != nil {
			return effect.ReplayAnswer{}, err
		}
		v.runs = 0
	}
	return v.memorySubject.Ask(ctx, e)
}

func (v *evolvingSubject) Learn(ctx context.Context, e *tree.Evaluation, d effect.RunLabel) error {
	v.last = e.At
	v.runs++
	return v.memorySubject.Learn(ctx, e, d)
}
