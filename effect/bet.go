package effect

import (
	"math"
)

// bets are the differences in the share of failures that are bet on.
var bets = [...]float64{0.05, 0.10, 0.20, 0.35}

// bet is a stake of 1 on memory doing harm (or help), settled run by run. If
// memory changes no outcome, what is won does not grow in the mean, whatever the
// tests are and however they change, because only chance decided who was given
// memory; so it reaches 1/α once in 1/α histories at most, however long one looks
// (J. Ville, Étude critique de la notion de collectif, 1939; G. Shafer, J. R. Stat.
// Soc. A 184, 2021).
//
// Half of the stake is in play from the first run. The other half goes in little
// by little, so that what was lost while memory helped does not hide for ever
// that it has begun to harm.
type bet struct {
	First [len(bets)]float64 `json:"first"` // log of what a stake of 1 in the first run has become, by difference
	Since [len(bets)]float64 `json:"since"` // log of what the stakes put in later have become
	N     int                `json:"n"`     // runs settled
}

// settle is told how a run ended. sign is +1 for a bet on harm, -1 for one on help.
func (b *bet) settle(x outcome, sign float64) {
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

// toss is told on which side a coin fell, in a bet that it falls on that side more than half
// of the time. If it does not, nothing is won in the mean.
func (b *bet) toss(won bool) {
	b.stake(func(d float64) float64 {
		if won {
			return 1 + 2*d
		}
		return 1 - 2*d
	})
}

// stake multiplies what is in play by what each difference has won.
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

// spare is what is left of the second half of the stake after n runs, as a share of
// it. It goes down slowly, so that there is enough of it whenever harm begins.
func spare(n int) float64 { return math.Ln2 / math.Log(float64(n+2)) }

// split returns the shares of failures with and without memory that are apart by d and
// come to p together. Near 0 and 1 they are apart by as much as there is room.
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

// nothing is the log of a stake too small to count. It is finite, as JSON needs.
const nothing = -700

// E is what a stake of 1 has become: the evidence.
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

// expCapped keeps what is shown within what JSON can say.
func expCapped(x float64) float64 { return math.Exp(min(x, 600)) }

func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return max(nothing, a+math.Log1p(math.Exp(b-a)))
}

// clamp keeps a share away from the certain, where one surprise would cost all.
func clamp(p float64) float64 { return max(0.02, min(0.98, p)) }
