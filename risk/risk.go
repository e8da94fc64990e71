// Package risk estimates how likely a verdict is to be wrong before anyone knows
// the truth. It learns from what became of earlier verdicts and asks no model.
//
// A Model learns one verdict at a time, once its truth is known. It keeps counts,
// hashes of words and features of the latest verdicts, so its memory is bounded and
// holds no text. The same verdicts in the same order give the same Model. Each of its
// signals is a difference from the base rate in log-odds:
//
//   - place, truth, judge: rates along product → scene type → case and along
//     agent → model, drawn to the level above where little is known (rates.go);
//   - words, style, seen: the words of the judge's reason, and of what it was
//     asked and saw (words.go);
//   - reasons, runs: what became of the most similar reasons and runs
//     (neighbours.go);
//   - shape: lengths, denials, hedges, overlap of reason and task (shape.go).
//
// A logistic regression combines them. It starts from fixed weights and is fitted
// online (combine.go). The truth of a run also says something about verdicts of
// another value on the same thing: where a pass was right, a fail is wrong. Until
// the signals have shown that they beat the base rate, the answer is the base rate,
// with Enough false (evidence.go).
package risk

import (
	"sync"

	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/stat"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Risk is how likely a verdict is to be wrong. Probabilities are within 0 to 1.
type Risk struct {
	P    float64 `json:"p"`   // probability that it is wrong: of the verdicts given .4, four in ten are
	Low  float64 `json:"low"` // 95 % interval of P
	High float64 `json:"high"`

	// Direction is the way in which most wrong verdicts of this value were wrong;
	// None if none was.
	Direction taxonomy.Direction `json:"direction,omitempty"`

	// Enough reports whether past verdicts have proved to predict. If it is false, P
	// is the base rate and Because is empty.
	Enough bool    `json:"enough"`
	Known  int     `json:"known"` // verdicts whose truth is known
	Base   float64 `json:"base"`  // share of them that were wrong

	// Order is what the signals come to even if Enough is false, 0 to 1. It tells
	// what to read first; it is no probability.
	Order float64 `json:"order"`

	// Learned reports that the truth of this very evaluation was learned lately, so
	// that P is no forecast.
	Learned bool `json:"learned,omitempty"`

	Because []Reason `json:"because,omitempty"` // strongest first
}

// Reason is what one signal adds to a risk.
type Reason struct {
	// Signal is place, truth, judge, words, style, seen, reasons, runs, shape or facts.
	Signal      string   `json:"signal"`
	LogOdds     float64  `json:"logOdds"`               // added to the base rate's: above 0 speaks for wrong
	Words       []string `json:"words,omitempty"`       // words of this verdict that speak the same way
	Evaluations []string `json:"evaluations,omitempty"` // ids of earlier evaluations that speak the same way
	Memories    []string `json:"memories,omitempty"`    // ids of the cases whose misses the observation decides
}

// maxValues is how many values of a verdict are told apart; all further ones count as
// the last of them.
const maxValues = 16

// value is what is known of the verdicts of one value, such as fail.
type value struct {
	hash  uint32
	base  count // verdicts of this value
	truth count // runs on which this value would have been wrong, and right
	shape logistic
	ways  [3]uint32 // number of wrong verdicts by direction, in the order of directions
}

var directions = [3]taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail, taxonomy.Other}

// Model is what has been learned. Its methods are safe for concurrent use.
type Model struct {
	mu       sync.RWMutex
	n, wrong int
	values   []*value        // in the order they were first learned
	rate     []count         // by cell: places, truths and judges
	word     []count         // by cell: words of reasons, and words seen
	weight   []weight        // by cell: words of reasons
	known    []float32       // by cell: number of reasons that had a word
	mean, m2 [shapes]float64 // of the shapes: means, and sums of squared differences from them
	store    store
	blend    blend
	evidence wager
}

// New returns a model that knows nothing.
func New() *Model {
	return &Model{
		rate: make([]count, cells), word: make([]count, cells), weight: make([]weight, cells), known: make([]float32, cells),
		store: newStore(), blend: newBlend(), evidence: newEvidence(),
	}
}

// Score returns how likely the verdict of e is to be wrong. It reads no field of e
// that becomes known only after the verdict.
func (m *Model) Score(e *tree.Evaluation) Risk {
	f, reason, seen := extract(e)
	m.mu.RLock()
	defer m.mu.RUnlock()
	f.value = m.knownValue(f.value)
	r := m.forecast(&f)
	out := Risk{
		P: r.p, Low: sigmoid(logit(r.p) - 1.96*r.sd), High: sigmoid(logit(r.p) + 1.96*r.sd),
		Direction: m.usualDirection(f.value), Enough: m.enough(), Known: m.n, Base: m.overallRate(), Order: r.order,
		Learned: m.store.has(e.Key()),
	}
	if out.Enough {
		out.Because = m.because(&r, [2]map[uint32]string{reason, seen})
		unstem(out.Because, judgment.Read(judgment.Decode(e.Judgment)).Beside, e.Prompt+"\n"+e.Observation)
		return out
	}
	out.P = out.Base
	in := stat.Wilson(m.wrong, m.n)
	out.Low, out.High = in.Low, in.High
	return out
}

// Learn is told whether the verdict with the features f was right and, if not, which
// way it was wrong. id is that of the evaluation, for Reason.Evaluations.
func (m *Model) Learn(id string, f Features, correct bool, direction taxonomy.Direction) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wrong := !correct
	f.value = m.knownValue(f.value)
	r := m.forecast(&f)
	// Everything that predicts is asked before anything learns: the bet and the blend
	// must not have seen the truth they are measured on.
	m.settle(&r, wrong)
	m.blend.learn(r.x[:], wrong)
	v := m.valueOf(f.value)
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

func (m *Model) settle(r *forecast, wrong bool) {
	model, base := r.p, m.overallRate()
	if !wrong {
		model, base = 1-model, 1-base
	}
	m.evidence.settle(m.n, model, base)
}

func (m *Model) enough() bool { return m.n >= enoughKnown && m.evidence.enough() }

// overallRate returns the share of wrong verdicts, drawn to one in four while few are known.
func (m *Model) overallRate() float64 { return (float64(m.wrong) + 1) / (float64(m.n) + 4) }

// valueRate returns the share of wrong verdicts of a value, drawn to that of all.
func (m *Model) valueRate(hash uint32) float64 {
	var c count
	if v := m.valueOf(hash); v != nil {
		c = v.base
	}
	return c.shrink(m.overallRate(), 8)
}

func (m *Model) valueOf(hash uint32) *value {
	for _, v := range m.values {
		if v.hash == hash {
			return v
		}
	}
	return nil
}

// knownValue returns the hash, or that of the last known value if there is room for no more.
func (m *Model) knownValue(hash uint32) uint32 {
	if len(m.values) < maxValues || m.valueOf(hash) != nil {
		return hash
	}
	return m.values[maxValues-1].hash
}

// usualDirection returns the commonest direction of the wrong verdicts of a value.
func (m *Model) usualDirection(hash uint32) taxonomy.Direction {
	best, d := uint32(0), taxonomy.None
	if v := m.valueOf(hash); v != nil {
		for i, n := range v.ways {
			if n > best {
				best, d = n, directions[i]
			}
		}
	}
	return d
}
