package plot

import (
	"fmt"

	"github.com/memtree/memtree/effect"
)

// proven is the evidence from which something is proven.
const proven = 1 / effect.Alpha

// EvidenceLine says how strong the evidence is.
func EvidenceLine(say Say, help, harm float64) string {
	d := drawer{say}
	return d.say("Evidence now that memory helps: %s (%s); that it harms: %s (%s). What has come to 20 is proven.",
		Amount(help), d.strength(help), Amount(harm), d.strength(harm))
}

// strength names evidence in the words of H. Jeffreys (Theory of Probability, 1961), as V. Vovk
// and R. Wang use them for bets (Annals of Statistics 49, 2021).
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

// Amount prints E as far as it matters: 20 is proof, and a thousand is as good as more.
func Amount(e float64) string {
	if e > 1000 {
		return "> 1000"
	}
	return fmt.Sprintf("%.1f", e)
}

// Points prints a share as percentage points.
func Points(x float64) string {
	if x > -0.005 && x < 0.005 {
		return "0"
	}
	return fmt.Sprintf("%+.0f", 100*x)
}

func percent(p float64) string { return fmt.Sprintf("%.0f %%", 100*p) }
