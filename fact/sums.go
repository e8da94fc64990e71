package fact

import (
	"math"
	"strconv"
)

// maxBetween is the most labels between a price and a quantity, and between the quantity and the amount.
const maxBetween = 4

// product looks for a price, a whole number of two or more, and an amount in sequence. It holds if every such amount is
// the product. It is Broken if an amount equals the price. Any other amount may have a reason, such as a discount; then
// it is unknown.
func (p *Snapshot) product(f *Finding) {
	all := p.pieces()
	var right *pagePiece
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

// next returns the index of the next number after piece i, or -1 if none is near or if it is not of the requested sort,
// money or a plain number.
func next(all []pagePiece, i int, money bool) int {
	if i < 0 {
		return -1
	}
	for k := i + 1; k < len(all) && k <= i+1+maxBetween; k++ {
		if all[k].number != "" {
			if all[k].money == money {
				return k
			}
			return -1
		}
	}
	return -1
}

func amountOf(x pagePiece) float64 {
	v, err := strconv.ParseFloat(x.number, 64)
	if err != nil {
		return 0
	}
	return v
}
