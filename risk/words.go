package risk

import (
	"cmp"
	"math"
	"slices"
)

const (
	strongWords = 15 // words of a text that speak
	mildWords   = 5  // words without a say that are averaged in
	rareWord    = 2  // seen less often, a word says nothing
	startWeight = 8  // variance of the weight of a word before it was seen
)

// lean is how far a word leans to a wrong verdict, in log-odds.
type lean struct {
	word uint32
	by   float64
}

// speak returns the mean lean of the words that lean most, and these words: the
// log-odds of a word among wrong against right verdicts of this value. counts
// is about reason or seen, all the totals of the same.
func (m *Model) speak(about uint64, words []uint32, value uint32, all count) (float64, []lean) {
	var ls []lean
	for _, w := range words {
		c := m.word[cell(about, w, value)]
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

// weight is a word's weight in a logistic regression over words: its mean, and
// its variance less startWeight, so that an unused cell is all zero.
type weight struct{ mean, sure float32 }

func (w weight) variance() float64 { return startWeight + float64(w.sure) }

// wordFeature is a word in use: its cell and its tf-idf share of a text.
type wordFeature struct {
	cell uint32
	x    float64
}

// weighted returns the words of a reason as a vector of length 1, by rarity,
// after a constant. Words alone speak each for itself; weights, learned
// together, tell words that only come along from words that matter. One weight
// at a time, each with its own doubt: T. Graepel et al., ICML 2010.
func (m *Model) weighted(words []uint32, value uint32) []wordFeature {
	fs := []wordFeature{{cell(aboutWeight, math.MaxUint32, value), 1}}
	sum := 0.0
	for _, w := range words {
		n := float64(m.known[cell(aboutKnown, w, 0)])
		if n < 2 {
			continue
		}
		x := math.Log((float64(m.n) + 2) / (n + 1))
		sum += x * x
		fs = append(fs, wordFeature{cell(aboutWeight, w, value), x})
	}
	for i := 1; i < len(fs); i++ {
		fs[i].x /= math.Sqrt(max(sum, 1e-9))
	}
	return fs
}

func (m *Model) weigh(fs []wordFeature) (z, v float64) {
	for _, f := range fs {
		w := m.weight[f.cell]
		z += float64(w.mean) * f.x
		v += w.variance() * f.x * f.x
	}
	return z, v
}

func (m *Model) learnWords(f *Features, wrong bool) {
	fs := m.weighted(f.reason, f.value)
	z, v := m.weigh(fs)
	p := sigmoid(moderate(z, v))
	h := max(p*(1-p), 1e-3)
	for _, x := range fs {
		w := &m.weight[x.cell]
		s := w.variance()
		w.mean += float32(s * x.x * (indicator(wrong) - p) / (1 + h*v))
		w.sure = float32(s/(1+s*x.x*x.x*h) - startWeight)
	}
	for _, w := range f.reason {
		m.word[cell(aboutReason, w, f.value)].add(wrong, 1)
		m.known[cell(aboutKnown, w, 0)]++
	}
	for _, val := range m.values {
		is, weight := m.implies(f.value, wrong, val.hash)
		if weight == 0 {
			continue
		}
		val.truth.add(is, weight)
		for _, w := range f.seen {
			m.word[cell(aboutSeen, w, val.hash)].add(is, weight)
		}
	}
}
