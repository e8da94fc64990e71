package risk

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Counts of other teams change the order in which verdicts are read, and never a probability: only this tree's own
// labels are evidence. All of them together weigh as much as countedAs own verdicts, so their influence falls as own
// labels grow.
const (
	countedAs     = 20.0
	farthest      = 2.0 // largest change of an order, in log-odds
	pullElsewhere = 8.0 // verdicts of a row with the weight of the level above
	maxElsewhere  = 16  // most trees with counts
	maxTally      = 8 << 20
)

// elsewhere holds the counts of other teams.
type elsewhere struct {
	of   map[string]*ledger.Tally  // by origin
	sums map[ledger.TallyRow]count // sums of all tallies, by subject

	shapes [kinds]prior // means over all tallies, by their verdicts
}

// Believe stores tally t of another tree, in place of an earlier tally from that tree. If t has no rows, Believe
// removes the earlier tally. It returns false, and changes nothing, if t breaks a limit or if tallies of 16 other trees
// are stored already.
func (m *Model) Believe(t *ledger.Tally) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.elsewhere.believe(t)
}

// Room reports whether Believe can store a tally of the tree with the id origin.
func (m *Model) Room(origin string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.elsewhere.room(origin)
}

func (w *elsewhere) room(origin string) bool { return w.of[origin] != nil || len(w.of) < maxElsewhere }

func (w *elsewhere) believe(t *ledger.Tally) bool {
	if t.Check() != nil || len(t.Rows) > 0 && !w.room(t.Origin) {
		return false
	}
	of := maps.Clone(w.of)
	if of == nil {
		of = map[string]*ledger.Tally{}
	}
	if of[t.Origin] = t; len(t.Rows) == 0 {
		delete(of, t.Origin)
	}
	*w = elsewhere{of: of, sums: map[ledger.TallyRow]count{}}
	for _, origin := range w.origins() {
		for _, r := range of[origin].Rows {
			at := r.About()
			c := w.sums[at]
			w.sums[at] = count{c.wrong + float32(r.Wrong), c.right + float32(r.Right)}
		}
	}
	w.joinShapes()
	return true
}

// joinShapes sets shapes. It leaves out those of a program that has other numbers.
func (w *elsewhere) joinShapes() {
	var all [kinds]float64
	each := func(do func(k evidenceClass, s *ledger.Shape)) {
		for _, origin := range w.origins() {
			for i := range w.of[origin].Shapes {
				if s := &w.of[origin].Shapes[i]; len(s.Mean) == shapes {
					k := reported
					if s.Observed {
						k = observed
					}
					do(k, s)
				}
			}
		}
	}
	each(func(k evidenceClass, s *ledger.Shape) { all[k] += float64(s.Verdicts) })
	each(func(k evidenceClass, s *ledger.Shape) {
		p, share := &w.shapes[k], float64(s.Verdicts)/all[k]
		for i := range shapes {
			p.mean[i] += share * s.Mean[i]
			p.sd[i] += share * s.Deviation[i]
			p.passes[i] += share * s.Passes[i]
			p.fail[i] += share * s.Fails[i]
		}
	})
}

func (w *elsewhere) origins() []string { return slices.Sorted(maps.Keys(w.of)) }

// by returns how far e with the features f moves in the order, in log-odds, given known own labels.
func (w *elsewhere) by(e *tree.Evaluation, f *Features, known int) float64 {
	if len(w.sums) == 0 {
		return 0
	}
	value, _, _ := readVerdict(judgment.Decode(e.Judgment))
	sum := w.shapes[kindOf(&f.shape)].odds(f)
	for _, chain := range chains(&e.Agent, e.Scope.Product, &e.Scene) {
		by, found := w.lean(chain, value)
		if !found {
			by, _ = w.lean(chain, "")
		}
		sum += by
	}
	weight := min(countedAs, float64(w.sums[ledger.TallyRow{Of: ledger.OfAll}].total()))
	return max(-farthest, min(farthest, sum)) * weight / (weight + float64(known) + 1)
}

// lean returns the log-odds of wrong verdicts of a value for the last row of a chain, minus those of all; each row is
// shrunk to the one before. found is false if no row has counts.
func (w *elsewhere) lean(chain []ledger.TallyRow, value string) (by float64, found bool) {
	base := w.sums[ledger.TallyRow{Of: ledger.OfAll, Value: value}].shrink(usual, 4)
	held := base
	for _, r := range chain {
		r.Value = value
		c, ok := w.sums[r]
		found = found || ok
		held = c.shrink(held, pullElsewhere)
	}
	return logit(held) - logit(base), found
}

// direction returns the most frequent direction of wrong verdicts of a value that a verdict of polarity p can have.
func (w *elsewhere) direction(value string, p judgment.Polarity) taxonomy.Direction {
	best, most := taxonomy.None, 0
	for _, origin := range w.origins() {
		for _, r := range w.of[origin].Rows {
			if r.Of == ledger.OfAll && r.Value == value && r.Wrong > most && !p.Excludes(r.Direction) {
				best, most = r.Direction, r.Wrong
			}
		}
	}
	return best
}

// code passes w to c, like (*Model).code.
func (w *elsewhere) code(c coder) {
	origins := w.origins()
	n := len(origins)
	c.count(&n, maxElsewhere)
	for i := range n {
		var s string
		if _, reading := c.(*modelDecoder); !reading {
			b, _ := json.Marshal(w.of[origins[i]]) // never fails
			s = string(b)
			c.text(&s, maxTally)
			continue
		}
		var t ledger.Tally
		if c.text(&s, maxTally); json.Unmarshal([]byte(s), &t) != nil || !w.believe(&t) {
			c.fail("what another team counted cannot be read")
			return
		}
	}
}
