package risk

import (
	"math"

	"github.com/memtree/memtree/internal/judgment"
)

// A witness gives an opinion of a verdict before its truth is known: the judge itself, by its confidence, and a reader
// that looked at the evidence once more (package look). An opinion counts by how often verdicts with such an opinion
// were wrong in this store. So a witness whose opinion is always the same changes nothing. What the code of a look
// means at first is what it meant in other histories, and weighs as much as a few own verdicts.
type witness int

const (
	judgeSure witness = iota // how sure the judge is
	secondLook
	witnesses
)

// Limits of opinions. An opinion is a code; 0: none.
const (
	sureCodes = 8  // shares of 1, from low to high, are 1 to sureCodes
	maxLook   = 22 // the highest code of a second look
)

// witnessWeights are the weights at the start. An opinion is calibrated on its own, so it would have a weight of 1 if
// it were independent of the other signals.
var witnessWeights = [witnesses]float64{judgeSure: 0.5, secondLook: 0.9}

// Numbers of own verdicts that weigh as much as the level above.
const (
	pullWitness = 3.0
	pullMeaning = 8.0 // as the meaning of a look's code in other histories
)

// meanings are the log-odds of a wrong verdict by the code of a look, minus those of all verdicts looked at, in other
// histories: TestQualityLookMeanings learns them. Codes that no history has are 0.
var meanings = [maxLook + 1]float64{
	1: 0.1, 2: -0.2, 3: 0.4, 4: 0.5, 5: 2.5, 16: -0.4, 17: -2.5, 18: -2, 19: -1, 20: -0.3,
}

// sureCode returns the code of how sure a judge is.
func sureCode(judged any) uint8 {
	sure, ok := judgment.Confidence(judged)
	if !ok {
		return 0
	}
	return uint8(1 + math.Round(sure*(sureCodes-1)))
}

// opinions returns the log-odds of wrong verdicts with such an opinion, minus those of verdicts with any opinion of
// this witness; both of this value.
func (m *learner) opinions(f *Features, base float64) (x [witnesses]float64) {
	for w, code := range f.witness {
		if code == 0 {
			continue
		}
		any := m.rate[m.cell(aboutWitness, uint32(w)<<8, f.value)]
		own := m.rate[m.cell(aboutWitness, uint32(w)<<8|uint32(code), f.value)]
		if own.total() < any.total() { // else it distinguishes none from another
			all := any.shrink(base, pullWitness)
			to, pull := all, pullWitness
			if witness(w) == secondLook {
				to, pull = sigmoid(logit(all)+meanings[code]), pullMeaning
			}
			x[w] = logit(own.shrink(to, pull)) - logit(all)
		}
	}
	return x
}

// learnOpinions counts the opinions of a verdict.
func (m *learner) learnOpinions(f *Features, wrong bool) {
	for w, code := range f.witness {
		if code != 0 {
			m.rate[m.cell(aboutWitness, uint32(w)<<8, f.value)].add(wrong, 1)
			m.rate[m.cell(aboutWitness, uint32(w)<<8|uint32(code), f.value)].add(wrong, 1)
		}
	}
}

// WithLook returns f with the code of a second look at the verdict (look.Look.Code), 0 to 22; 0 means no look.
func (f Features) WithLook(code uint8) Features {
	f.witness[secondLook] = min(code, maxLook)
	return f
}
