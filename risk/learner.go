package risk

import (
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/taxonomy"
)

// maxValues is the most values of a verdict that are distinguished; further ones are treated as the last of them.
const maxValues = 16

// value holds the data on verdicts of one value, such as fail.
type value struct {
	hash  uint32
	base  count // verdicts of this value
	truth count // runs for which this value would have been wrong, and right
	shape logistic
	ways  [3]uint32 // number of wrong verdicts by direction, in the order of directions
}

var directions = [3]taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail, taxonomy.Other}

// learner is a model of consecutive verdicts.
type learner struct {
	n, wrong int
	prior    float64          // expected share of wrong verdicts before the first one
	values   []*value         // in the order they were first learned
	bits     int              // each table has 2^bits cells
	rate     []count          // by cell: places, truths and judges
	word     []count          // by cell: tokens of reasons, and tokens seen
	weight   []weight         // by cell: tokens of reasons
	known    []float32        // by cell: number of reasons with a token
	mean, m2 [learned]float64 // of the shapes: means, and sums of squared differences from them
	store    store
	blend    blend
}

// newLearner returns an empty learner, with tables of 2^bits cells.
func newLearner(bits int, prior float64) *learner {
	n := 1 << bits
	return &learner{
		prior: prior, bits: bits,
		rate: make([]count, n), word: make([]count, n), weight: make([]weight, n), known: make([]float32, n),
		store: newStore(), blend: newBlend(),
	}
}

// forget resets m to the result of newLearner, reusing the tables.
func (m *learner) forget(prior float64) {
	clear(m.rate)
	clear(m.word)
	clear(m.weight)
	clear(m.known)
	*m = learner{
		prior: prior, bits: m.bits, rate: m.rate, word: m.word, weight: m.weight, known: m.known,
		store: newStore(), blend: newBlend(),
	}
}

// learn updates the learner with the truth about a verdict and its forecast. The forecast was made before anything
// learns: the blend must not have seen the truth.
func (m *learner) learn(id string, f *Features, r *forecast, wrong bool) {
	m.blend.learn(r.x[:], wrong)
	v := m.valueOf(f.value)
	if v == nil {
		v = &value{hash: f.value, shape: newShape(r.before)}
		m.values = append(m.values, v)
	}
	v.shape.learn(r.shape, wrong)
	m.learnShape(&f.shape)
	v.base.add(wrong, 1)
	m.learnRates(f, wrong)
	m.learnWords(f, wrong)
	m.store.add(remembered{id: id, f: *f, wrong: wrong})
	m.n++
	if wrong {
		m.wrong++
	}
}

// again returns a learner of the latest n verdicts of m alone.
func (m *learner) again(n, bits int, prior float64) *learner {
	out := newLearner(bits, prior)
	all := len(m.store.ring)
	for i := all - n; i < all; i++ {
		r := m.store.ring[(m.store.next+i)%all]
		f := r.f
		f.value = out.knownValue(f.value)
		x := out.forecast(&f)
		out.learn(r.id, &f, &x, r.wrong)
	}
	return out
}

// overallRate returns the share of wrong verdicts, shrunk to the prior.
func (m *learner) overallRate() float64 {
	return count{float32(m.wrong), float32(m.n - m.wrong)}.shrink(m.prior, 4)
}

// valueRate returns the share of wrong verdicts of a value, shrunk to that of all.
func (m *learner) valueRate(hash uint32) float64 {
	var c count
	if v := m.valueOf(hash); v != nil {
		c = v.base
	}
	return c.shrink(m.overallRate(), 8)
}

// countOf returns the number of learned verdicts of a value.
func (m *learner) countOf(hash uint32) float32 {
	if v := m.valueOf(hash); v != nil {
		return v.base.total()
	}
	return 0
}

func (m *learner) valueOf(hash uint32) *value {
	for _, v := range m.values {
		if v.hash == hash {
			return v
		}
	}
	return nil
}

// knownValue returns the hash, or that of the last known value if there is no room for more.
func (m *learner) knownValue(hash uint32) uint32 {
	if len(m.values) < maxValues || m.valueOf(hash) != nil {
		return hash
	}
	return m.values[maxValues-1].hash
}

// usualDirection returns the most frequent direction of the wrong verdicts of a value that a verdict of polarity p can
// have. Values that an older version read may have verdicts of both.
func (m *learner) usualDirection(hash uint32, p judgment.Polarity) taxonomy.Direction {
	best, d := uint32(0), taxonomy.None
	if v := m.valueOf(hash); v != nil {
		for i, n := range v.ways {
			if n > best && !p.Excludes(directions[i]) {
				best, d = n, directions[i]
			}
		}
	}
	return d
}

// countWay counts the direction of a wrong verdict.
func (m *learner) countWay(value uint32, wrong bool, way taxonomy.Direction) {
	v := m.valueOf(m.knownValue(value))
	for i, d := range directions {
		if wrong && d == way {
			v.ways[i]++
		}
	}
}

// keepWays copies the earlier counts of directions.
func (m *learner) keepWays(before []*value) {
	for _, v := range before {
		if now := m.valueOf(v.hash); now != nil {
			now.ways = v.ways
		}
	}
}
