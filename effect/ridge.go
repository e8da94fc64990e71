package effect

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// kind is what a column stands for.
type kind uint8

const (
	test kind = iota
	scene
	strategy
	experience
	oneCase
	origin
)

// lambda is how many runs' worth of doubt there is in a column: the variance of an
// outcome over the variance such columns have among each other.
func (k kind) lambda() float64 {
	switch k {
	case test, scene:
		return 8
	case oneCase:
		return 40
	}
	return 16
}

// problem is a weighted ridge regression. Its rows and columns are in an order
// that depends on what they say alone, so that sums come out to the last bit.
type problem struct {
	weight []float64 // by row
	left   []float64 // what is not explained yet
	mean   float64
	theta  []float64 // by column
	lambda []float64
	size   []float64 // Σ weight × times², by column
	begin  []int32   // where a column's entries begin, one more at the end
	entry  []entry
	kinds  []kind
	test   []int32 // by row, the column of its test; below 0 where it has none
	place  []int32 // of a book's column among the sorted ones
}

type entry struct {
	row   int32
	times float32
}

func (b *Book) problem(now time.Time) *problem {
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
	p := &problem{
		weight: make([]float64, len(rows)), left: make([]float64, len(rows)),
		test: make([]int32, len(rows)), theta: make([]float64, n), lambda: make([]float64, n), size: make([]float64, n),
		begin: make([]int32, n+1), kinds: make([]kind, n), place: make([]int32, n),
	}
	for at, c := range order {
		p.place[c] = int32(at) //nolint:gosec // as above
		p.kinds[at], p.lambda[at] = b.cols[c].kind, b.cols[c].kind.lambda()
	}
	p.fill(rows, now)
	return p
}

// fill lays the rows' cells out by column.
func (p *problem) fill(rows []*row, now time.Time) {
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

// A fit ends when the part of the outcomes that could still be explained is
// this small a share of what could be at first, or after so many steps.
const (
	small = 1e-12
	steps = 200
)

// solve finds the minimum by conjugate gradients, scaled by the diagonal. One
// coordinate at a time would come to the same place, but not soon: what all runs
// share, what the tests share and what the scenes share trade places for hundreds of
// rounds. The mean is the last coordinate, and nothing holds it back.
func (p *problem) solve() {
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

// spread sets at to what coordinates x say of every row.
func (p *problem) spread(x, at []float64) {
	for i := range at {
		at[i] = x[len(p.theta)]
	}
	for j := range p.theta {
		for _, e := range p.entry[p.begin[j]:p.begin[j+1]] {
			at[e.row] += float64(e.times) * x[j]
		}
	}
}

// gather sets x to the weighted sum of the rows each coordinate speaks of.
func (p *problem) gather(at, x []float64) {
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

// variance is that of an outcome around what the fit expects, drawn to that of one
// in four while there are few runs.
func (p *problem) variance() float64 {
	const few, before = 10, 0.1875
	sum, weight := few*before, float64(few)
	for i, w := range p.weight {
		sum += w * p.left[i] * p.left[i]
		weight += w
	}
	return sum / weight
}

// known returns by column how many runs tell something of it. What is always given
// on one test cannot be told from the test, so runs count as far as they differ from
// the others of theirs.
func (p *problem) known() []float64 {
	n := slices.Clone(p.size)
	shared := make([]float64, len(p.theta)) // by test, of the column at hand
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
