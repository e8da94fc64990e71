package effect

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// columnKind is the kind of a column.
type columnKind uint8

const (
	test columnKind = iota
	scene
	strategy
	experience
	oneCase
	origin
)

// lambda is the penalty of a column: the variance of an outcome divided by the variance among such columns.
func (k columnKind) lambda() float64 {
	switch k {
	case test, scene:
		return 8
	case oneCase:
		return 40
	}
	return 16
}

// ridgeProblem is a weighted ridge regression. The order of its rows and columns depends only on their content, so that
// sums are reproducible to the last bit.
type ridgeProblem struct {
	weight []float64 // by row
	left   []float64 // residual, by row
	mean   float64
	theta  []float64 // by column
	lambda []float64
	size   []float64 // Σ weight × times², by column
	begin  []int32   // start of a column's entries, plus the end
	entry  []entry
	kinds  []columnKind
	test   []int32 // by row, the column of its test; below 0 for none
	place  []int32 // position of a book's column in the sorted order
}

type entry struct {
	row   int32
	times float32
}

func (b *CreditBook) problem(now time.Time) *ridgeProblem {
	rows := make([]*row, len(b.rows))
	for i := range b.rows {
		rows[i] = &b.rows[i]
	}
	slices.SortFunc(rows, func(a, b *row) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
	order := make([]int32, len(b.cols))
	for i := range order {
		order[i] = int32(i) //nolint:gosec // as many as columns
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(b.cols[x].kind, b.cols[y].kind), cmp.Compare(b.cols[x].name, b.cols[y].name))
	})
	n := len(order)
	p := &ridgeProblem{
		weight: make([]float64, len(rows)), left: make([]float64, len(rows)),
		test: make([]int32, len(rows)), theta: make([]float64, n), lambda: make([]float64, n), size: make([]float64, n),
		begin: make([]int32, n+1), kinds: make([]columnKind, n), place: make([]int32, n),
	}
	for at, c := range order {
		p.place[c] = int32(at) //nolint:gosec // as above
		p.kinds[at], p.lambda[at] = b.cols[c].kind, b.cols[c].kind.lambda()
	}
	p.fill(rows, now)
	return p
}

// fill arranges the cells of the rows by column.
func (p *ridgeProblem) fill(rows []*row, now time.Time) {
	for i, r := range rows {
		age := max(0, now.Sub(r.at))
		p.weight[i] = math.Exp2(-float64(age) / float64(halfLife))
		p.left[i] = -r.prior
		if r.correct {
			p.left[i]++
		}
		p.test[i] = -1
		for _, c := range r.cells {
			p.begin[p.place[c.col]+1]++
			if j := p.place[c.col]; p.kinds[j] == test {
				p.test[i] = j
			}
		}
	}
	for j := range p.theta {
		p.begin[j+1] += p.begin[j]
	}
	p.entry = make([]entry, p.begin[len(p.theta)])
	next := slices.Clone(p.begin)
	for i, r := range rows {
		for _, c := range r.cells {
			j := p.place[c.col]
			p.entry[next[j]] = entry{int32(i), c.times} //nolint:gosec // as many as rows
			next[j]++
			p.size[j] += p.weight[i] * float64(c.times) * float64(c.times)
		}
	}
}

// A fit ends when the remaining residual is this small a share of the first one, or after so many steps.
const (
	small = 1e-12
	steps = 200
)

// solve finds the minimum by conjugate gradients, scaled by the diagonal. Coordinate descent would find the same
// minimum, but slowly: the mean, the tests and the scenes would exchange their shares for hundreds of rounds. The mean
// is the last coordinate and has no penalty.
func (p *ridgeProblem) solve() {
	n := len(p.theta)
	x, diagonal := make([]float64, n+1), make([]float64, n+1)
	for j := range n {
		diagonal[j] = p.size[j] + p.lambda[j]
	}
	for _, w := range p.weight {
		diagonal[n] += w
	}
	if diagonal[n] <= 0 {
		return
	}
	rest, scaled, way, image := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	at := make([]float64, len(p.left))
	p.gather(p.left, rest)
	far := precondition(scaled, rest, diagonal)
	copy(way, scaled)
	for first, step := far, 0; step < steps && far > small*first; step++ {
		p.spread(way, at)
		p.gather(at, image)
		for j := range n {
			image[j] += p.lambda[j] * way[j]
		}
		alpha := far / dot(way, image)
		for j := range x {
			x[j] += alpha * way[j]
			rest[j] -= alpha * image[j]
		}
		before := far
		far = precondition(scaled, rest, diagonal)
		for j := range way {
			way[j] = scaled[j] + far/before*way[j]
		}
	}
	p.spread(x, at)
	for i := range at {
		p.left[i] -= at[i]
	}
	copy(p.theta, x)
	p.mean = x[n]
}

// spread sets at to the prediction of coordinates x for every row.
func (p *ridgeProblem) spread(x, at []float64) {
	for i := range at {
		at[i] = x[len(p.theta)]
	}
	for j := range p.theta {
		for _, e := range p.entry[p.begin[j]:p.begin[j+1]] {
			at[e.row] += float64(e.times) * x[j]
		}
	}
}

// gather sets x to the weighted sum over the rows of each coordinate.
func (p *ridgeProblem) gather(at, x []float64) {
	for j := range p.theta {
		sum := 0.0
		for _, e := range p.entry[p.begin[j]:p.begin[j+1]] {
			sum += p.weight[e.row] * float64(e.times) * at[e.row]
		}
		x[j] = sum
	}
	sum := 0.0
	for i, w := range p.weight {
		sum += w * at[i]
	}
	x[len(p.theta)] = sum
}

func precondition(scaled, rest, diagonal []float64) float64 {
	for j := range scaled {
		scaled[j] = rest[j] / diagonal[j]
	}
	return dot(scaled, rest)
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// variance returns the variance of an outcome around the fit, shrunk to 0.1875 while there are few runs.
func (p *ridgeProblem) variance() float64 {
	const few, before = 10, 0.1875
	sum, weight := few*before, float64(few)
	for i, w := range p.weight {
		sum += w * p.left[i] * p.left[i]
		weight += w
	}
	return sum / weight
}

// known returns by column the effective number of runs that inform it. A memory that is always injected on one test
// cannot be distinguished from the test, so runs weigh as far as they differ from the others of their test.
func (p *ridgeProblem) known() []float64 {
	n := slices.Clone(p.size)
	shared := make([]float64, len(p.theta)) // by test, for the present column
	var tests []int32
	for j := range p.theta {
		if p.kinds[j] <= scene {
			continue
		}
		for _, e := range p.entry[p.begin[j]:p.begin[j+1]] {
			t := p.test[e.row]
			if t < 0 {
				continue
			}
			if shared[t] == 0 {
				tests = append(tests, t)
			}
			shared[t] += p.weight[e.row] * float64(e.times)
		}
		for _, t := range tests {
			n[j] -= shared[t] * shared[t] / (p.size[t] + p.lambda[t])
			shared[t] = 0
		}
		n[j], tests = max(0, n[j]), tests[:0]
	}
	return n
}
