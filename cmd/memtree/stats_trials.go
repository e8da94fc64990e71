package main

import (
	"github.com/memtree/memtree/effect"

	"github.com/memtree/memtree/internal/cli/screen"
)

// printTrials prints the queries of runs, and the number of outcomes.
func (a *app) printTrials(p *screen.Page, t *effect.Trials) {
	if t.Questions > 0 {
		p.Part(a.say("questions"), a.say("%d that no run followed; they count nowhere else", t.Questions))
	}
	if t.Asked == 0 {
		return
	}
	p.Part(a.say("asked by runs"),
		a.say("%d; memory had something for %s of them: given to %d, other memories to %d, none to %d",
			t.Asked, percent(float64(t.Found)/float64(t.Asked)), t.Guided, t.Other, t.None))
	p.Part(a.say("outcomes"), a.say("%d have come, %d not yet; memtree effect says whether memory helps",
		t.Outcomes.Known, t.Outcomes.Open))
}
