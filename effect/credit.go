package effect

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/tree"
)

// expected is the effect of a memory nothing is known of: three runs more in a
// hundred go right. A memory was made by somebody who saw a mistake, so it is a
// little more likely to help than to harm.
const expected = 0.03

// halfLife is the age at which a run counts half.
const halfLife = 90 * 24 * time.Hour

// Prior is the effect expected of a memory before any run: confidence is what its
// analyst said, 0 to 1, support how many cases stand behind it. A case its analyst
// is half sure of comes to expected; nothing comes to more than four times that.
func Prior(confidence float64, support int) float64 {
	s := float64(max(1, support))
	return 2 * expected * max(0, min(1, confidence)) * 2 * s / (s + 1)
}

// Book keeps runs in the form a fit needs. Runs may be added in any order; a run
// that was added before, by its id, is passed over.
type Book struct {
	rows  []row
	ids   map[string]bool
	names map[column]int32
	cols  []column
	known map[string]*memory
}

// row is one run: what became of it, and how often each column speaks of it.
type row struct {
	id      string
	at      time.Time
	correct bool
	prior   float64 // of all that was injected
	cells   []cell
}

type cell struct {
	col   int32
	times float32
}

// column is what a part of the outcome is put down to.
type column struct {
	kind kind
	name string
}

// memory is what is known of a memory besides its effect.
type memory struct {
	typ     tree.Type
	prior   float64
	at      time.Time // of the latest run that tells prior and lineage
	lineage []column  // itself and those above it
	runs    int
	right   int
	tests   map[string]bool
}

// NewBook returns an empty book.
func NewBook() *Book {
	return &Book{ids: map[string]bool{}, names: map[column]int32{}, known: map[string]*memory{}}
}

// Add takes a run in. Later attempts are passed over.
func (b *Book) Add(r *Run) {
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

func (b *Book) column(c column) int32 {
	n, ok := b.names[c]
	if !ok {
		n = int32(len(b.cols)) //nolint:gosec // far fewer than two thousand million
		b.names[c] = n
		b.cols = append(b.cols, c)
	}
	return n
}

// note counts a use of a memory. Where runs disagree about its lineage the
// latest one is right.
func (b *Book) note(c *Candidate, r *Run, lineage []column) {
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

func kindOf(t tree.Type) kind {
	switch t {
	case tree.Strategy:
		return strategy
	case tree.Experience:
		return experience
	}
	return oneCase
}

// Effect is what one memory has done.
type Effect struct {
	ID   string    `json:"id"`
	Type tree.Type `json:"type"`

	Runs  int `json:"runs"`  // it was given to, first attempts
	Tests int `json:"tests"` // different tests among them
	Right int `json:"right"` // right runs among them

	// Effect is by how much the share of right runs is higher with it than
	// without, on tests of equal difficulty; SD is its standard deviation.
	Effect float64 `json:"effect"`
	SD     float64 `json:"sd"`
	PHarm  float64 `json:"pHarm"` // probability that Effect is below 0
	Before float64 `json:"-"`     // what PHarm was before any run

	// EHarm is the evidence of harm in the runs that chance gave or denied it, see
	// [Suspect]; 0 where there are none.
	EHarm float64 `json:"eHarm,omitempty"`
}

// Confidence is the probability that the memory helps.
func (e *Effect) Confidence() float64 { return 1 - e.PHarm }

// SuccessRate is the share of right runs, whatever the tests were; 0 with none.
func (e *Effect) SuccessRate() float64 { return float64(e.Right) / float64(max(1, e.Runs)) }

// Fit shares the outcomes out and returns an effect for every memory that was ever
// given, by id. now weighs the runs by age; one from the future counts as new.
// The same runs give the same bytes, in whatever order they were added.
//
// It minimises, over runs weighted by 2^(-age/90 days),
//
//	(y - mean - test - scene - Σ prior - Σ θ)² + Σ λ θ²
//
// where θ is summed over every injected memory and those above it, up to the tree
// it came from. So a good memory on hard tests is told from a bad one on easy
// tests, and one with few runs borrows from its siblings.
func (b *Book) Fit(now time.Time) []Effect {
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

// rounded leaves out what the order of sums on another machine might change.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }
