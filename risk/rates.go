package risk

// count says with how many wrong verdicts something occurred and with how many right
// ones. It has fractions, because a verdict may count for several values in part.
type count struct{ wrong, right float32 }

func (c *count) add(wrong bool, weight float32) {
	if wrong {
		c.wrong += weight
	} else {
		c.right += weight
	}
}

func (c count) total() float32 { return c.wrong + c.right }

// shrink returns the share of wrong ones, drawn to prior as if pull more verdicts
// with that share had been counted.
func (c count) shrink(prior, pull float64) float64 {
	return (float64(c.wrong) + pull*prior) / (float64(c.total()) + pull)
}

// The tables are of fixed size and addressed by hash. Two things that fall into one
// cell share its counts. 2^19 cells take 4 MiB once they are all in use.
const (
	cellBits = 19 // of what is learned of all verdicts
	lateBits = 16 // of what is learned of the latest
)

// What the cells of a table are about; part of the hash.
const (
	aboutPlace uint64 = iota + 1
	aboutTruth
	aboutJudge
	aboutReason
	aboutSeen
	aboutWeight
	aboutKnown
)

// cell returns the place in a table of what is known about a thing and a verdict's
// value together.
func (m *learner) cell(about uint64, thing, value uint32) uint32 {
	return uint32(mix(about<<58^uint64(thing)<<24^uint64(value)*0x9e3779b97f4a7c15) >> (64 - m.bits))
}

// How many verdicts of its own weigh as much as the level above.
const (
	pullPlace = 8.0
	pullCase  = 3.0
	pullTruth = 1.0 // the truth about a case seldom changes
	pullJudge = 8.0
)

// rates returns three rates of wrong verdicts in log-odds, each less that of the level it is
// drawn to. A cell without counts has the rate of the level above. So has one that counts
// every verdict of this value, since what all of them share tells none from another.
//
// place is of verdicts of this value, from all of them down to the product, kind of
// scene and case. truth is of the truth about the case, beyond its scene: if it was found to be
// a failure, a pass is wrong, whoever says so. judge is from all judges down to this one.
func (m *learner) rates(f *Features, base float64) (place, truth, judge float64) {
	all := m.countOf(f.value)
	held, by := base, base
	for i, p := range f.places {
		c := m.rate[m.cell(aboutPlace, p, f.value)]
		if i == len(f.places)-1 {
			truth = logit(m.rate[m.cell(aboutTruth, p, f.value)].shrink(held, pullTruth)) - logit(held)
		}
		if c.total() < all {
			held = c.shrink(held, [...]float64{pullPlace, pullPlace, pullCase}[i])
		}
	}
	for _, j := range f.judges {
		if c := m.rate[m.cell(aboutJudge, j, f.value)]; c.total() < all {
			by = c.shrink(by, pullJudge)
		}
	}
	return logit(held) - logit(base), truth, logit(by) - logit(base)
}

// learnRates counts a verdict at its places and judge, and at its case for every
// value, as far as the truth about one value decides another.
func (m *learner) learnRates(f *Features, wrong bool) {
	for _, p := range f.places {
		m.rate[m.cell(aboutPlace, p, f.value)].add(wrong, 1)
	}
	for _, j := range f.judges {
		m.rate[m.cell(aboutJudge, j, f.value)].add(wrong, 1)
	}
	for _, v := range m.values {
		if is, weight := m.implies(f.value, wrong, v.hash); weight > 0 {
			m.rate[m.cell(aboutTruth, f.places[len(f.places)-1], v.hash)].add(is, weight)
		}
	}
}

// implies returns whether a verdict of the value other on the same thing would be
// wrong, once a verdict of value is known to be wrong or right, and with what weight.
// If it was right, every other value is wrong. If it was wrong, the other values that
// were ever right remain possible and share the weight; 0 means nothing is implied.
func (m *learner) implies(value uint32, wrong bool, other uint32) (isWrong bool, weight float32) {
	if value == other {
		return wrong, 1
	}
	if !wrong {
		return true, 1
	}
	left, possible := 0, false
	for _, v := range m.values {
		if v.base.right > 0 && v.hash != value {
			left++
			possible = possible || v.hash == other
		}
	}
	if !possible {
		return false, 0
	}
	return false, 1 / float32(left)
}
