package risk

// count holds the numbers of wrong and right verdicts with a property. They are fractional, because a verdict may be
// counted partly for several values.
type count struct{ wrong, right float32 }

func (c *count) add(wrong bool, weight float32) {
	if wrong {
		c.wrong += weight
	} else {
		c.right += weight
	}
}

func (c count) total() float32 { return c.wrong + c.right }

// shrink returns the share of wrong ones, shrunk to prior as if pull more verdicts with that share had been counted.
func (c count) shrink(prior, pull float64) float64 {
	return (float64(c.wrong) + pull*prior) / (float64(c.total()) + pull)
}

// The tables have a fixed size and are addressed by hash. Two subjects in one cell share its counts. 2^19 cells take 4
// MiB once they are all in use.
const (
	cellBits = 19 // of the learner of all verdicts
	lateBits = 16 // of the rival
)

// The subjects of a table's cells; part of the hash.
const (
	aboutPlace uint64 = iota + 1
	aboutTruth
	aboutJudge
	aboutReason
	aboutSeen
	aboutWeight
	aboutKnown
	aboutWitness
)

// cell returns the place in a table for a thing combined with a verdict's value.
func (m *learner) cell(about uint64, thing, value uint32) uint32 {
	return uint32(mix(about<<58^uint64(thing)<<24^uint64(value)*0x9e3779b97f4a7c15) >> (64 - m.bits))
}

// Numbers of own verdicts that weigh as much as the level above.
const (
	pullPlace = 8.0
	pullCase  = 3.0
	pullTruth = 1.0 // the truth about a case seldom changes
	pullJudge = 8.0
)

// rates returns three rates of wrong verdicts in log-odds, each minus that of the level it is shrunk to. A cell without
// counts has the rate of the level above. So does a cell that counts every verdict of this value, because it
// distinguishes none from another.
//
// place goes from all verdicts of this value down to the product, scene type and case. truth is the truth about the
// case, beyond its scene: if it was found to be a failure, every pass is wrong. judge goes from all judges down to this
// one.
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

// learnRates counts a verdict for its places and judge, and for its case under every value, as far as the truth about
// one value implies another.
func (m *learner) learnRates(f *Features, wrong bool) {
	for _, p := range f.places {
		m.rate[m.cell(aboutPlace, p, f.value)].add(wrong, 1)
	}
	for _, j := range f.judges {
		m.rate[m.cell(aboutJudge, j, f.value)].add(wrong, 1)
	}
	m.learnOpinions(f, wrong)
	for _, v := range m.values {
		if is, weight := m.implies(f.value, wrong, v.hash); weight > 0 {
			m.rate[m.cell(aboutTruth, f.places[len(f.places)-1], v.hash)].add(is, weight)
		}
	}
}

// implies returns whether a verdict of the value other on the same thing would be wrong, given that a verdict of value
// is wrong or right, and with what weight. If it was right, every other value is wrong. If it was wrong, the other
// values that were ever right remain possible and share the weight; 0 means nothing is implied.
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
