package plot

import (
	"fmt"

	"github.com/memtree/memtree/effect"
)

// proven is the evidence at which something is proven.
const proven = 1 / effect.Alpha

// EvidenceLine returns a sentence on how strong the evidence in r is.
func EvidenceLine(say voice, r *effect.Report) string {
	return evidenceAfter(drawer{say}, r.Compared, r.EHelp, r.EHarm)
}

func evidenceAfter(d drawer, runs int, help, harm float64) string {
	return d.say("Evidence after %d compared runs that memory helps: %s (%s); that it harms: %s (%s). "+
		"Evidence that was ever 20 is proof.", runs, Amount(help), d.strength(help), Amount(harm), d.strength(harm))
}

// SameTests returns a sentence on how many runs are compared test by test, and another one if their shares of right
// runs differ from those of all runs.
func SameTests(say voice, r *effect.Report) string {
	d := drawer{say}
	compared := d.say("The comparison goes test by test: %d of %d runs with memory and %d of %d without, of the tests "+
		"that ran both ways (%d).", r.N, r.Guided, r.M, r.None, r.Lift.Tests)
	if r.N == 0 || percent(r.With) == percent(share(r.Right.Guided, r.Guided)) &&
		percent(r.Without) == percent(share(r.Right.None, r.None)) {
		return compared
	}
	return compared + d.say(" So its shares differ from those of all runs.")
}

func share(k, n int) float64 { return float64(k) / float64(max(1, n)) }

// Claims returns a sentence on how many memories runs received. It adds how many of these had too few runs for a claim,
// or that none is sure to help or likely to harm.
func Claims(say voice, r *effect.Report) string {
	d := drawer{say}
	switch all := len(r.Memories); {
	case r.TooFew == 0 && len(r.Helpful)+len(r.Harmful) > 0:
		return d.say("Memories that were given to runs: %d.", all)
	case r.TooFew == 0:
		return d.say("Memories that were given to runs: %d. None of them is sure to help or likely to harm.", all)
	default:
		return d.say("Memories that were given to runs: %d. Too few runs to tell anything of %d of them: that takes %d "+
			"guided runs of %d tests.", all, r.TooFew, effect.ClaimRuns, effect.ClaimTests)
	}
}

// strength names evidence in the terms of H. Jeffreys (Theory of Probability, 1961), as V. Vovk and R. Wang use them
// for bets (Annals of Statistics 49, 2021).
func (d *drawer) strength(e float64) string {
	switch {
	case e >= proven:
		return d.say("proof")
	case e >= 10:
		return d.say("strong")
	case e >= 3.16:
		return d.say("substantial")
	case e > 1:
		return d.say("hardly any")
	}
	return d.say("none")
}

// Amount returns the amount of evidence e as text, "> 1000" above 1000: 20 is proof, and more than a thousand adds
// nothing.
func Amount(e float64) string {
	if e > 1000 {
		return "> 1000"
	}
	return fmt.Sprintf("%.1f", e)
}

// Points returns the share x in percentage points as text, with its sign, such as "+12".
func Points(x float64) string {
	if x > -0.005 && x < 0.005 {
		return "0"
	}
	return fmt.Sprintf("%+.0f", 100*x)
}

func percent(p float64) string { return fmt.Sprintf("%.0f %%", 100*p) }
