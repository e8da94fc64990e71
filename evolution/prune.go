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
	Unused     Reason = "unused"     // never given, seen once, little trusted, a half-life old
	Thin       Reason = "thin"       // an experience with fewer than two live cases
	OverBudget Reason = "over_budget"
)

// What forgetting goes by.
const (
	halfLife      = 90 * 24 * time.Hour
	supersededFor = 30 * 24 * time.Hour
	littleTrust   = 0.6
	keptOfALesson = 3   // the most central case and the two farthest from it
	slack         = 1.2 // a budget is enforced from there, so that a full tree is not pruned at every evolve
)

// Budget is how many memories of an error type stay in use. A zero field has the
// default written beside it.
type Budget struct {
	Cases       int // 200
	Experiences int // 30; strategies are one a direction and need none
}

// PruneOptions say what to forget. The zero value works.
type PruneOptions struct {
	Only   string    // this error type alone
	Now    time.Time // evaluations from after it are not believed to be the newest; zero: all are
	Budget Budget
	Used   func(id string) bool    // whether a memory was ever given to a run; nil: as its counters say
	Keep   func(n *tree.Node) bool // what is not to be touched; nil: pinned and banned memories alone
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
	*planner
	o    PruneOptions
	gone map[string]Forgotten
}

// Prune says which memories to take out of use: archived with a reason, never
// deleted. Time is that of the newest evaluation. What a person marked, what is
// newer than its type's time window and, of an experience in use, the most
// central case and the two farthest from it stay; so does, over budget, what
// covers what others do not.
func (e *Evolver) Prune(ctx context.Context, v View, o PruneOptions) (Pruned, error) {
	s, err := e.read(ctx, v, o.Now)
	if err != nil {
		return Pruned{}, fmt.Errorf("read the tree: %w", err)
	}
	p := &pruner{planner: &planner{Evolver: e, survey: s, ctx: ctx, touched: map[string]*touch{}}, o: o, gone: map[string]Forgotten{}}
	p.settled(func(n *tree.Node) (Reason, string) { return p.harm(n) })
	p.settled(func(n *tree.Node) (Reason, string) { return p.replaced(n) })
	essential, err := p.essential()
	if err != nil {
		return Pruned{}, err
	}
	p.settled(func(n *tree.Node) (Reason, string) { return p.unused(n, essential) })
	p.settled(func(n *tree.Node) (Reason, string) { return p.thin(n) })
	if err := p.budgets(essential); err != nil {
		return Pruned{}, err
	}
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

// read is a survey without grouping: the nodes, and the newest time.
func (e *Evolver) read(ctx context.Context, v View, limit time.Time) (*survey, error) {
	s := &survey{nodes: map[string]*tree.Node{}, points: map[string]*point{}, before: map[string]*tree.Node{}}
	for n, err := range v.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return nil, err
		}
		s.nodes[n.ID] = &n
		if n.Type != tree.Case || !n.Live() {
			continue
		}
		if at := lastSeen(&n); at.After(s.now) && (limit.IsZero() || !at.After(limit)) {
			s.now = at
		}
	}
	return s, nil
}

// open are the nodes that may be forgotten still, sorted by id.
func (p *pruner) open(only func(*tree.Node) bool) []*tree.Node {
	var out []*tree.Node
	for _, n := range p.nodes {
		_, gone := p.gone[n.ID]
		if gone || n.Status == tree.Archived || n.Mark != tree.Unmarked || p.o.Only != "" && n.ErrorType != p.o.Only ||
			p.o.Keep != nil && p.o.Keep(n) || !only(n) {
			continue
		}
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
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

func (p *pruner) unused(n *tree.Node, essential map[string]bool) (Reason, string) {
	used := n.Metadata.UsageCount > 0 || p.o.Used != nil && p.o.Used(n.ID)
	confirmed := len(n.Occurrences) > 1 || n.Parent != ""
	if n.Type != tree.Case || !n.Live() || essential[n.ID] || used || confirmed || n.Content.Confidence >= littleTrust || p.age(n) <= halfLife {
		return "", ""
	}
	return Unused, fmt.Sprintf("never given to a run, seen once %d days ago, trusted %.2f", days(p.age(n)), n.Content.Confidence)
}

func (p *pruner) thin(n *tree.Node) (Reason, string) {
	if n.Type != tree.Experience || !n.Live() || n.Elsewhere != nil {
		return "", ""
	}
	if k := len(p.live(n)); k < 2 {
		return Thin, fmt.Sprintf("%d of its cases is in use", k)
	}
	return "", ""
}

// live are the cases of an experience that are in use and stay.
func (p *pruner) live(e *tree.Node) []*tree.Node {
	var out []*tree.Node
	for _, id := range e.Children {
		if _, gone := p.gone[id]; gone {
			continue
		}
		if n := p.nodes[id]; n != nil && n.Live() {
			out = append(out, n)
		}
	}
	return out
}

// essential are the cases that an experience in use cannot be without: the most
// central one and the two farthest from it.
func (p *pruner) essential() (map[string]bool, error) {
	out := map[string]bool{}
	for _, e := range p.lessons() {
		cases := p.live(e)
		if len(cases) > keptOfALesson {
			s, points, err := newSpace(p.ctx, p.boiler, p.Evolver.o.Embedder, cases)
			if err != nil {
				return nil, err
			}
			var kept []*tree.Node
			for _, x := range s.medoidFirst(points, keptOfALesson) {
				kept = append(kept, p.nodes[x.id])
			}
			cases = kept
		}
		for _, n := range cases {
			out[n.ID] = true
		}
	}
	return out, nil
}

// lessons are the experiences in use that stay, marked ones too.
func (p *pruner) lessons() []*tree.Node {
	var out []*tree.Node
	for _, n := range p.nodes {
		if _, gone := p.gone[n.ID]; !gone && n.Type == tree.Experience && n.Live() {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// budgets forgets what is beyond the budget of an error type and level.
func (p *pruner) budgets(essential map[string]bool) error {
	types := map[string]map[tree.Type][]*tree.Node{}
	for _, n := range p.open((*tree.Node).Live) {
		if n.Type != tree.Case && n.Elsewhere != nil {
			continue
		}
		if types[n.ErrorType] == nil {
			types[n.ErrorType] = map[tree.Type][]*tree.Node{}
		}
		types[n.ErrorType][n.Type] = append(types[n.ErrorType][n.Type], n)
	}
	b := p.o.Budget
	for kind, most := range map[tree.Type]int{tree.Case: cmp.Or(b.Cases, 200), tree.Experience: cmp.Or(b.Experiences, 30)} {
		for errorType, levels := range types {
			if list := levels[kind]; float64(len(list)) > slack*float64(most) {
				if err := p.cover(errorType, list, most, essential); err != nil {
					return err
				}
			}
		}
	}
	return nil
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
		if up, ok := p.get(n.Parent); ok && n.Parent != "" {
			up.Children = slices.DeleteFunc(slices.Clone(up.Children), func(c string) bool { return c == n.ID })
			p.put(up, tree.OpRevise, "a part of it was archived")
		}
		n.Children, n.Parent, n.Status, n.ArchivedFor = []string{}, "", tree.Archived, string(f.Reason)+": "+f.Why
		p.put(n, tree.OpArchive, f.Why)
	}
	p.bereft()
	p.changes()
	out.Changes = append(out.Changes, p.Changes...)
	return out
}

// bereft retires strategies that nothing is left of.
func (p *pruner) bereft() {
	for _, t := range p.touched {
		if n := &t.node; n.Type == tree.Strategy && n.Live() && n.Elsewhere == nil && len(n.Children) == 0 {
			n.Status = tree.Retired
			t.op, t.why = tree.OpStatus, "nothing is left of it"
		}
	}
}
