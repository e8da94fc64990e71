package risk

// enoughKnown is the number of known labels from which a risk is given.
const enoughKnown = 30

// Whether the signals predict anything is tested by a bet against the base rate. After each verdict the winnings are
// multiplied by the ratio of the probabilities that the model and the base rate gave to the outcome. If the signals had
// no information, the expected winnings would not grow, and they would reach enoughWon in at most one of enoughWon
// histories (Ville 1939; G. Shafer, J. R. Stat. Soc. A 184, 2021). The stake of 1 is placed gradually, so early
// mistakes cost little; winnings are capped, so a model that stops working is detected soon.
const (
	enoughWon = 20.0 // winnings at which the model is trusted: 95 % significance
	cappedWon = 1e6
	winMost   = 50 // most that one verdict multiplies or divides the winnings by
)

type wager struct {
	Won   float64 // placed stake and its winnings
	Spare float64 // stake not yet placed
}

func newEvidence() wager { return wager{Spare: 1} }

// settle updates the winnings with the probabilities that the model and the base rate gave to the outcome, after n
// verdicts.
func (e *wager) settle(n int, model, base float64) {
	in := e.Spare / float64(n+2) // so that 1/(n+1) of the stake is left after n verdicts
	e.Spare -= in
	ratio := max(1.0/winMost, min(winMost, model/base))
	e.Won = min(cappedWon, (e.Won+in)*ratio)
}

func (e *wager) enough() bool { return e.Won+e.Spare >= enoughWon }
