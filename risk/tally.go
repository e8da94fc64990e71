package risk

import (
	"cmp"
	"slices"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// VerdictCounter counts right and wrong verdicts for an export to another team.
type VerdictCounter struct {
	n     int
	rows  map[ledger.TallyRow]*verdictCount
	words map[uint32]string // verdict words by their hashes as values

	shaped [kinds][]shaped // the latest ones at the end
}

type verdictCount struct {
	right, wrong int
	ways         map[taxonomy.Direction]int
}

// NewCounter returns a VerdictCounter without verdicts.
func NewCounter() *VerdictCounter {
	c := &VerdictCounter{rows: map[ledger.TallyRow]*verdictCount{}, words: map[uint32]string{}}
	for _, w := range judgment.Words() {
		c.words[hash("value", w)] = w
	}
	return c
}

// Add counts verdict v if its truth is known. It counts by the verdict's value, such as pass, only if the value is one
// of [judgment.Words]: other values could reveal something about the run.
func (c *VerdictCounter) Add(v *ledger.Verdict) {
	if !v.Labelled {
		return
	}
	c.n++
	value := ""
	if f, err := Decode(v.Features); err == nil {
		value = c.words[f.value]
		c.addShape(&f, !v.Correct)
	}
	rows := []ledger.TallyRow{{Of: ledger.OfAll}}
	for _, chain := range chains(&v.Agent, v.Product, &v.Scene) {
		rows = append(rows, chain...)
	}
	for _, r := range rows {
		c.add(r, v)
		if r.Value = value; value != "" {
			c.add(r, v)
		}
	}
}

// addShape keeps the shape of a verdict that passes or fails.
func (c *VerdictCounter) addShape(f *Features, wrong bool) {
	v := polarities()[f.value]
	if v == judgment.Unread || f.shape[learned] == unknown {
		return
	}
	of := &c.shaped[kindOf(&f.shape)]
	if *of = append(*of, shaped{f.shape, v, wrong}); len(*of) >= 2*window {
		*of = slices.Clone((*of)[len(*of)-window:])
	}
}

// shapes returns what the latest verdicts show about shapes, if there are enough.
func (c *VerdictCounter) shapes() (out []ledger.Shape) {
	for k, of := range c.shaped {
		of = of[max(0, len(of)-window):]
		if len(of) < ledger.LeastShaped {
			continue
		}
		p := learnPrior([][]shaped{of}).rounded()
		out = append(out, ledger.Shape{
			Observed: evidenceClass(k) == observed, Verdicts: len(of), Mean: p.mean[:], Deviation: p.sd[:], Passes: p.passes[:],
			Fails: p.fail[:],
		})
	}
	return out
}

// chains returns the rows of a verdict besides all: by agent and model, and by product and scene type. It omits rows
// without a name, and those whose name is too long.
func chains(by *tree.Agent, product string, scene *tree.Scene) [2][]ledger.TallyRow {
	var out [2][]ledger.TallyRow
	for i, rows := range [2][2]ledger.TallyRow{
		{{Of: ledger.OfJudge, Name: by.Name}, {Of: ledger.OfJudge, Name: by.Name, Model: by.Model}},
		{{Of: ledger.OfProduct, Name: product}, {Of: ledger.OfScene, Name: scene.Type}},
	} {
		for _, r := range rows {
			twice := len(out[i]) > 0 && r == out[i][0]
			if r.Name != "" && !twice && len(r.Name) <= ledger.MaxRowName && len(r.Model) <= ledger.MaxRowName {
				out[i] = append(out[i], r)
			}
		}
	}
	return out
}

func (c *VerdictCounter) add(of ledger.TallyRow, v *ledger.Verdict) {
	n := c.rows[of]
	if n == nil {
		n = &verdictCount{ways: map[taxonomy.Direction]int{}}
		c.rows[of] = n
	}
	if v.Correct {
		n.right++
		return
	}
	n.wrong++
	n.ways[v.Direction]++
}

// Tally returns the counts as a tally of the tree with the id origin. It omits rows with fewer than
// ledger.LeastCounted verdicts. If more than ledger.MaxRows rows remain, it returns those with the most verdicts.
func (c *VerdictCounter) Tally(origin string) *ledger.Tally {
	out := &ledger.Tally{Origin: origin, Verdicts: c.n, Rows: []ledger.TallyRow{}, Shapes: c.shapes()}
	for r, n := range c.rows {
		if n.right+n.wrong < ledger.LeastCounted {
			continue
		}
		r.Right, r.Wrong = n.right, n.wrong
		best := 0
		for _, d := range directions {
			if n.ways[d] > best {
				best, r.Direction = n.ways[d], d
			}
		}
		out.Rows = append(out.Rows, r)
	}
	slices.SortFunc(out.Rows, func(a, b ledger.TallyRow) int {
		return cmp.Or(cmp.Compare(b.Right+b.Wrong, a.Right+a.Wrong), ledger.CompareRows(a, b))
	})
	out.Rows = out.Rows[:min(len(out.Rows), ledger.MaxRows)]
	slices.SortFunc(out.Rows, ledger.CompareRows)
	return out
}
