package effect

import (
	"hash/fnv"
	"math"
)

// guess is what is known of how hard tests are: what share of failures to expect of
// the next run. Only runs before it have a part in that, so that however bad a guess
// is, it costs the bets power and not truth.
type guess struct {
	Recent Count               `json:"recent"`          // of all runs lately, see lately
	Tests  map[uint8]Count     `json:"tests,omitempty"` // of each test, by a hash of its name
	Belief [len(pulls)]float64 `json:"belief"`          // in each of the pulls: a log, 0 for the best of them
}

// Count is how many runs there were and how many of them failed. Old ones count
// for less, so neither is whole.
type Count struct {
	Runs  float64 `json:"runs"`
	Fails float64 `json:"fails"`
}

// add forgets over so many runs, and counts one more.
func (c Count) add(failed bool, over float64) Count {
	c.Runs, c.Fails = c.Runs*(1-1/over)+1, c.Fails*(1-1/over)
	if failed {
		c.Fails++
	}
	return c
}

// How many runs a guess looks back over: long enough to be steady, short enough to
// follow a product that changes.
const (
	lately   = 200.0
	ofATest  = 20.0
	maxCells = 1 << 8
)

// pulls are how strongly a test's own share is drawn to that of all, in runs. Which is
// right depends on how unlike the tests are, so each is believed as far as it was right
// before (A. P. Dawid, J. R. Stat. Soc. A 147, 1984). The last takes all tests for one.
var pulls = [...]float64{2, 6, 20, 1e6}

// leastBelief is how far down belief in a pull may go, so that it can come back.
const leastBelief = -20.0

// expect is the share of failures expected of the next run of a test, whatever its arm.
func (g *guess) expect(cell uint8) float64 {
	p, sum := 0.0, 0.0
	for k, q := range g.shares(cell) {
		w := math.Exp(g.Belief[k])
		p += w * q
		sum += w
	}
	return p / sum
}

// shares are what each of the pulls expects.
func (g *guess) shares(cell uint8) (ps [len(pulls)]float64) {
	all := (g.Recent.Fails + 1) / (g.Recent.Runs + 4)
	c := g.Tests[cell]
	for k, pull := range pulls {
		ps[k] = (c.Fails + pull*all) / (c.Runs + pull)
	}
	return ps
}

// count is told how a run of a test ended.
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
		g.Tests = map[uint8]Count{}
	}
	g.Recent = g.Recent.add(failed, lately)
	g.Tests[cell] = g.Tests[cell].add(failed, ofATest)
}

// cellOf is where a test is counted. Two that meet in one cell are one test.
func cellOf(test string) uint8 {
	h := fnv.New32a()
	h.Write([]byte(test))
	return uint8(h.Sum32() % maxCells) //nolint:gosec // below 256
}
