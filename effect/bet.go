package effect

import (
	"math"
)

// bets are the differences in the share of failures on which the bets are placed.
var bets = [...]float64{0.05, 0.10, 0.20, 0.35}

// bet is a stake of 1 on harm (or help) by memory, settled run by run. If memory has no effect, the expected value of
// the stake does not grow, whatever the tests are and however they change, because only chance decided which runs
// received memory. So it reaches 1/α in at most 1/α of histories, at any time of inspection (J. Ville, Étude critique
// de la notion de collectif, 1939; G. Shafer, J. R. Stat. Soc. A 184, 2021).
//
// Half of the stake is placed at the first run. The other half is placed gradually, so that losses while memory helped
// do not hide later harm for ever.
type bet struct {
	First [len(bets)]float64 `json:"first"` // log of the value of a stake of 1 at the first run, by difference
	Since [len(bets)]float64 `json:"since"` // log of the value of the stakes placed later
	N     int                `json:"n"`     // settled runs
}

// settle settles the bet by a run. sign is +1 for a bet on harm, -1 for one on help.
func (b *bet) settle(x betOutcome, sign float64) {
	b.stake(func(d float64) float64 {
		with, without := split(x.expected, x.rho, sign*d)
		if !x.failed {
			with, without = 1-with, 1-without
		}
		q := without
		if x.memory {
			q = with
		}
		return q / (x.rho*with + (1-x.rho)*without)
	})
}

// toss settles a bet that a coin lands on one side more than half of the time. If it does not, the expected gain is 0.
func (b *bet) toss(won bool) {
	b.stake(func(d float64) float64 {
		if won {
			return 1 + 2*d
		}
		return 1 - 2*d
	})
}

// stake multiplies the placed stakes by the gain at each difference.
func (b *bet) stake(won func(d float64) float64) {
	if b.N == 0 {
		b.start()
	}
	in := spare(b.N) - spare(b.N+1)
	b.N++
	for i, d := range bets {
		step := math.Log(won(d))
		b.First[i] += step
		b.Since[i] = logSum(b.Since[i], math.Log(in)) + step
	}
}

func (b *bet) start() {
	for i := range b.Since {
		b.First[i], b.Since[i] = 0, nothing
	}
}

// spare is the part of the second half of the stake that is left after n runs. It falls slowly, so that enough is left
// whenever harm begins.
func spare(n int) float64 { return math.Ln2 / math.Log(float64(n+2)) }

// split returns shares of failures with and without memory that differ by d and have the weighted mean p. Near 0 and 1
// they differ by as much as possible.
func split(p, rho, d float64) (with, without float64) {
	p = clamp(p)
	with, without = p+(1-rho)*d, p-rho*d
	if c := clamp(without); c != without {
		without, with = c, (p-(1-rho)*c)/rho
	}
	if c := clamp(with); c != with {
		with, without = c, (p-rho*c)/(1-rho)
	}
	return with, without
}

// nothing is the log of a negligible stake. It is finite, as JSON requires.
const nothing = -700

// E returns the value of a stake of 1: the evidence.
func (b *bet) E() float64 {
	if b.N == 0 {
		return 1
	}
	sum := 0.0
	for i := range bets {
		sum += (expCapped(b.First[i]) + expCapped(b.Since[i]) + spare(b.N)) / 2
	}
	return sum / float64(len(bets))
}

// expCapped is exp, bounded to what JSON can represent.
func expCapped(x float64) float64 { return math.Exp(min(x, 600)) }

func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return max(nothing, a+math.Log1p(math.Exp(b-a)))
}

// clamp keeps a share away from 0 and 1, where one surprise would cost the whole stake.
func clamp(p float64) float64 { return max(0.02, min(0.98, p)) }
