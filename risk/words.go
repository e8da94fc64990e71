package risk

import (
	"cmp"
	"math"
	"slices"
)

const (
	strongWords = 15 // number of tokens of a text that are used, those with the strongest lean
	mildWords   = 5  // tokens of lean 0 added to the average, so that one token does not dominate
	rareWord    = 2  // least occurrences of a token that is used
	startWeight = 8  // prior variance of a token's weight
)

// lean is how far a token raises the risk, in log-odds.
type lean struct {
	word uint32
	by   float64
}

// wordLean returns the average lean of the tokens with the strongest lean, and those tokens. The lean of a token is the
// log of its frequency among wrong verdicts of this value divided by that among right ones. about is aboutReason or
// aboutSeen; all holds the totals.
func (m *learner) wordLean(about uint64, words []uint32, value uint32, all count) (float64, []lean) {
	var ls []lean
	for _, w := range words {
		c := m.word[m.cell(about, w, value)]
		if c.wrong+c.right < rareWord {
			continue
		}
		by := math.Log(float64(c.wrong+.5)/float64(all.wrong+1)) - math.Log(float64(c.right+.5)/float64(all.right+1))
		ls = append(ls, lean{w, by})
	}
	slices.SortFunc(ls, func(a, b lean) int {
		return cmp.Or(cmp.Compare(math.Abs(b.by), math.Abs(a.by)), cmp.Compare(a.word, b.word))
	})
	ls = ls[:min(strongWords, len(ls))]
	sum := 0.0
	for _, l := range ls {
		sum += l.by
	}
	return sum / float64(len(ls)+mildWords), ls
}

// weight is the weight of a token in a logistic regression: its mean, and its variance minus startWeight, so that an
// unused cell is all zeros.
type weight struct{ mean, sure float32 }

func (w weight) variance() float64 { return startWeight + float64(w.sure) }

// wordFeature is a token of a text: its cell and its share of the text by tf-idf.
type wordFeature struct {
	cell uint32
	x    float64
}

// wordVector returns the tokens of a reason as a vector of length 1, weighted by rarity, after a constant. In wordLean
// each token is used separately; here the weights are learned jointly, which separates relevant tokens from those that
// only accompany them. Each weight has its own variance (T. Graepel et al., ICML 2010).
func (m *learner) wordVector(words []uint32, value uint32) []wordFeature {
	fs := []wordFeature{{m.cell(aboutWeight, math.MaxUint32, value), 1}}
	sum := 0.0
	for _, w := range words {
		n := float64(m.known[m.cell(aboutKnown, w, 0)])
		if n < 2 {
			continue
		}
		x := math.Log((float64(m.n) + 2) / (n + 1))
		sum += x * x
		fs = append(fs, wordFeature{m.cell(aboutWeight, w, value), x})
	}
	for i := 1; i < len(fs); i++ {
		fs[i].x /= math.Sqrt(max(sum, 1e-9))
	}
	return fs
}

// wordOdds returns the log-odds of a verdict with these tokens, and their variance.
func (m *learner) wordOdds(fs []wordFeature) (z, v float64) {
	for _, f := range fs {
		w := m.weight[f.cell]
		z += float64(w.mean) * f.x
		v += w.variance() * f.x * f.x
	}
	return z, v
}

// learnWords updates the weights and counts of the tokens of a verdict.
func (m *learner) learnWords(f *Features, wrong bool) {
	fs := m.wordVector(f.reason, f.value)
	z, v := m.wordOdds(fs)
	p := sigmoid(moderate(z, v))
	h := max(p*(1-p), 1e-3)
	for _, x := range fs {
		w := &m.weight[x.cell]
		s := w.variance()
		w.mean += float32(s * x.x * (indicator(wrong) - p) / (1 + h*v))
		w.sure = float32(s/(1+s*x.x*x.x*h) - startWeight)
	}
	for _, w := range f.reason {
		m.word[m.cell(aboutReason, w, f.value)].add(wrong, 1)
		m.known[m.cell(aboutKnown, w, 0)]++
	}
	for _, val := range m.values {
		is, weight := m.implies(f.value, wrong, val.hash)
		if weight == 0 {
			continue
		}
		val.truth.add(is, weight)
		for _, w := range f.seen {
			m.word[m.cell(aboutSeen, w, val.hash)].add(is, weight)
		}
	}
}
