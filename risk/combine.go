package risk

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtree/memtree/text"
)

// The signals, in the order of their weights. All but the first two are
// differences from the base rate in log-odds: 0 means nothing is known.
const (
	constant = iota
	baseRate
	placeRate   // verdicts of this value on this product, scene type, case
	truthRate   // what was true of this case
	judgeRate   // verdicts of this value by this agent, model, version
	reasonWords // words of the reason, each for itself
	reasonStyle // words of the reason, weighed together
	seenWords   // words of prompt and observation
	nearReason  // verdicts given for like reasons
	nearRun     // runs that look the same
	shapeOdds   // lengths and shares
	signals
)

// Names of the signals, as they are shown.
var names = [signals]string{"", "", "place", "truth", "judge", "words", "style", "seen", "reasons", "runs", "shape"}

// most is the most one signal may say, in log-odds.
const most = 4

// start is what the signals weigh before anything was learned. The rates and
// neighbours overlap, so each of them counts for a part.
var start = [signals]float64{0, 1, 0.3, 0.5, 0.3, 0.7, 0.4, 0.5, 0.3, 0.5, 0.5}

// pulls are how strongly the weights may be pulled to where they start: the
// widths of their prior. Which is right differs between histories, so all are
// fitted and believed as far as they were right before.
var pulls = [...]float64{0.1, 0.2, 0.4}

// share is the weight that every verdict gives back to be shared out anew, so
// that no pull is given up for good (M. Herbster and M. Warmuth, Machine
// Learning 32, 1998).
const share = 0.01

// blend combines the signals.
type blend struct {
	fits   [len(pulls)]logistic
	belief [len(pulls)]float64 // sums to 1
	scale  logistic            // Platt scaling of the mean of the fits: a constant, and their log-odds
}

func newBlend() blend {
	var b blend
	width := make([]float64, signals)
	for i, p := range pulls {
		for j := range width {
			width[j] = p
		}
		b.fits[i] = newLogistic(start[:], width)
		b.belief[i] = 1 / float64(len(pulls))
	}
	b.scale = newLogistic([]float64{0, 1}, []float64{0.3, 0.3})
	return b
}

// calibrated returns the mean of the fits so that what it says comes true that
// often (J. Platt, Advances in Large Margin Classifiers, 1999, with past
// predictions only). It changes with time, so for ordering verdicts the mean
// itself serves better.
func (b *blend) calibrated(p float64) float64 {
	return sigmoid(b.scale.odds([]float64{1, logit(p)}))
}

// mix returns the probability that signals x mean a wrong verdict, and the
// variance of its log-odds.
func (b *blend) mix(x []float64) (p, v float64) {
	for i := range b.fits {
		z, vi, _ := b.fits[i].project(x)
		p += b.belief[i] * sigmoid(moderate(z, vi))
		v += b.belief[i] * vi
	}
	return max(1e-6, min(1-1e-6, p)), v
}

// weights are those in use, the fits averaged.
func (b *blend) weights() [signals]float64 {
	var w [signals]float64
	for i := range b.fits {
		for j := range w {
			w[j] += b.belief[i] * b.fits[i].mean[j]
		}
	}
	return w
}

func (b *blend) learn(x []float64, wrong bool) {
	mean, _ := b.mix(x)
	b.scale.learn([]float64{1, logit(mean)}, wrong)
	sum := 0.0
	for i := range b.fits {
		p := sigmoid(b.fits[i].odds(x))
		if !wrong {
			p = 1 - p
		}
		b.belief[i] *= p
		sum += b.belief[i]
		b.fits[i].learn(x, wrong)
	}
	for i := range b.belief {
		b.belief[i] = (1-share)*b.belief[i]/sum + share/float64(len(pulls))
	}
}

// reading is what the model makes of a verdict before its truth is known.
type reading struct {
	value  uint32
	x      [signals]float64
	shape  []float64
	order  float64 // what the fits say
	p, sd  float64 // the same, calibrated, and the standard deviation of its log-odds
	words  []lean
	seen   []lean
	alike  []near
	same   []near
	before float64 // base rate of this value
}

func (m *Model) read(f *Features) reading {
	r := reading{value: f.value, before: m.base(f.value)}
	l0 := logit(r.before)
	held, due, judge := m.rates(f, r.before)
	var all, truth count
	if v := m.find(f.value); v != nil {
		all, truth = v.base, v.truth
	}
	var alike, same float64
	r.x[constant], r.x[baseRate] = 1, l0
	r.x[placeRate], r.x[truthRate], r.x[judgeRate] = logit(held)-l0, logit(due)-l0, logit(judge)-l0
	r.x[reasonWords], r.words = m.speak(aboutReason, f.reason, f.value, all)
	r.x[seenWords], r.seen = m.speak(aboutSeen, f.seen, f.value, truth)
	alike, r.alike = m.alike(f, r.before)
	same, r.same = m.same(f, r.before)
	r.x[nearReason], r.x[nearRun] = logit(alike)-l0, logit(same)-l0
	if m.n >= 10 {
		r.x[reasonStyle] = moderate(m.weigh(m.weighted(f.reason, f.value))) - l0
	}
	r.shape = m.standard(f.shape)
	if v := m.find(f.value); v != nil {
		r.x[shapeOdds] = v.shape.odds(r.shape) - l0
	}
	for i := range r.x[2:] {
		r.x[2+i] = max(-most, min(most, r.x[2+i]))
	}
	p, v := m.blend.mix(r.x[:])
	r.order, r.p, r.sd = p, m.blend.calibrated(p), math.Sqrt(v)
	return r
}

// because returns what the signals say, the strongest first. spelt gives the
// words behind the hashes, of the verdict at hand.
func (m *Model) because(r *reading, spelt [2]map[uint32]string) []Reason {
	var out []Reason
	w := m.blend.weights()
	for i := 2; i < signals; i++ {
		by := w[i] * r.x[i]
		if math.Abs(by) < 0.1 {
			continue
		}
		reason := Reason{Signal: names[i], LogOdds: by}
		switch i {
		case reasonWords:
			reason.Words = wordsOf(r.words, by, spelt[0])
		case seenWords:
			reason.Words = wordsOf(r.seen, by, spelt[1])
		case nearReason:
			reason.Evaluations = m.idsOf(r.alike, r.value, by)
		case nearRun:
			reason.Evaluations = m.idsOf(r.same, r.value, by)
		}
		out = append(out, reason)
	}
	slices.SortStableFunc(out, func(a, b Reason) int { return cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds)) })
	return out
}

// shown is how many words or evaluations a reason names.
const shown = 5

// wordsOf returns the words that lean the way the signal does.
func wordsOf(ls []lean, by float64, spelt map[uint32]string) []string {
	var out []string
	for _, l := range ls {
		if s, ok := spelt[l.word]; ok && l.by*by > 0 && len(out) < shown {
			out = append(out, s)
		}
	}
	return out
}

// spell writes words of reasons as the verdict does: tokens are stems.
func spell(rs []Reason, reason, seen string) {
	for i := range rs {
		if len(rs[i].Words) == 0 {
			continue
		}
		from := seen
		if rs[i].Signal == names[reasonWords] {
			from = reason
		}
		for _, w := range text.Words(from) {
			for j, stem := range rs[i].Words {
				if len(w) >= len(stem) && len(stem) > 2 && w[:3] == stem[:3] && slices.Equal(text.Tokens(w), []string{stem}) {
					rs[i].Words[j] = w
				}
			}
		}
	}
}

// idsOf returns the neighbours that vote the way the signal does.
func (m *Model) idsOf(ns []near, value uint32, by float64) []string {
	var out []string
	for _, n := range ns {
		r := &m.store.ring[n.at]
		is, _ := m.implies(r.f.value, r.wrong, value)
		if is == (by > 0) && len(out) < shown {
			out = append(out, r.id)
		}
	}
	return out
}
