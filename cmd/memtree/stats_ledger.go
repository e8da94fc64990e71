package main

import (
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/tree"
)

// mostBlamed is the number of blamed memories that are printed; --json has all.
const mostBlamed = 5

// printLedgerStats adds the statistics of corrections and ablations, if there are any.
func printLedgerStats(v *say.Voice, p *screen.Page, s *effect.LedgerStats) {
	for i := range s.Corrections {
		if r := &s.Corrections[i]; r.N > 0 {
			p.Part(remedyName(v, r.Remedy), remedied(v, r))
		}
	}
	b := &s.Ablations
	if b.N == 0 {
		return
	}
	p.Part(v.Say("failures"), v.Say("%d looked into: a memory is to blame for %d, none for %d, flaky %d, broken off %d",
		b.N, b.Blame[string(tree.OnMemory)], b.Blame[string(tree.NotOnMemory)], b.Blame[string(tree.OnFlaky)],
		b.Blame[string(tree.Unfinished)]))
	for i, x := range b.Blamed {
		if i == mostBlamed {
			p.Part("", v.Say("... and %d more", len(b.Blamed)-mostBlamed))
			break
		}
		p.Part("", v.Say("%s: all %d runs with it failed, all %d without it passed", short(x.Memory), x.With, x.Without))
	}
}

func remedyName(v *say.Voice, r tree.Remedy) string {
	switch r {
	case tree.Flag:
		return v.Say("flagged")
	case tree.Rerun:
		return v.Say("run again")
	}
	return v.Say("corrected")
}

// remedied describes the outcome of one remedy.
func remedied(v *say.Voice, r *effect.Remedied) string {
	known := max(1, r.Mended+r.Broken)
	var out string
	switch {
	case r.Known == 0:
		out = v.Say("%d verdicts likely to be wrong; what is true of them is not known yet", r.N)
	case r.Remedy == tree.Flag:
		out = v.Say("%d verdicts likely to be wrong; the other one would have put %d right and broken %d", r.N, r.Mended,
			r.Broken)
	default:
		out = v.Say("%d verdicts likely to be wrong, %d of them changed; put right: %d, broken: %d "+
			"(%s put right, 95 %%: %.0f-%.0f)", r.N, r.Changed, r.Mended, r.Broken, percent(float64(r.Mended)/float64(known)),
			100*r.Low, 100*r.High)
	}
	if r.Stopped {
		out += v.Say("; stopped, because it broke more than it put right")
	}
	return out
}
