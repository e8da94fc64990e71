package evolution

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/tree"
)

// Reason says why a memory is archived.
type Reason string

// The reasons, in the order in which memories are forgotten.
const (
	Harmful    Reason = "harmful"    // kept from use as doing harm, for a half-life
	Superseded Reason = "superseded" // out of use or replaced, with no evidence for a month
	Unused     Reason = "unused"     // never given though it could have been many times, seen once, little trusted, a half-life old
	Thin       Reason = "thin"       // an experience with fewer than two live cases
	OverBudget Reason = "over_budget"
)

// What forgetting goes by.
const (
	halfLife      = 90 * 24 * time.Hour
	supersededFor = 30 * 24 * time.Hour
	littleTrust   = 0.6
	enoughChances = 20  // queries of its product and place, none of which a memory was given to
	slack         = 1.2 // a budget is enforced from there, so that a full tree is not pruned at every evolve
)

// mostExperiences is how many experiences of an error type and direction stay in
// use. Cases have no budget: an index serves a million of them.
const mostExperiences = 30

// PruneOptions say what to forget. The zero value works.
type PruneOptions struct {
	DryRun      bool   // of whoever applies the plan: write nothing
	Only        string // this error type alone
	Experiences int    // of an error type and direction stay in use; 0: 30
}

// Known is what is known besides the nodes of the tree. The zero value works.
type Known struct {
	Now     time.Time               // evaluations from after it are not believed to be the newest; zero: all are
	Used    func(id string) bool    // whether a memory was ever given to a run; nil: as its counters say
	Chances func(n *tree.Node) int  // how many queries a memory could have served; nil: none, so that nothing is unused
	Keep    func(n *tree.Node) bool // what is not to be touched; nil: pinned and banned memories alone
}

// Forgotten is a memory that is taken out of use, and why.
type Forgotten struct {
	Node   tree.Node `json:"node"` // as it was
	Reason Reason    `json:"reason"`
	Why    string    `json:"why"` // a sentence
}

// Pruned is what forgetting comes to.
type Pruned struct {
	Forgotten []Forgotten   `json:"forgotten"` // in order of reason, error type and id
	Revived   []string      `json:"revived"`   // cases that were forgotten and have recurred, by id
	Changes   []tree.Change `json:"changes"`   // to be applied together
}

// pruner forgets on a working copy.
type pruner struct {
	*edits
	rules Rules
	o     PruneOptions
	known Known
	gone  map[string]Forgotten
	under map[string][]string // experiences that list a case, by its id
}

// Prune says which memories to take out of use: archived with a reason, never
// deleted. Time is that of the newest evaluation. No case goes for its age or for
// how many there are: only one that was seen once, that nothing stands on, and
// that was not given to any of the queries it could have served. What a person
// marked stays; of lessons beyond the budget those go whose cases others cover.
func (e *Evolver) Prune(ctx context.Context, v View, o PruneOptions, known Known) (Pruned, error) {
	s, err := e.survey(ctx, v, known.Now)
	if err != nil {
		return Pruned{}, fmt.Errorf("read the tree: %w", err)
	}
	p := &pruner{
		edits: s.edits(), rules: e.rules, o: o, known: known,
		gone: map[string]Forgotten{}, under: parents(s.live(tree.Experience)),
	}
	p.settled(p.harm)
	p.settled(p.replaced)
	p.settled(p.unused)
	p.settled(p.thin)
	p.budgets()
	return p.result(p.revive()), nil
}

// revive takes back into use the cases that were forgotten as unused or beyond a
// budget and whose mistake was made again since.
func (p *pruner) revive() []string {
	ids := []string{}
	for _, n := range p.nodes {
		forgotten := strings.HasPrefix(n.ArchivedFor, string(Unused)+": ") || strings.HasPrefix(n.ArchivedFor, string(OverBudget)+": ")
		if n.Type != tree.Case || n.Status != tree.Archived || !forgotten || n.Mark != tree.Unmarked ||
			p.o.Only != "" && n.ErrorType != p.o.Only || p.age(n) > p.rules.Of(n.ErrorType).TimeWindow {
			continue
		}
		c := n.Clone()
		c.Status, c.ArchivedFor = tree.Active, ""
		p.put(c, tree.OpStatus, "its mistake was made again")
		ids = append(ids, n.ID)
	}
	slices.Sort(ids)
	return ids
}

// open are the nodes that may be forgotten still, sorted by id.
func (p *pruner) open(only func(*tree.Node) bool) []*tree.Node {
	var out []*tree.Node
	for _, n := range p.nodes {
		_, gone := p.gone[n.ID]
		if gone || n.Status == tree.Archived || n.Mark != tree.Unmarked || p.o.Only != "" && n.ErrorType != p.o.Only ||
			p.known.Keep != nil && p.known.Keep(n) || !only(n) {
			continue
		}
		out = append(out, n)
	}
	byID(out)
	return out
}

// settled forgets what a rule about one node gives a reason for.
func (p *pruner) settled(rule func(*tree.Node) (Reason, string)) {
	for _, n := range p.open(func(*tree.Node) bool { return true }) {
		if r, why := rule(n); r != "" {
			p.gone[n.ID] = Forgotten{Node: n.Clone(), Reason: r, Why: why}
		}
	}
}

func (p *pruner) age(n *tree.Node) time.Duration { return max(0, p.now.Sub(lastSeen(n))) }

func days(d time.Duration) int { return int(d.Hours() / 24) }

func (p *pruner) harm(n *tree.Node) (Reason, string) {
	if n.Status != tree.Quarantined || p.age(n) <= halfLife {
		return "", ""
	}
	return Harmful, fmt.Sprintf("kept from use as doing harm; its last evidence is %d days old", days(p.age(n)))
}

func (p *pruner) replaced(n *tree.Node) (Reason, string) {
	if n.SupersededBy == "" && n.Status != tree.Retired || p.age(n) <= supersededFor {
		return "", ""
	}
	if n.SupersededBy != "" {
		return Superseded, fmt.Sprintf("replaced by %s; its last evidence is %d days old", n.SupersededBy, days(p.age(n)))
	}
	return Superseded, fmt.Sprintf("out of use; its last evidence is %d days old", days(p.age(n)))
}

func (p *pruner) unused(n *tree.Node) (Reason, string) {
	used := n.Metadata.UsageCount > 0 || p.known.Used != nil && p.known.Used(n.ID)
	confirmed := len(n.Occurrences) > 1 || len(p.under[n.ID]) > 0
	if n.Type != tree.Case || !n.Live() || used || confirmed || n.Content.Confidence >= littleTrust || p.age(n) <= halfLife || p.known.Chances == nil {
		return "", ""
	}
	k := p.known.Chances(n)
	if k < enoughChances {
		return "", ""
	}
	return Unused, fmt.Sprintf("given to none of %d queries it could have served, seen once %d days ago, trusted %.2f", k, days(p.age(n)), n.Content.Confidence)
}

func (p *pruner) thin(n *tree.Node) (Reason, string) {
	if n.Type != tree.Experience || !n.Live() || n.Elsewhere != nil {
		return "", ""
	}
	if k := len(p.standing(n)); k < leastKept {
		return Thin, fmt.Sprintf("%d of its cases is in use", k)
	}
	return "", ""
}

// standing are the cases of an experience that are in use and stay.
func (p *pruner) standing(e *tree.Node) []*tree.Node {
	return slices.DeleteFunc(p.survey.standing(e), func(n *tree.Node) bool {
		_, gone := p.gone[n.ID]
		return gone
	})
}

// budgets forgets lessons beyond the budget of a partition: those stay that stand
// for most cases that the ones before them do not (greedy maximum coverage), and
// of as many the one with the lower id.
func (p *pruner) budgets() {
	most := cmp.Or(p.o.Experiences, mostExperiences)
	parts := map[Partition][]*tree.Node{}
	for _, n := range p.open((*tree.Node).Live) {
		if n.Type == tree.Experience && n.Elsewhere == nil {
			parts[partitionOf(n)] = append(parts[partitionOf(n)], n)
		}
	}
	for _, list := range parts {
		if float64(len(list)) <= slack*float64(most) {
			continue
		}
		covered := map[string]bool{}
		for range most {
			best, gain := -1, -1
			for i, n := range list {
				if k := uncovered(n, covered); k > gain {
					best, gain = i, k
				}
			}
			for _, id := range list[best].Children {
				covered[id] = true
			}
			list = slices.Delete(list, best, best+1)
		}
		for _, n := range list {
			p.gone[n.ID] = Forgotten{Node: n.Clone(), Reason: OverBudget, Why: fmt.Sprintf("%d lessons of its kind cover more cases", most)}
		}
	}
}

func uncovered(n *tree.Node, covered map[string]bool) (k int) {
	for _, id := range n.Children {
		if !covered[id] {
			k++
		}
	}
	return k
}

// result turns what goes into changes: archived, and out of what it was part of.
func (p *pruner) result(revived []string) Pruned {
	out := Pruned{Forgotten: []Forgotten{}, Revived: revived, Changes: []tree.Change{}}
	for _, f := range p.gone {
		out.Forgotten = append(out.Forgotten, f)
	}
	order := []Reason{Harmful, Superseded, Unused, Thin, OverBudget}
	slices.SortFunc(out.Forgotten, func(a, b Forgotten) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Reason), slices.Index(order, b.Reason)),
			cmp.Compare(a.Node.ErrorType, b.Node.ErrorType), cmp.Compare(a.Node.ID, b.Node.ID))
	})
	for _, f := range out.Forgotten {
		n, _ := p.get(f.Node.ID)
		for _, c := range n.Children {
			p.free(c, n.ID)
		}
		for _, id := range append(slices.Clone(p.under[n.ID]), n.Parent) {
			p.without(id, n.ID)
		}
		n.Children, n.Parent, n.Status, n.ArchivedFor = []string{}, "", tree.Archived, string(f.Reason)+": "+f.Why
		p.put(n, tree.OpArchive, f.Why)
	}
	p.bereft()
	out.Changes = append(out.Changes, p.changes()...)
	return out
}

// free takes the parent from a node whose parent goes.
func (p *pruner) free(id, from string) {
	n, ok := p.get(id)
	if !ok || n.Parent != from {
		return
	}
	n.Parent = ""
	p.put(n, tree.OpAttach, "no longer part of "+from)
}

// without takes a child from a memory.
func (p *pruner) without(id, child string) {
	up, ok := p.get(id)
	if !ok || id == "" || !slices.Contains(up.Children, child) {
		return
	}
	up.Children = slices.DeleteFunc(slices.Clone(up.Children), func(c string) bool { return c == child })
	p.put(up, tree.OpRevise, "a part of it was archived")
}

// bereft retires strategies, and marked experiences, that nothing is left of.
func (p *pruner) bereft() {
	for _, t := range p.touched {
		if n := &t.node; n.Type != tree.Case && n.Live() && n.Elsewhere == nil && len(n.Children) == 0 {
			n.Status = tree.Retired
			t.op, t.why = tree.OpStatus, "nothing is left of it"
		}
	}
}
