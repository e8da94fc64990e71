package risk

// enoughKnown is how many truths must be known before a number is given.
const enoughKnown = 30

// Evidence for the signals is a bet against the base rate, settled verdict by
// verdict: if the base rate were all there is to know, what is won would not
// grow, and would reach enoughWon once in enoughWon histories at most (Ville
// 1939; G. Shafer, J. R. Stat. Soc. A 184, 2021). The stake goes in little by little, so that
// a model that had to learn first is not held to its first guesses, and what is
// won is capped, so that a model that has stopped working is found out.
const (
	enoughWon = 20.0
	cappedWon = 1e6
	winMost   = 50 // of one verdict, either way
)

type evidence struct {
	Won   float64 // by the stake that is in play
	Spare float64 // stake not yet in play
}

func newEvidence() evidence { return evidence{Spare: 1} }

// settle is told how probable the model and the base rate had held what came out.
func (e *evidence) settle(n int, model, base float64) {
	in := e.Spare / float64(n+2) // after n verdicts 1/(n+1) is left
	e.Spare -= in
	ratio := max(1.0/winMost, min(winMost, model/base))
	e.Won = min(cappedWon, (e.Won+in)*ratio)
}

func (e *evidence) enough() bool { return e.Won+e.Spare >= enoughWon }
