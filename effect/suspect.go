package effect

import "slices"

// slab is the prior share of memories that do large harm, and of those that help much: the weight of two wide priors
// beside the narrow one of [CreditBook.Fit], which attributes a large effect to a hard place (T. J. Mitchell, J. J.
// Beauchamp, J. Am. Stat. Assoc. 83, 1988: a spike and a slab).
const slab = 0.05

// Suspect tests each memory in effects for harm and for help by two bets, and updates PHarm and EHarm by their values.
// A bet is a stake of 1 that grows with each run that supports it. runs must be in the order of their outcomes. Suspect
// uses the runs for which the memory was found and chance decided between memory and none. Only chance distinguishes
// the runs with the memory from those without, so neither hard tests nor effects of other memories can explain a gain.
// blamed, the evidence of ablations, multiplies the value of the bet on harm.
//
// Suspect cannot distinguish memories that are always found together. held reports whether a memory is out of use as
// harmful. A run for which such a memory was found does not count for the others. So of several suspects the worst is
// taken out of use first, and the others are then measured without it.
func Suspect(effects []Effect, runs []TrialRun, blamed []Blamed, held func(id string) bool) {
	won := map[string]*memoryBets{}
	guilt := map[string]float64{}
	for _, b := range blamed {
		won[b.Memory] = &memoryBets{}
		guilt[b.Memory] = min(max(1, guilt[b.Memory])*b.E, most)
	}
	var guess guess
	for i := range runs {
		r := &runs[i]
		if !r.first() {
			continue
		}
		cell := cellOf(r.Test)
		x := betOutcome{memory: r.Arm == Memory, failed: !r.Correct, expected: guess.expect(cell)}
		guess.count(cell, x.failed)
		rho, drawn := r.Chances.share()
		if !drawn || r.Arm == Other {
			continue
		}
		x.rho = rho
		culprit := slices.ContainsFunc(r.Eligible, func(c Candidate) bool { return held(c.ID) })
		for k := range r.Eligible {
			id := r.Eligible[k].ID
			if culprit && !held(id) {
				continue
			}
			if won[id] == nil {
				won[id] = &memoryBets{}
			}
			won[id].harm.settle(x, 1)
			won[id].help.settle(x, -1)
		}
	}
	for i := range effects {
		e := &effects[i]
		w := won[e.ID]
		if w == nil {
			continue
		}
		harm, help := slab*min(w.harm.E()*max(1, guilt[e.ID]), most), slab*min(w.help.E(), most)
		e.EHarm = rounded(harm / slab)
		e.PHarm = rounded(((1-2*slab)*e.PHarm + harm) / (1 - 2*slab + harm + help))
	}
}

// memoryBets holds the two bets on one memory.
type memoryBets struct{ harm, help bet }

// most is the greatest evidence used.
const most = 1e9
