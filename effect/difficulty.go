package effect

import (
	"hash/fnv"
	"math"
)

// guess estimates the difficulty of tests: the expected share of failures of the next run. It uses only earlier runs,
// so a bad guess costs the bets power, but not validity.
type guess struct {
	Recent runCount            `json:"recent"`          // over recent runs of all tests, see lately
	Tests  map[uint8]runCount  `json:"tests,omitempty"` // of each test, by a hash of its name
	Belief [len(pulls)]float64 `json:"belief"`          // log weight of each of the pulls, 0 for the best one
}

// runCount is a number of runs and of failures among them. Older runs weigh less, so both are fractional.
type runCount struct {
	Runs  float64 `json:"runs"`
	Fails float64 `json:"fails"`
}

// add adds a run with exponential forgetting over the given number of runs.
func (c runCount) add(failed bool, over float64) runCount {
	c.Runs, c.Fails = c.Runs*(1-1/over)+1, c.Fails*(1-1/over)
	if failed {
		c.Fails++
	}
	return c
}

// Lengths of memory, in runs: long enough to be stable, short enough to follow a changing product.
const (
	lately   = 200.0
	ofATest  = 20.0
	maxCells = 1 << 8
)

// pulls are the weights, in runs, by which a test's own share is shrunk to that of all tests. The best one depends on
// how different the tests are, so each is weighted by its past predictions (A. P. Dawid, J. R. Stat. Soc. A 147, 1984).
// The last treats all tests as one.
var pulls = [...]float64{2, 6, 20, 1e6}

// leastBelief bounds the log weight of a pull, so that it can recover.
const leastBelief = -20.0

// expect returns the expected share of failures of the next run of a test, in any arm.
func (g *guess) expect(cell uint8) float64 {
	p, sum := 0.0, 0.0
	for k, q := range g.shares(cell) {
		w := math.Exp(g.Belief[k])
		p += w * q
		sum += w
	}
	return p / sum
}

// shares returns the expectation of each pull.
func (g *guess) shares(cell uint8) (ps [len(pulls)]float64) {
	all := (g.Recent.Fails + 1) / (g.Recent.Runs + 4)
	c := g.Tests[cell]
	for k, pull := range pulls {
		ps[k] = (c.Fails + pull*all) / (c.Runs + pull)
	}
	return ps
}

// count adds the result of a run of a test.
func (g *guess) count(cell uint8, failed bool) {
	best := math.Inf(-1)
	for k, p := range g.shares(cell) {
		if p = clamp(p); !failed {
			p = 1 - p
		}
		g.Belief[k] += math.Log(p)
		best = max(best, g.Belief[k])
	}
	for k := range g.Belief {
		g.Belief[k] = max(leastBelief, g.Belief[k]-best)
	}
	if g.Tests == nil {
		g.Tests = map[uint8]runCount{}
	}
	g.Recent = g.Recent.add(failed, lately)
	g.Tests[cell] = g.Tests[cell].add(failed, ofATest)
}

// cellOf returns the cell of a test. Two tests in one cell are treated as one.
func cellOf(test string) uint8 {
	h := fnv.New32a()
	h.Write([]byte(test))
	return uint8(h.Sum32() % maxCells) //nolint:gosec // below 256
}
