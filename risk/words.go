package risk

import (
	"cmp"
	"math"
	"slices"
)

const (
	strongWords = 15 // how many words of a text count, those that lean most
	mildWords   = 5  // words of no lean added to the average, so that one word is not everything
	rareWord    = 2  // a word seen less often says nothing
	startWeight = 8  // variance of a word's weight before the word was seen
)

// lean is how far a word speaks for a wrong verdict, in log-odds.
type lean struct {
	word uint32
	by   float64
}

// wordLean returns the average lean of the words that lean most, and those words. The
// lean of a word is the logarithm of its frequency among wrong verdicts of this value
// over that among right ones. about is aboutReason or aboutSeen; all holds the totals.
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

// weight is the weight of a word in a logistic regression: its mean, and its variance
// minus startWeight, so that a cell that was never used is all zeros.
type weight struct{ mean, sure float32 }

func (w weight) variance() float64 { return startWeight + float64(w.sure) }

// wordFeature is a word of a text: its cell and its share of the text by tf-idf.
type wordFeature struct {
	cell uint32
	x    float64
}

// wordVector returns the words of a reason as a vector of length 1, weighted by rarity,
// after a constant. In wordLean each word counts for itself; here the weights are learned
// together, which separates words that matter from words that only accompany them.
// Each weight has a variance of its own (T. Graepel et al., ICML 2010).
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

// wordOdds returns the log-odds of a verdict with these words, and their variance.
func (m *learner) wordOdds(fs []wordFeature) (z, v float64) {
	for _, f := range fs {
		w := m.weight[f.cell]
		z += float64(w.mean) * f.x
		v += w.variance() * f.x * f.x
	}
	return z, v
}

// learnWords updates the weights and counts of the words of a verdict.
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
