// Package risk estimates the probability that a verdict is wrong before the truth is known. It learns from the
// outcomes of earlier verdicts and calls no language model.
//
// A Model learns one verdict at a time, once its truth is known. It stores counts, hashes of tokens and features of
// the latest verdicts, so its size is bounded and it contains no text. The same verdicts in the same order give the
// same Model. Each of its signals is a difference from the base rate in log-odds:
//
//   - place, truth, judge: rates along product → scene type → case and along
//     agent → model, shrunk to the level above if there is little data (rates.go);
//   - words, style, seen: the tokens of the judge's reason, and of prompt and
//     observation (words.go);
//   - reasons, runs: the truth about the most similar reasons and runs
//     (neighbours.go);
//   - shape: lengths, denials, hedges, overlap of reason and task (shape.go),
//     and what these mean in other histories (prior.go);
//   - confidence, look: the judge's own confidence, and a model's second look,
//     by how often such opinions were right (witness.go).
//
// A logistic regression combines them. It starts from weights learned from other histories (start.go) and is fitted
// online (combine.go). A rival that learns only the latest verdicts is weighted by its predictions, and takes over if
// it is better, because a judge may change (late.go). The truth of a run also informs verdicts of another value on the
// same thing: if a pass was right, a fail is wrong. Until the signals are proven to beat the base rate, the result is
// the base rate, with Enough false (evidence.go). Counts of other teams (tally.go) change the order in which people
// review verdicts, until own labels outweigh them (elsewhere.go).
package risk

import (
	"sync"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Risk is the estimated risk that a verdict is wrong. Probabilities are within 0 to 1.
type Risk struct {
	P    float64 `json:"p"`    // calibrated probability that the verdict is wrong
	Low  float64 `json:"low"`  // lower end of the 95 % interval of P
	High float64 `json:"high"` // upper end of the 95 % interval of P

	// Direction is the most frequent direction of wrong verdicts with the same value, such as pass. If none was wrong, it
	// is the most frequent direction in the counts of other teams, or None. It is never one that contradicts the verdict.
	Direction taxonomy.Direction `json:"direction,omitempty"`

	// Enough is whether the signals are proven to predict, or Given added evidence. If it is false, P is the base rate and
	// Because is empty.
	Enough bool    `json:"enough"`
	Known  int     `json:"known"` // number of verdicts with a known truth
	Base   float64 `json:"base"`  // share of wrong ones among Known

	// Order is the score by which to sort verdicts for review, 0 to 1, highest first. It is set even if Enough is false.
	// It leaves out the base rate, so it is not a probability.
	Order float64 `json:"order"`

	// Elsewhere is the change of Order by counts of other teams, in log-odds.
	Elsewhere float64 `json:"elsewhere,omitempty"`

	// Forecast is the probability that the signals predict, even if Enough is false. Given does not change it.
	Forecast float64 `json:"-"`

	// Learned means that this evaluation is among the latest 4,096 whose truth the Model has learned, so P is no forecast.
	Learned bool `json:"learned,omitempty"`

	Because []Reason `json:"because,omitempty"` // reasons, the strongest first

	// Before counts learned verdicts on the same test. It is set even if Enough is false.
	Before SameTest `json:"before,omitzero"`
}

// Reason is the effect of one signal on a risk, and the evidence for it.
type Reason struct {
	// Signal is place, truth, judge, words, style, seen, reasons, runs, shape, confidence, look or facts.
	Signal      string   `json:"signal"`
	LogOdds     float64  `json:"logOdds"`               // added to the log-odds of the base rate; above 0 raises the risk
	Words       []string `json:"words,omitempty"`       // words of the run that changed the risk in this direction
	From        string   `json:"from,omitempty"`        // for the signal seen, where Words are from, such as FromPrompt
	Evaluations []string `json:"evaluations,omitempty"` // keys of earlier evaluations that changed it in this direction
	Memories    []string `json:"memories,omitempty"`    // for the signal facts, ids of the cases in Seen
}

// Model estimates risks from the verdicts that it has learned. Its methods are safe for concurrent use.
type Model struct {
	mu       sync.RWMutex
	n, wrong int
	changed  int      // verdicts known when a change of the judge was noticed; 0: none
	all      *learner // of all verdicts, or those since the judge changed
	late     rival
	evidence wager

	elsewhere elsewhere
	judges    map[uint32]*JudgeLabels // by the hash of their names
}

// usual is the expected share of wrong verdicts while none is known.
const usual = 0.25

// New returns a Model that has learned nothing.
func New() *Model { return &Model{all: newLearner(cellBits, usual), evidence: newEvidence()} }

// Score returns the risk of the verdict of e. It reads no field of e that becomes known only after the verdict.
func (m *Model) Score(e *tree.Evaluation) Risk { return m.ScoreLooked(e, 0) }

// ScoreLooked returns the risk of the verdict of e, like Score, but also uses the code of a second look at the verdict,
// see [Features.WithLook].
func (m *Model) ScoreLooked(e *tree.Evaluation, look uint8) Risk {
	f, reason, seen := extract(e)
	f = f.WithLook(look)
	value, beside, polarity := readVerdict(judgment.Decode(e.Judgment))
	m.mu.RLock()
	defer m.mu.RUnlock()
	r := m.forecast(&f)
	out := Risk{
		P: r.p, Low: sigmoid(logit(r.p) - 1.96*r.sd), High: sigmoid(logit(r.p) + 1.96*r.sd),
		Direction: m.all.usualDirection(m.all.knownValue(f.value), polarity), Enough: m.enough(), Known: m.n,
		Base:  float64(m.wrong) / float64(max(1, m.n)),
		Order: r.order, Forecast: r.p, Learned: m.all.store.has(e.Key()), Before: m.all.before(&f),
	}
	if out.Direction == taxonomy.None {
		out.Direction = m.elsewhere.direction(value, polarity)
	}
	if out.Elsewhere = m.elsewhere.by(e, &f, m.n); out.Elsewhere != 0 {
		out.Order = sigmoid(logit(out.Order) + out.Elsewhere)
	}
	if out.Enough {
		out.Because = r.by.because(r.of(), [2]map[uint32]string{reason, seen})
		whole(out.Because, beside, e.Prompt, e.Observation)
		return out
	}
	out.P = m.all.overallRate()
	in := stat.Wilson(m.wrong, m.n)
	out.Low, out.High = in.Low, in.High
	return out
}

// Learn adds the truth about a verdict with the features f. direction is which way the verdict was wrong, if it was. id
// is the key of its evaluation. Learn returns the Risk.Order that the verdict had before, without the counts of other
// teams.
func (m *Model) Learn(id string, f Features, correct bool, direction taxonomy.Direction) (order float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wrong := !correct
	r := m.forecast(&f)
	m.settle(r.p, wrong)
	m.learnJudge(&f, r.p, wrong)
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

// overallRate returns the share of wrong verdicts, shrunk to one in four.
func (m *Model) overallRate() float64 { return (float64(m.wrong) + 4*usual) / (float64(m.n) + 4) }
