package main

import (
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/tree"
)

// mostBlamed is the number of blamed memories that are printed; --json has all.
const mostBlamed = 5

// printLedgerStats adds the statistics of corrections and ablations, if there are any.
func (a *app) printLedgerStats(p *screen.Page, s *effect.LedgerStats) {
	for i := range s.Corrections {
		if r := &s.Corrections[i]; r.N > 0 {
			p.Part(a.remedyName(r.Remedy), a.remedied(r))
		}
	}
	b := &s.Ablations
	if b.N == 0 {
		return
	}
	p.Part(a.say("failures"), a.say("%d looked into: a memory is to blame for %d, none for %d, flaky %d, broken off %d",
		b.N, b.Blame[string(tree.OnMemory)], b.Blame[string(tree.NotOnMemory)], b.Blame[string(tree.OnFlaky)],
		b.Blame[string(tree.Unfinished)]))
	for i, x := range b.Blamed {
		if i == mostBlamed {
			p.Part("", a.say("... and %d more", len(b.Blamed)-mostBlamed))
			break
		}
		p.Part("", a.say("%s: all %d runs with it failed, all %d without it passed", short(x.Memory), x.With, x.Without))
	}
}

func (a *app) remedyName(r tree.Remedy) string {
	switch r {
	case tree.Flag:
		return a.say("flagged")
	case tree.Rerun:
		return a.say("run again")
	}
	return a.say("corrected")
}

// remedied describes the outcome of one remedy.
func (a *app) remedied(r *effect.Remedied) string {
	known := max(1, r.Mended+r.Broken)
	var out string
	switch {
	case r.Known == 0:
		out = a.say("%d verdicts likely to be wrong; what is true of them is not known yet", r.N)
	case r.Remedy == tree.Flag:
		out = a.say("%d verdicts likely to be wrong; the other one would have put %d right and broken %d", r.N, r.Mended,
			r.Broken)
	default:
		out = a.say("%d verdicts likely to be wrong, %d of them changed; put right: %d, broken: %d "+
			"(%s put right, 95 %%: %.0f-%.0f)", r.N, r.Changed, r.Mended, r.Broken, percent(float64(r.Mended)/float64(known)),
			100*r.Low, 100*r.High)
	}
	if r.Stopped {
		out += a.say("; stopped, because it broke more than it put right")
	}
	return out
}
