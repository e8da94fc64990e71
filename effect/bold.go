package effect

import (
	"math"

	"github.com/memtree/memtree/internal/stat"
)

// Bold is a stake of 1 that is bet so as to have come to a goal by the time so much has
// been learned, with the greatest chance there is of that, in place of growing fastest: at
// each run it is what an option is worth that pays the goal at the end, and nothing
// below it (S. Browne, Reaching goals by a deadline: digital options and
// continuous-time active portfolio management, Adv. Appl. Prob. 31, 1999). It is as
// fair as bet is. Past its end it keeps what it has and bets no more.
type Bold struct {
	Log     float64 `json:"log"`     // log of what a stake of 1 has become
	Learned float64 `json:"learned"` // of what is to be learned, so much has been: the variance of the log odds of an arm
}

const (
	// What is to be learned until the end: of a difference of .20 some 400 runs teach it, of one of
	// .40 some 100. While harm is in doubt half of the runs are held out, and so they teach more
	// of harm than of help.
	harmEnd = 18.0
	helpEnd = 12.0

	// A bet comes close to its goal and does not step over it, so it aims above it.
	boldAim = 1.02

	leastLeft = 0.05 // to be learned, below which a bet would be all or nothing
	leastHope = 1e-9 // of coming to the goal, below which there is nothing left to bet
)

// settle is told how a run ended. d is the difference that is bet on, below 0 for help; goal is
// what the stake should come to by the time that end has been learned.
func (b *Bold) settle(x outcome, d, goal, end float64) {
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

// E is what the stake has become.
func (b *Bold) E() float64 { return expCapped(b.Log) }

// odds are how much likelier memory is, of a run that ended like this, if failures with and
// without it are apart by d: a log, and its variance where they are not.
func (x outcome) odds(d float64) (odds, variance float64) {
	with, without := split(x.expected, x.rho, d)
	if !x.failed {
		with, without = 1-with, 1-without
	}
	odds = math.Log(with / without)
	return odds, x.rho * (1 - x.rho) * odds * odds
}

// purse is a stake of 1 on memory doing harm (or help), part of it bet to grow steadily
// and part boldly. The first finds what is small, or begins late; the others find a large
// difference within few runs. What all have together does not grow in the mean if memory
// changes nothing.
type purse struct {
	Steady bet             `json:"steady"`
	Bold   [len(bold)]Bold `json:"bold"` // by difference
	Best   float64         `json:"best"` // the most it has been
}

// bold are the differences in the share of failures that are bet on boldly, with the part of the
// stake: one that a team would want to know of within a few hundred runs, and one within a hundred.
var bold = [...]struct{ on, part float64 }{{0.20, 0.6}, {0.40, 0.1}}

// steadily is the part of the stake that is bet steadily.
const steadily = 0.3

// settle is told how a run ended. sign is +1 for a bet on harm, -1 for one on help; goal is what
// the stake should come to.
func (p *purse) settle(x outcome, sign, goal float64) {
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

// E is what the stake has become: the evidence.
func (p *purse) E() float64 {
	e := steadily * p.Steady.E()
	for i := range p.Bold {
		e += bold[i].part * p.Bold[i].E()
	}
	return e
}
