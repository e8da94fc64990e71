package fact

import (
	"math"
	"regexp"
	"strconv"
	"sync"
)

// multiplied finds sentences about price times quantity.
var multiplied = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)乘以|乘上|没乘|×|单价|\b(?:line total|unit price|multipl\w+|times (?:the )?quantity)\b`)
})

// sums reads sentences about amounts that the page itself can be asked for.
func (r *reader) sums(s string) {
	if multiplied().MatchString(s) {
		r.add(Expected{Kind: Product})
	}
}

// within is how many labels may stand between a price, a quantity and what they come to.
const within = 4

// product is decided by rows of a price, a whole number of two or more, and an amount. It is
// broken only where the amount is the price itself: other amounts may have their reasons.
func (p *Page) product(f *Fact) {
	all := p.pieces()
	var right *piece
	for i := range all {
		if !all[i].money {
			continue
		}
		q := next(all, i, false)
		t := next(all, q, true)
		if t < 0 {
			continue
		}
		price, amount := amountOf(all[i]), amountOf(all[t])
		n, err := strconv.Atoi(all[q].number)
		if err != nil || n < 2 || n > 9999 || price == 0 || !all[q].alone {
			continue
		}
		switch {
		case math.Abs(price*float64(n)-amount) < 0.005:
			right = &all[t]
			f.Thing, f.Have = all[i].number+" × "+all[q].number, all[t].number
		case price == amount:
			f.decide(Broken, all[t].node)
			f.Thing, f.Have = all[i].number+" × "+all[q].number, all[t].number
			return
		default:
			f.Why = amountOther
			return
		}
	}
	if right == nil {
		f.Why = noQuantity
		return
	}
	f.decide(Holds, right.node)
}

// next returns the next number after a piece, if it is money or not as asked; -1 for none near.
func next(all []piece, i int, money bool) int {
	if i < 0 {
		return -1
	}
	for k := i + 1; k < len(all) && k <= i+1+within; k++ {
		if all[k].number != "" {
			if all[k].money == money {
				return k
			}
			return -1
		}
	}
	return -1
}

func amountOf(x piece) float64 {
	v, err := strconv.ParseFloat(x.number, 64)
	if err != nil {
		return 0
	}
	return v
}
