package evolution

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/memtree/memtree/tree"
)

// mostCandidates is how many memories the ones that stay are chosen from.
const mostCandidates = 1500

// cover keeps of a list the most that cover it best: greedily, always the one by
// which the likeness of all to their nearest kept one rises most (facility
// location; Nemhauser, Wolsey and Fisher, 1978). What was seen often weighs more.
// Of a list of more than mostCandidates, a random sample is chosen from. What no
// kept one is like stays, over budget or not: it can be said by nothing else.
func (p *pruner) cover(errorType string, list []*tree.Node, most int, essential map[string]bool) error {
	c := &likeness{weight: map[string]float64{}, at: map[string]*point{}}
	evidence := make([]*tree.Node, len(list)) // what stands for each: itself, or its first case
	for i, n := range list {
		if evidence[i] = n; n.Type == tree.Experience {
			evidence[i] = p.live(n)[0]
		}
		c.weight[n.ID] = 1 + math.Log(float64(max(1, len(n.Occurrences)+len(n.Children))))
	}
	space, points, err := newSpace(p.ctx, p.boiler, p.Evolver.o.Embedder, distinct(evidence))
	if err != nil {
		return err
	}
	of := map[string]*point{}
	for _, x := range points {
		of[x.id] = x
	}
	for i, n := range list {
		c.at[n.ID] = of[evidence[i].ID]
	}
	c.space = space
	fresh := p.now.Add(-p.rules.Of(errorType).TimeWindow)
	stays := func(n *tree.Node) bool { return essential[n.ID] || !lastSeen(n).Before(fresh) }
	kept := c.choose(evenly(list, mostCandidates), most, stays)
	for _, n := range list {
		if kept[n.ID] || stays(n) {
			continue
		}
		if by := c.nearest(n, kept); by != "" {
			p.gone[n.ID] = Forgotten{n.Clone(), OverBudget, fmt.Sprintf("%d of %s and level are in use, the budget is %d, and %s covers it", len(list), errorType, most, by)}
		}
	}
	return nil
}

// likeness is how alike memories are, and how much each weighs.
type likeness struct {
	space  *space
	at     map[string]*point
	weight map[string]float64
}

// nearest returns the kept one that is most like n, "" if none is of one cause
// with it.
func (c *likeness) nearest(n *tree.Node, kept map[string]bool) string {
	best, by := join, ""
	for _, id := range slices.Sorted(maps.Keys(kept)) {
		if v := c.space.like(c.at[n.ID], c.at[id]); v > best || v == best && by == "" {
			best, by = v, id
		}
	}
	return by
}

// choose returns the ids of those that stay of a list: what must, and the rest of
// the budget by coverage.
func (c *likeness) choose(list []*tree.Node, most int, must func(*tree.Node) bool) map[string]bool {
	like := make([][]float32, len(list))
	parallel(len(list), func(i int) {
		like[i] = make([]float32, i)
		for j := range i {
			like[i][j] = float32(c.space.like(c.at[list[i].ID], c.at[list[j].ID]))
		}
	})
	between := func(i, j int) float64 {
		if i == j {
			return 1
		}
		return float64(like[max(i, j)][min(i, j)])
	}
	out, kept := map[string]bool{}, make([]bool, len(list))
	best := make([]float64, len(list)) // likeness to the nearest kept one
	keep := func(i int) {
		kept[i], out[list[i].ID] = true, true
		for j := range list {
			best[j] = max(best[j], between(i, j))
		}
	}
	gain := make([]float64, len(list))
	for i, n := range list {
		gain[i] = math.Inf(1)
		if must(n) {
			keep(i)
		}
	}
	for len(out) < most {
		i := lazily(gain, kept, func(i int) float64 {
			sum := 0.0
			for j, n := range list {
				sum += c.weight[n.ID] * max(0, between(i, j)-best[j])
			}
			return sum
		})
		if i < 0 {
			break
		}
		keep(i)
	}
	return out
}

// lazily returns the one not kept with the highest gain, the first of several.
// Gains only fall as more is kept, so one that leads after it was computed anew
// leads (Minoux, 1978).
func lazily(gain []float64, kept []bool, compute func(int) float64) int {
	fresh := make([]bool, len(gain))
	for {
		at := -1
		for i := range gain {
			if !kept[i] && (at < 0 || gain[i] > gain[at]) {
				at = i
			}
		}
		if at < 0 || fresh[at] {
			return at
		}
		gain[at], fresh[at] = compute(at), true
	}
}

func distinct(list []*tree.Node) []*tree.Node {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Compact(list)
}
