package risk

import "math"

// A judge may be replaced under the same name; data on the old one then misleads. So a rival learns only the latest
// verdicts, and each of the two is weighted by its past predictions (evidence and belief as in blend). While nothing
// changes the rival knows less, has little weight, and starts again every lateSpan verdicts. If it predicts so much
// better that chance would do it once in replaced histories, data from before the point at which it was furthest behind
// is dropped (E. S. Page, Biometrika 41, 1954).
const (
	lateSpan = 20
	replaced = 1e4
	doubt    = 0.001 // initial and least belief in a rival
)

// rival is a learner of the latest verdicts.
type rival struct {
	*learner         // nil at first
	belief   float64 // in the rival, 0 to 1; the rest is the belief in all
	lead     float64 // log of the likelihood ratio of the rival to all
	least    float64 // minimum of lead so far
	since    int     // verdicts the rival has learned since that minimum
}

// pair holds the forecasts of all and of its rival for one verdict.
type pair struct {
	all, late forecast
	p, sd     float64
	order     float64
	by        *learner // the one with the greater belief
	lately    bool     // by is the rival
}

func (r *pair) of() *forecast {
	if r.lately {
		return &r.late
	}
	return &r.all
}

func (m *Model) forecast(f *Features) pair {
	g := *f
	g.value = m.all.knownValue(f.value)
	r := pair{all: m.all.forecast(&g), by: m.all}
	r.p, r.sd, r.order = r.all.p, r.all.sd, r.all.order
	if m.late.learner == nil {
		return r
	}
	g.value = m.late.knownValue(f.value)
	r.late = m.late.forecast(&g)
	b := m.late.belief
	apart := logit(r.all.p) - logit(r.late.p)
	r.p, r.order = (1-b)*r.all.p+b*r.late.p, (1-b)*r.all.order+b*r.late.order
	r.sd = math.Sqrt((1-b)*r.all.sd*r.all.sd + b*r.late.sd*r.late.sd + b*(1-b)*apart*apart)
	if r.lately = b > 0.5; r.lately {
		r.by = m.late.learner
	}
	return r
}

// learnFrom is learn for features whose value may exceed maxValues.
func (m *learner) learnFrom(id string, f Features, r *forecast, wrong bool) {
	f.value = m.knownValue(f.value)
	m.learn(id, &f, r, wrong)
}

// learnLate adds a verdict to the rival, and then lets it win, continue or start again.
func (m *Model) learnLate(id string, f Features, r *pair, wrong bool) {
	l := &m.late
	if l.learner != nil {
		p, q := r.all.p, r.late.p
		if !wrong {
			p, q = 1-p, 1-q
		}
		l.belief = l.belief * q / (l.belief*q + (1-l.belief)*p)
		l.belief = (1-doubt)*l.belief + doubt/2
		l.lead += math.Log(q / p)
		l.since++
		if l.lead <= l.least {
			l.least, l.since = l.lead, 0
		}
		l.learnFrom(id, f, &r.late, wrong)
	}
	switch {
	case l.learner == nil || l.n%lateSpan == 0 && l.belief < 0.5 || l.n == window:
		m.newRival()
	case l.lead > math.Log(replaced) && l.belief > 0.5:
		ways := m.all.values
		m.all = m.all.again(l.since, cellBits, l.prior)
		m.all.keepWays(ways)
		m.changed = m.n + 1
		*l = rival{}
	}
}

// newRival starts the rival, if there is enough to drop.
func (m *Model) newRival() {
	l := &m.late
	if m.all.n < enoughKnown {
		return
	}
	if l.learner == nil {
		l.learner = newLearner(lateBits, 0)
	}
	l.learner.forget(m.all.overallRate())
	*l = rival{learner: l.learner, belief: max(doubt, l.belief)}
}
