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
// A logistic regression combines them. It starts from weights that other histories
// taught (start.go) and is fitted online (combine.go). A rival that knows the latest
// verdicts alone is believed, and then takes over, where it foretells better: a judge
// may change (late.go). The truth of a run also says something about verdicts of
// another value on the same thing: where a pass was right, a fail is wrong. Until
// the signals have shown that they beat the base rate, the answer is the base rate,
// with Enough false (evidence.go). What other teams counted (tally.go) moves the order
// in which verdicts are read, until own truths outweigh it (elsewhere.go).
package risk

import (
	"sync"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/stat"
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

	// Order is what the signals come to even if Enough is false, 0 to 1, without what all
	// verdicts share. It tells what to read first; it is no probability.
	Order float64 `json:"order"`

	// Elsewhere is how far Order was moved by what other teams counted, in log-odds.
	Elsewhere float64 `json:"elsewhere,omitempty"`

	// Learned reports that the truth of this very evaluation was learned lately, so
	// that P is no forecast.
	Learned bool `json:"learned,omitempty"`

	Because []Reason `json:"because,omitempty"` // strongest first

	// Before counts earlier verdicts on the same test; it is there even if Enough is false.
	Before SameTest `json:"before,omitzero"`
}

// Reason is what one signal adds to a risk.
type Reason struct {
	// Signal is place, truth, judge, words, style, seen, reasons, runs, shape or facts.
	Signal      string   `json:"signal"`
	LogOdds     float64  `json:"logOdds"`               // added to the base rate's: above 0 speaks for wrong
	Words       []string `json:"words,omitempty"`       // whole words of this verdict that speak the same way
	From        string   `json:"from,omitempty"`        // of seen: whether they are of the prompt, the observation or both
	Evaluations []string `json:"evaluations,omitempty"` // ids of earlier evaluations that speak the same way
	Memories    []string `json:"memories,omitempty"`    // ids of the cases whose misses the observation decides
}

// Model is what has been learned. Its methods are safe for concurrent use.
type Model struct {
	mu       sync.RWMutex
	n, wrong int
	all      *learner // knows every verdict, or those since the judge became another
	late     rival
	evidence wager

	elsewhere elsewhere
}

// usual is the share of wrong verdicts that is expected while none is known.
const usual = 0.25

// New returns a model that knows nothing.
func New() *Model { return &Model{all: newLearner(cellBits, usual), evidence: newEvidence()} }

// Score returns how likely the verdict of e is to be wrong. It reads no field of e
// that becomes known only after the verdict.
func (m *Model) Score(e *tree.Evaluation) Risk {
	f, reason, seen := extract(e)
	m.mu.RLock()
	defer m.mu.RUnlock()
	r := m.forecast(&f)
	out := Risk{
		P: r.p, Low: sigmoid(logit(r.p) - 1.96*r.sd), High: sigmoid(logit(r.p) + 1.96*r.sd),
		Direction: m.all.usualDirection(m.all.knownValue(f.value)), Enough: m.enough(), Known: m.n, Base: m.overallRate(),
		Order: r.order, Learned: m.all.store.has(e.Key()), Before: m.all.before(&f),
	}
	if out.Direction == taxonomy.None {
		out.Direction = m.elsewhere.direction(e)
	}
	if out.Elsewhere = m.elsewhere.by(e, m.n); out.Elsewhere != 0 {
		out.Order = sigmoid(logit(out.Order) + out.Elsewhere)
	}
	if out.Enough {
		out.Because = r.by.because(r.of(), [2]map[uint32]string{reason, seen})
		whole(out.Because, judgment.Read(judgment.Decode(e.Judgment)).Beside, e.Prompt, e.Observation)
		return out
	}
	out.P = out.Base
	in := stat.Wilson(m.wrong, m.n)
	out.Low, out.High = in.Low, in.High
	return out
}

// Learn is told whether the verdict with the features f was right and, if not, which
// way it was wrong. id is that of the evaluation, for Reason.Evaluations. It returns what Risk.Order would have
// been before, but for what other teams counted.
func (m *Model) Learn(id string, f Features, correct bool, direction taxonomy.Direction) (order float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wrong := !correct
	r := m.forecast(&f)
	m.settle(r.p, wrong)
	m.all.learnFrom(id, f, &r.all, wrong)
	m.all.countWay(f.value, wrong, direction)
	m.learnLate(id, f, &r, wrong)
	m.n++
	if wrong {
		m.wrong++
	}
	return r.order
}

func (m *Model) settle(p float64, wrong bool) {
	base := m.overallRate()
	if !wrong {
		p, base = 1-p, 1-base
	}
	m.evidence.settle(m.n, p, base)
}

func (m *Model) enough() bool { return m.n >= enoughKnown && m.evidence.enough() }

// overallRate returns the share of wrong verdicts, drawn to one in four while few are known.
func (m *Model) overallRate() float64 { return (float64(m.wrong) + 4*usual) / (float64(m.n) + 4) }
