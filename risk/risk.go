// Package risk says how likely a verdict is to be wrong before anyone knows the
// truth: from what became of earlier verdicts, and without a model to ask.
//
// A Model learns one verdict at a time, after its truth has come, and keeps
// counts, word hashes and the latest verdicts' sketches: its memory is bounded
// and holds no text. It is a pure function of what it was told, in order. Each
// of its signals is a difference from the base rate in log-odds:
//
//   - place, truth, judge: rates along product → scene type → case and along
//     agent → model, drawn to the level above where little is known (rates.go);
//   - words, style, seen: the words of the judge's reason, and of what it was
//     asked and saw (words.go);
//   - reasons, runs: what became of the most similar reasons and runs
//     (neighbours.go);
//   - shape: lengths, denials, hedges, overlap of reason and task (shape.go).
//
// They are combined by a logistic regression that starts from fixed weights and
// is fitted online (combine.go). The truth of a run also says something of
// verdicts of another value on the same thing: where a pass was right, a fail is
// wrong. Where the signals have not yet shown that they beat the base rate, the
// answer is the base rate, and says so (evidence.go).
package risk

import (
	"sync"

	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/stat"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Risk is how likely a verdict is to be wrong.
type Risk struct {
	P    float64 `json:"p"`   // that it is wrong: of verdicts given .4, four in ten are
	Low  float64 `json:"low"` // 95 % interval of P
	High float64 `json:"high"`

	// Direction is the way a verdict of this value has been wrong before, most
	// of the time; None when it has never been.
	Direction taxonomy.Direction `json:"direction,omitempty"`

	// Enough reports whether there is evidence that past errors predict. When
	// false, P is the base rate and Because is empty.
	Enough bool    `json:"enough"`
	Known  int     `json:"known"` // verdicts whose truth is known
	Base   float64 `json:"base"`  // share of them that were wrong

	// Order is what the signals make of the verdict even when Enough is false,
	// 0 to 1: good for what to read first, no probability.
	Order float64 `json:"order"`

	// Learned reports that the truth of this very evaluation is among the latest
	// that were learned, so that P is no forecast.
	Learned bool `json:"learned,omitempty"`

	Because []Reason `json:"because,omitempty"` // strongest first
}

// Reason is one signal's part in a risk.
type Reason struct {
	Signal      string   `json:"signal"`                // place, truth, judge, words, style, seen, reasons, runs, shape or facts
	LogOdds     float64  `json:"logOdds"`               // added to the base rate's: above 0 speaks for wrong
	Words       []string `json:"words,omitempty"`       // of the verdict at hand, that speak this way
	Evaluations []string `json:"evaluations,omitempty"` // ids of earlier ones that do
	Memories    []string `json:"memories,omitempty"`    // ids of cases whose misses the observation settles
}

// maxValues is how many values of a verdict are told apart; further ones are
// taken together.
const maxValues = 16

// value is what is known of the verdicts of one value, such as fail.
type value struct {
	hash  uint32
	base  count // verdicts of this value
	truth count // things for which this value would have been wrong, or right
	shape logistic
	ways  [3]uint32 // wrong ones by direction, in the order of directions
}

var directions = [3]taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail, taxonomy.Other}

// Model is what has been learned. Its methods may be called at once from many
// goroutines.
type Model struct {
	mu       sync.RWMutex
	n, wrong int
	values   []*value // in the order they came
	rate     []count
	word     []count
	weight   []weight
	known    []float32 // reasons that had a word
	mean, m2 [shapes]float64
	store    store
	blend    blend
	evidence evidence
}

// New returns a model that knows nothing.
func New() *Model {
	return &Model{
		rate: make([]count, cells), word: make([]count, cells), weight: make([]weight, cells), known: make([]float32, cells),
		store: newStore(), blend: newBlend(), evidence: newEvidence(),
	}
}

// Score says how likely the verdict of e is to be wrong. It touches no field of
// e that is not known when the verdict is made.
func (m *Model) Score(e *tree.Evaluation) Risk {
	f, reason, seen := extract(e)
	m.mu.RLock()
	defer m.mu.RUnlock()
	f.value = m.admit(f.value)
	r := m.read(&f)
	out := Risk{
		P: r.p, Low: sigmoid(logit(r.p) - 1.96*r.sd), High: sigmoid(logit(r.p) + 1.96*r.sd),
		Direction: m.direction(f.value), Enough: m.enough(), Known: m.n, Base: m.overall(), Order: r.order,
		Learned: m.store.has(e.Key()),
	}
	if out.Enough {
		out.Because = m.because(&r, [2]map[uint32]string{reason, seen})
		spell(out.Because, judgment.Read(judgment.Decode(e.Judgment)).Beside, e.Prompt+"\n"+e.Observation)
		return out
	}
	out.P = out.Base
	in := stat.Wilson(m.wrong, m.n)
	out.Low, out.High = in.Low, in.High
	return out
}

// Learn is told whether the verdict with the features f was right, and if not,
// which way it was wrong. Id names the evaluation for Reason.Evaluations.
func (m *Model) Learn(id string, f Features, correct bool, direction taxonomy.Direction) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wrong := !correct
	f.value = m.admit(f.value)
	r := m.read(&f)
	m.settle(&r, wrong)
	m.blend.learn(r.x[:], wrong)
	v := m.find(f.value)
	if v == nil {
		v = &value{hash: f.value, shape: newShape(r.before)}
		m.values = append(m.values, v)
	}
	v.shape.learn(r.shape, wrong)
	m.learnShape(f.shape)
	v.base.add(wrong, 1)
	m.learnRates(&f, wrong)
	m.learnWords(&f, wrong)
	m.store.add(remembered{id: id, f: f, wrong: wrong})
	m.n++
	if wrong {
		m.wrong++
		for i, d := range directions {
			if d == direction {
				v.ways[i]++
			}
		}
	}
}

func (m *Model) settle(r *reading, wrong bool) {
	model, base := r.p, m.overall()
	if !wrong {
		model, base = 1-model, 1-base
	}
	m.evidence.settle(m.n, model, base)
}

func (m *Model) enough() bool { return m.n >= enoughKnown && m.evidence.enough() }

// overall is the share of wrong verdicts, drawn to a quarter while there are few.
func (m *Model) overall() float64 { return (float64(m.wrong) + 1) / (float64(m.n) + 4) }

// base is the share of wrong verdicts of a value, drawn to that of all.
func (m *Model) base(hash uint32) float64 {
	var c count
	if v := m.find(hash); v != nil {
		c = v.base
	}
	return c.shrink(m.overall(), 8)
}

func (m *Model) find(hash uint32) *value {
	for _, v := range m.values {
		if v.hash == hash {
			return v
		}
	}
	return nil
}

// admit returns the hash, or that of the last value where there are too many.
func (m *Model) admit(hash uint32) uint32 {
	if len(m.values) < maxValues || m.find(hash) != nil {
		return hash
	}
	return m.values[maxValues-1].hash
}

func (m *Model) direction(hash uint32) taxonomy.Direction {
	best, d := uint32(0), taxonomy.None
	if v := m.find(hash); v != nil {
		for i, n := range v.ways {
			if n > best {
				best, d = n, directions[i]
			}
		}
	}
	return d
}
