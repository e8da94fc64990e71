package effect

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/tree"
)

// expected is the prior effect of a memory: three more right runs in a hundred. A memory was made from an observed
// mistake, so it is slightly more likely to help than to harm.
const expected = 0.03

// halfLife is the age at which a run has half its weight.
const halfLife = 90 * 24 * time.Hour

// Prior returns the effect that a memory is assumed to have before any run, as a difference of shares of right runs.
// It grows with confidence, 0 to 1, of the model or rules that wrote it, and with support, the number of its cases. It
// is 0.03 for one case with confidence 0.5, and at most 0.12.
func Prior(confidence float64, support int) float64 {
	s := float64(max(1, support))
	return 2 * expected * max(0, min(1, confidence)) * 2 * s / (s + 1)
}

// CreditBook collects runs for a regression that attributes their outcomes to the memories that they received, see
// [CreditBook.Fit]. It is not safe for concurrent use.
type CreditBook struct {
	rows  []row
	ids   map[string]bool
	names map[column]int32
	cols  []column
	known map[string]*memory
}

// row is one run: its result, and how often each column applies to it.
type row struct {
	id      string
	at      time.Time
	correct bool
	prior   float64 // sum over the injected memories
	cells   []cell
}

type cell struct {
	col   int32
	times float32
}

// column is a factor of the fit.
type column struct {
	kind columnKind
	name string
}

// memory holds the data of a memory besides its effect.
type memory struct {
	typ     tree.Type
	prior   float64
	at      time.Time // of the run that provided prior and lineage
	lineage []column  // itself and its ancestors
	runs    int
	right   int
	tests   map[string]bool
}

// NewCreditBook returns a CreditBook without runs.
func NewCreditBook() *CreditBook {
	return &CreditBook{ids: map[string]bool{}, names: map[column]int32{}, known: map[string]*memory{}}
}

// Add adds run r. It ignores later attempts, and a run with an id that b already has. The order of runs does not
// matter.
func (b *CreditBook) Add(r *TrialRun) {
	if !r.first() || b.ids[r.ID] {
		return
	}
	b.ids[r.ID] = true
	x := row{id: r.ID, at: r.At, correct: r.Correct}
	if r.Test != "" {
		x.add(b.column(column{test, r.Test}))
	}
	if s := sceneOf(&r.Scene); s != "" {
		x.add(b.column(column{scene, s}))
	}
	given := map[string]bool{}
	for i := range r.Injected {
		c := &r.Injected[i]
		if given[c.ID] {
			continue
		}
		given[c.ID] = true
		lineage := lineageOf(c)
		for _, l := range lineage {
			x.add(b.column(l))
		}
		x.prior += cmp.Or(c.Prior, expected)
		b.note(c, r, lineage)
	}
	b.rows = append(b.rows, x)
}

func (x *row) add(col int32) {
	for i := range x.cells {
		if x.cells[i].col == col {
			x.cells[i].times++
			return
		}
	}
	x.cells = append(x.cells, cell{col, 1})
}

func (b *CreditBook) column(c column) int32 {
	n, ok := b.names[c]
	if !ok {
		n = int32(len(b.cols)) //nolint:gosec // far fewer than two thousand million
		b.names[c] = n
		b.cols = append(b.cols, c)
	}
	return n
}

// note counts a use of a memory. If runs disagree on its lineage, the latest one is used.
func (b *CreditBook) note(c *Candidate, r *TrialRun, lineage []column) {
	m := b.known[c.ID]
	if m == nil {
		m = &memory{tests: map[string]bool{}}
		b.known[c.ID] = m
	}
	m.runs++
	if r.Test != "" {
		m.tests[r.Test] = true
	}
	if r.Correct {
		m.right++
	}
	if m.lineage == nil || !r.At.Before(m.at) {
		m.typ, m.prior, m.at, m.lineage = c.Type, cmp.Or(c.Prior, expected), r.At, lineage
	}
}

func sceneOf(s *tree.Scene) string { return cmp.Or(s.ID, s.Route, s.Type) }

func lineageOf(c *Candidate) []column {
	out := []column{{kindOf(c.Type), c.ID}}
	for _, a := range c.Lineage {
		out = append(out, column{kindOf(a.Type), a.ID})
	}
	if c.Origin != "" {
		out = append(out, column{origin, c.Origin})
	}
	return out
}

func kindOf(t tree.Type) columnKind {
	switch t {
	case tree.Strategy:
		return strategy
	case tree.Experience:
		return experience
	}
	return oneCase
}

// Effect is the measured effect of one memory on the runs that received it.
type Effect struct {
	ID   string    `json:"id"`
	Type tree.Type `json:"type"`

	Runs  int `json:"runs"`  // first attempts that received the memory
	Tests int `json:"tests"` // number of different tests among Runs
	Right int `json:"right"` // of Runs, those that were right

	// Effect is the share of right runs with the memory minus the share without, on tests of equal difficulty; SD is
	// its standard deviation.
	Effect float64 `json:"effect"`
	SD     float64 `json:"sd"`
	PHarm  float64 `json:"pHarm"` // probability that Effect is below 0
	Before float64 `json:"-"`     // PHarm as assumed before any run

	// EHarm is the evidence of harm from ablations and from runs whose arm was drawn at random, see [Suspect]: 20 or
	// more is proof. It is 0 if there are no such runs and no ablations.
	EHarm float64 `json:"eHarm,omitempty"`
}

// Confidence returns the probability that the memory does not harm, 1-PHarm.
func (e *Effect) Confidence() float64 { return 1 - e.PHarm }

// Fit attributes the outcomes of the runs to memories and returns the effect of each memory that a run received,
// sorted by id. A run weighs less the older it is at now; a run later than now has age 0. The same runs give the same
// bytes, in whatever order they were added.
//
// It minimises, over runs weighted by 2^(-age/90 days),
//
//	(y - mean - Σ prior - Σ θ)² + Σ λ θ²
//
// where y is 1 for a right run and 0 for a wrong one. A run has a prior for each of its memories, and a θ for its test,
// its scene, each of its memories, their ancestors and the trees in which they were made. So Fit distinguishes a good
// memory on hard tests from a bad memory on easy tests, and a memory with few runs borrows from its siblings.
func (b *CreditBook) Fit(now time.Time) []Effect {
	p := b.problem(now)
	p.solve()
	spread, n := p.variance(), p.known()
	out := make([]Effect, 0, len(b.known))
	for id, m := range b.known {
		e := Effect{ID: id, Type: m.typ, Runs: m.runs, Tests: len(m.tests), Right: m.right, Effect: m.prior}
		v, before := 0.0, 0.0
		for _, c := range m.lineage {
			j := p.place[b.names[c]]
			e.Effect += p.theta[j]
			v += spread / (n[j] + p.lambda[j])
			before += spread / p.lambda[j]
		}
		e.SD = rounded(math.Sqrt(v))
		e.Effect = rounded(e.Effect)
		e.PHarm = rounded(stat.Normal(-e.Effect / e.SD))
		e.Before = rounded(stat.Normal(-m.prior / math.Sqrt(before)))
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Effect) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// rounded removes digits that depend on the order of sums on another machine.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
