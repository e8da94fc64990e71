package main

import (
	"github.com/memtree/memtree/effect"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/screen"
)

// printTrials prints the queries of runs, and the number of outcomes.
func printTrials(v *say.Voice, p *screen.Page, t *effect.Trials) {
	if t.Questions > 0 {
		p.Part(v.Say("questions"), v.Say("%d that no run followed; they count nowhere else", t.Questions))
	}
	if t.Asked == 0 {
		return
	}
	p.Part(v.Say("asked by runs"),
		v.Say("%d; memory had something for %s of them: given to %d, other memories to %d, none to %d",
			t.Asked, percent(float64(t.Found)/float64(t.Asked)), t.Guided, t.Other, t.None))
	p.Part(v.Say("outcomes"), v.Say("%d have come, %d not yet; memtree effect says whether memory helps",
		t.Outcomes.Known, t.Outcomes.Open))
}
