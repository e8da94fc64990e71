package risk

// count is how often something went with a wrong verdict and with a right one.
// Counts are not whole: one verdict may speak of several with less weight.
type count struct{ wrong, right float32 }

func (c *count) add(wrong bool, weight float32) {
	if wrong {
		c.wrong += weight
	} else {
		c.right += weight
	}
}

// shrink draws the rate of c to a prior as if pull more had been seen at it.
func (c count) shrink(prior, pull float64) float64 {
	return (float64(c.wrong) + pull*prior) / (float64(c.wrong+c.right) + pull)
}

// Tables are of fixed size and addressed by hash: two things that meet in one
// cell are one thing. 2^19 cells take 4 MiB once they are all in use.
const (
	cellBits = 19
	cells    = 1 << cellBits
)

// What a cell of a table is about.
const (
	aboutPlace uint64 = iota + 1
	aboutTruth
	aboutJudge
	aboutReason
	aboutSeen
	aboutWeight
	aboutKnown
)

// cell is where a table keeps what it knows of a thing and a verdict's value.
func cell(about uint64, thing, value uint32) uint32 {
	return uint32(mix(about<<58^uint64(thing)<<24^uint64(value)*0x9e3779b97f4a7c15) >> (64 - cellBits))
}

// How many verdicts at the level above one level's own are worth.
const (
	pullPlace = 8.0
	pullCase  = 3.0
	pullTruth = 1.0 // what is true of a case seldom changes
	pullJudge = 8.0
)

// rates follows the chains from everything to this product, kind of scene and
// case, and from everything to this judge. A rate of a cell without counts is
// that of the level above it.
//
// held is about the verdicts of this value. due is about the truth: where a
// case was found to be a failure, a pass is wrong, whoever says it.
func (m *Model) rates(f *Features, base float64) (held, due, judge float64) {
	held, due, judge = base, base, base
	for i, p := range f.places {
		c := m.rate[cell(aboutPlace, p, f.value)]
		if i < len(f.places)-1 {
			held = c.shrink(held, pullPlace)
			due = held
			continue
		}
		held = c.shrink(held, pullCase)
		due = m.rate[cell(aboutTruth, p, f.value)].shrink(due, pullTruth)
	}
	for _, j := range f.judges {
		judge = m.rate[cell(aboutJudge, j, f.value)].shrink(judge, pullJudge)
	}
	return held, due, judge
}

func (m *Model) learnRates(f *Features, wrong bool) {
	for _, p := range f.places {
		m.rate[cell(aboutPlace, p, f.value)].add(wrong, 1)
	}
	for _, j := range f.judges {
		m.rate[cell(aboutJudge, j, f.value)].add(wrong, 1)
	}
	for _, v := range m.values {
		if is, weight := m.implies(f.value, wrong, v.hash); weight > 0 {
			m.rate[cell(aboutTruth, f.places[len(f.places)-1], v.hash)].add(is, weight)
		}
	}
}

// implies says what a verdict, once it is known to be wrong or right, says of
// another value on the same thing: whether that would be wrong, with a weight.
// A right verdict rules every other value out. A wrong one leaves the other
// values that have ever been right, and so shares out its weight.
func (m *Model) implies(value uint32, wrong bool, other uint32) (isWrong bool, weight float32) {
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
