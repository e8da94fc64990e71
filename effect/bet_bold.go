package effect

import (
	"math"

	"github.com/memtree/memtree/internal/stat"
)

// boldBet is a stake of 1 that is bet to reach a goal by the time a given amount of information has been observed, with
// the greatest possible probability, instead of growing fastest. At each run its value is that of an option that pays
// the goal at the end, or nothing below it (S. Browne, Reaching goals by a deadline: digital options and
// continuous-time active portfolio management, Adv. Appl. Prob. 31, 1999). It is as fair as bet. After its end it keeps
// its value and bets no more.
type boldBet struct {
	Log     float64 `json:"log"`     // log of the value of a stake of 1
	Learned float64 `json:"learned"` // observed information: the variance of the log odds of an arm
}

const (
	// Information until the end: a difference of .20 provides it in some 400 runs, one of .40 in some 100. While harm
	// is suspected half of the runs are held out, so they provide more information on harm than on help.
	harmEnd = 18.0
	helpEnd = 12.0

	// A bet approaches its goal without exceeding it, so it aims above it.
	boldAim = 1.02

	leastLeft = 0.05 // remaining information below which a bet would be all or nothing
	leastHope = 1e-9 // probability of reaching the goal below which betting ends
)

// settle settles the bet by a run. d is the difference that is bet on, below 0 for help; goal is the value that the
// stake should reach by the time that information end has been observed.
func (b *boldBet) settle(x betOutcome, d, goal, end float64) {
	hope := b.E() / (boldAim * goal)
	if goal <= 0 || b.E() >= goal || hope < leastHope {
		return
	}
	odds, learns := x.odds(d)
	left := end - b.Learned
	if left-learns < leastLeft {
		return
	}
	ahead := -math.Sqrt2 * math.Erfcinv(2*hope) * math.Sqrt(left)
	then := func(step float64) float64 { return stat.Normal((ahead + step) / math.Sqrt(left-learns)) }
	with, without := then((1-x.rho)*odds), then(-x.rho*odds)
	mean := x.rho*with + (1-x.rho)*without
	won := without
	if x.memory {
		won = with
	}
	if mean <= 0 {
		return
	}
	b.Learned += learns
	b.Log = max(nothing, b.Log+math.Log(won/mean))
}

// E returns the value of the stake.
func (b *boldBet) E() float64 { return expCapped(b.Log) }

// odds returns the log likelihood ratio of memory to none for this result, if failures with and without memory differ
// by d, and its variance if they do not differ.
func (x betOutcome) odds(d float64) (odds, variance float64) {
	with, without := split(x.expected, x.rho, d)
	if !x.failed {
		with, without = 1-with, 1-without
	}
	odds = math.Log(with / without)
	return odds, x.rho * (1 - x.rho) * odds * odds
}

// purse is a stake of 1 on harm (or help) by memory, divided between a steady bet and bold bets. The steady one detects
// small or late differences; the bold ones detect a large difference within few runs. If memory has no effect, the
// expected value of the sum does not grow.
type purse struct {
	Steady bet                `json:"steady"`
	Bold   [len(bold)]boldBet `json:"bold"` // by difference
	Best   float64            `json:"best"` // highest value so far
}

// bold are the differences in the share of failures of the bold bets, with their parts of the stake: one relevant to a
// team within a few hundred runs, and one within a hundred.
var bold = [...]struct{ on, part float64 }{{0.20, 0.6}, {0.40, 0.1}}

// steadily is the part of the stake in the steady bet.
const steadily = 0.3

// settle settles the bets by a run. sign is +1 for a bet on harm, -1 for one on help; goal is the value that the stake
// should reach.
func (p *purse) settle(x betOutcome, sign, goal float64) {
	end := harmEnd
	if sign < 0 {
		end = helpEnd
	}
	was := *p
	for i := range p.Bold {
		part := bold[i].part
		others := was.E() - part*was.Bold[i].E()
		p.Bold[i].settle(x, sign*bold[i].on, (goal-others)/part, end)
	}
	p.Steady.settle(x, sign)
	p.Best = max(p.Best, p.E())
}

// E returns the value of the stake: the evidence.
func (p *purse) E() float64 {
	e := steadily * p.Steady.E()
	for i := range p.Bold {
		e += bold[i].part * p.Bold[i].E()
	}
	return e
}
