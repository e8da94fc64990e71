package risk

// enoughKnown is how many truths must be known before a number is given.
const enoughKnown = 30

// Whether the signals predict anything is tested as a bet against the base rate.
// After each verdict the winnings are multiplied by how much more probable the model
// held the outcome than the base rate did. If the base rate were all there is to
// know, the expected winnings would not grow, and they would reach enoughWon in at
// most one of enoughWon histories (Ville 1939; G. Shafer, J. R. Stat. Soc. A 184,
// 2021). The stake of 1 enters gradually, so early mistakes cost little; winnings
// are capped, so a model that stops working is noticed soon.
const (
	enoughWon = 20.0 // winnings at which the model is trusted: 95 % significance
	cappedWon = 1e6
	winMost   = 50 // the most one verdict multiplies or divides the winnings by
)

type wager struct {
	Won   float64 // stake in play and its winnings
	Spare float64 // part of the stake not yet in play
}

func newEvidence() wager { return wager{Spare: 1} }

// settle takes the probabilities that the model and the base rate gave to what came
// out, after n verdicts.
func (e *wager) settle(n int, model, base float64) {
	in := e.Spare / float64(n+2) // so that 1/(n+1) of the stake is left after n verdicts
	e.Spare -= in
	ratio := max(1.0/winMost, min(winMost, model/base))
	e.Won = min(cappedWon, (e.Won+in)*ratio)
}

func (e *wager) enough() bool { return e.Won+e.Spare >= enoughWon }
