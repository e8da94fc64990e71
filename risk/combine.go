package risk

import (
	"cmp"
	"math"
	"slices"
)

// The signals. All but the first two are differences from the base rate in log-odds: 0 means unknown, above 0 raises
// the risk.
const (
	constant    = iota
	baseRate    // all verdicts
	valueRate   // verdicts of this value
	placeRate   // verdicts of this value by product, scene type, case
	truthRate   // the truth about this case
	judgeRate   // verdicts of this value by agent, model, version
	reasonWords // tokens of the reason, each separately
	reasonStyle // tokens of the reason, weighted jointly
	seenWords   // tokens of prompt and observation
	nearReason  // verdicts with similar reasons
	nearRun     // similar runs
	shapeOdds   // lengths and shares
	priorOdds   // lengths and shares, by what other histories show
	sureOdds    // the judge's own confidence
	lookOdds    // a reader's second look
	signals
)

// ordinary is the first signal shown to users; those before it are equal for many verdicts.
const ordinary = placeRate

// signalNames are the names of the signals shown to users.
var signalNames = [signals]string{"", "", "", "place", "truth", "judge", "words", "style", "seen", "reasons", "runs",
	"shape", "", "confidence", "look"}

// maxLogOdds limits the absolute value of one signal, so that none decides alone.
const maxLogOdds = 4

// pulls are standard deviations of the weights' prior: the smaller, the more strongly the weights are pulled to their
// start (start.go). Histories differ in which is best, so one fit is made with each, and each is weighted by its past
// predictions.
var pulls = [...]float64{0.1, 0.2, 0.4}

// regained is the share of weight that is redistributed evenly among the fits after each verdict, so that no fit loses
// its weight permanently (M. Herbster and M. Warmuth, Machine Learning 32, 1998).
const regained = 0.01

// blend combines the signals into one probability: logistic regressions with different priors, averaged by belief, and
// scalings of that average, averaged likewise. For each pull there is one that heeds what other histories show about
// shapes, and one that does not, because this history may be unlike them.
type blend struct {
	fits   [2 * len(pulls)]logistic
	belief [2 * len(pulls)]float64 // weights; they sum to 1
	scales [len(pulls)]logistic    // of a constant and the log-odds of the average
	scaled [len(pulls)]float64
}

func newBlend() blend {
	var b blend
	width, start := make([]float64, signals), startWeights
	start[priorOdds] = priorWeight
	start[sureOdds], start[lookOdds] = witnessWeights[judgeSure], witnessWeights[secondLook]
	for i, p := range pulls {
		for j := range width {
			width[j] = p
		}
		b.fits[i] = newLogistic(start[:], width)
		b.scales[i] = newLogistic([]float64{0, 1}, []float64{p, p})
		b.scaled[i] = 1 / float64(len(pulls))
	}
	start[priorOdds], width[priorOdds] = 0, 0
	for i, p := range pulls {
		for j := range width {
			if j != priorOdds {
				width[j] = p
			}
		}
		b.fits[len(pulls)+i] = newLogistic(start[:], width)
	}
	for i := range b.belief {
		b.belief[i] = 1 / float64(len(b.belief))
	}
	return b
}

// calibrated returns p scaled so that 40 % of the verdicts with .4 are wrong (J. Platt, Advances in Large Margin
// Classifiers, 1999, learned from past predictions only). The scaling changes with time, so p itself is better for
// sorting.
func (b *blend) calibrated(p float64) float64 {
	x, sum := []float64{1, logit(p)}, 0.0
	for i := range b.scales {
		sum += b.scaled[i] * sigmoid(b.scales[i].odds(x))
	}
	return sum
}

// mix returns the probability that signals x mean a wrong verdict, and the variance of its log-odds.
func (b *blend) mix(x []float64) (p, v float64) {
	for i := range b.fits {
		z, vi, _ := b.fits[i].project(x)
		p += b.belief[i] * sigmoid(moderate(z, vi))
		v += b.belief[i] * vi
	}
	return max(1e-6, min(1-1e-6, p)), v
}

// order scores x without the constant and the base rate, which cannot rank verdicts: the number of wrong verdicts does
// not tell which of them is wrong, and it changes with time, so a verdict would rank high only because it follows wrong
// ones.
func (b *blend) order(x [signals]float64) float64 {
	x[constant], x[baseRate] = 0, 0
	p, _ := b.mix(x[:])
	return p
}

// weights returns the average of the fits' weights, by belief.
func (b *blend) weights() [signals]float64 {
	var w [signals]float64
	for i := range b.fits {
		for j := range w {
			w[j] += b.belief[i] * b.fits[i].mean[j]
		}
	}
	return w
}

// learn updates the blend with the truth about a verdict with the signals x. The scalings learn from the average before
// the fits change, as they will be applied to forecasts.
func (b *blend) learn(x []float64, wrong bool) {
	mean, _ := b.mix(x)
	learnEach(b.scales[:], b.scaled[:], []float64{1, logit(mean)}, wrong)
	learnEach(b.fits[:], b.belief[:], x, wrong)
}

// learnEach updates the belief in each regression by its prediction at x, then the regression.
func learnEach(of []logistic, belief []float64, x []float64, wrong bool) {
	sum := 0.0
	for i := range of {
		p := sigmoid(of[i].odds(x))
		if !wrong {
			p = 1 - p
		}
		belief[i] *= p
		sum += belief[i]
		of[i].learn(x, wrong)
	}
	for i := range belief {
		belief[i] = (1-regained)*belief[i]/sum + regained/float64(len(of))
	}
}

// forecast is the output of the model for a verdict before its truth is known.
type forecast struct {
	value       uint32
	x           [signals]float64
	shape       []float64 // standardised, with a constant at the end
	order       float64   // for sorting, see blend.order
	p, sd       float64   // calibrated probability; standard deviation of its log-odds
	words       []lean    // tokens of the reason
	seen        []lean    // tokens of prompt and observation
	likeReasons []near    // verdicts with similar reasons
	likeRuns    []near    // similar runs
	before      float64   // base rate of this value
}

// forecast computes the signals of f and their combination. It changes nothing.
func (m *learner) forecast(f *Features) forecast {
	r := forecast{value: f.value, before: m.valueRate(f.value)}
	l0 := logit(r.before)
	var all, truth count
	if v := m.valueOf(f.value); v != nil {
		all, truth = v.base, v.truth
	}
	var alike, same float64
	r.x[constant], r.x[baseRate] = 1, logit(m.overallRate())
	r.x[valueRate] = l0 - r.x[baseRate]
	r.x[placeRate], r.x[truthRate], r.x[judgeRate] = m.rates(f, r.before)
	r.x[reasonWords], r.words = m.wordLean(aboutReason, f.reason, f.value, all)
	r.x[seenWords], r.seen = m.wordLean(aboutSeen, f.seen, f.value, truth)
	alike, r.likeReasons = m.nearReasonRate(f, r.before)
	same, r.likeRuns = m.nearRunRate(f, r.before)
	r.x[nearReason], r.x[nearRun] = logit(alike)-l0, logit(same)-l0
	if m.n >= 10 {
		r.x[reasonStyle] = moderate(m.wordOdds(m.wordVector(f.reason, f.value))) - l0
	}
	r.x[priorOdds] = priors[kindOf(&f.shape)].odds(f)
	r.shape = m.standardise(&f.shape)
	if v := m.valueOf(f.value); v != nil {
		r.x[shapeOdds] = v.shape.odds(r.shape) - l0
	}
	of := m.opinions(f, r.before)
	r.x[sureOdds], r.x[lookOdds] = of[judgeSure], of[secondLook]
	for i := ordinary; i < signals; i++ {
		r.x[i] = max(-maxLogOdds, min(maxLogOdds, r.x[i]))
	}
	p, v := m.blend.mix(r.x[:])
	r.order, r.p, r.sd = m.blend.order(r.x), m.blend.calibrated(p), math.Sqrt(v)
	return r
}

// because returns the reasons of a forecast, strongest first, without weak signals. spelt maps the hashes of the
// verdict's own tokens to the tokens: of its reason, and of what it saw.
func (m *learner) because(r *forecast, spelt [2]map[uint32]string) []Reason {
	var out []Reason
	w := m.blend.weights()
	for i := ordinary; i < signals; i++ {
		by := w[i] * r.x[i]
		switch i {
		case shapeOdds: // one reason of the two
			by += w[priorOdds] * r.x[priorOdds]
		case priorOdds:
			continue
		}
		if math.Abs(by) < 0.1 {
			continue
		}
		reason := Reason{Signal: signalNames[i], LogOdds: by}
		switch i {
		case reasonWords:
			reason.Words = wordsOf(r.words, by, spelt[0])
		case seenWords:
			reason.Words = wordsOf(r.seen, by, spelt[1])
		case nearReason:
			reason.Evaluations = m.idsOf(r.likeReasons, r.value, by)
		case nearRun:
			reason.Evaluations = m.idsOf(r.likeRuns, r.value, by)
		}
		out = append(out, reason)
	}
	slices.SortStableFunc(out, func(a, b Reason) int { return cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds)) })
	return out
}

// maxShown is the most words or evaluations in a reason.
const maxShown = 5

// wordsOf returns the tokens whose lean has the sign of the signal.
func wordsOf(ls []lean, by float64, spelt map[uint32]string) []string {
	var out []string
	for _, l := range ls {
		if s, ok := spelt[l.word]; ok && l.by*by > 0 && len(out) < maxShown {
			out = append(out, s)
		}
	}
	return out
}

// idsOf returns the evaluations among ns that agree with the sign of the signal.
func (m *learner) idsOf(ns []near, value uint32, by float64) []string {
	var out []string
	for _, n := range ns {
		r := &m.store.ring[n.at]
		is, _ := m.implies(r.f.value, r.wrong, value)
		if is == (by > 0) && len(out) < maxShown {
			out = append(out, r.id)
		}
	}
	return out
}
