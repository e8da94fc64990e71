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

// ForgetReason is why Prune takes a memory out of use.
type ForgetReason string

// The reasons, in the order in which Prune applies them.
const (
	Harmful    ForgetReason = "harmful"     // a memory in quarantine, without new evidence for 90 days
	Superseded ForgetReason = "superseded"  // a memory retired or replaced, without new evidence for 30 days
	Unused     ForgetReason = "unused"      // a case seen once, over 90 days ago, that no run received although many could
	Thin       ForgetReason = "thin"        // an experience with fewer than two cases in use
	OverBudget ForgetReason = "over_budget" // an experience of a partition with too many: the others cover more cases
)

// The limits of the rules.
const (
	halfLife      = 90 * 24 * time.Hour
	supersededFor = 30 * 24 * time.Hour
	littleTrust   = 0.6 // a confidence below it is low
	enoughChances = 20  // queries that a case could have served; with fewer it is not treated as unused
	slack         = 1.2 // a budget may be exceeded by this factor, so that a full tree is not pruned each time
)

// mostExperiences is how many experiences of a partition stay in use. Cases have no
// budget, because the index can hold a million of them.
const mostExperiences = 30

// PruneOptions limits which memories Prune takes out of use. The zero value works.
type PruneOptions struct {
	DryRun      bool   // Memory.Prune applies nothing
	Only        string // only memories of this error type; "" for all
	Experiences int    // how many experiences of a partition stay in use; 0: 30
}

// PruneInput is what Prune needs beside the nodes of the tree. The zero value works.
type PruneInput struct {
	Now     time.Time               // ages count to the newest evaluation not after Now; zero: to the newest of all
	Used    func(id string) bool    // whether any run received a memory; nil: only Metadata.UsageCount is considered
	Chances func(n *tree.Node) int  // number of requests that could have received a case; nil: no case is Unused
	Keep    func(n *tree.Node) bool // whether a memory must stay, even if no person marked it; nil: none must
}

// Forgotten is a memory that Prune takes out of use.
type Forgotten struct {
	Node   tree.Node    `json:"node"` // as it was before
	Reason ForgetReason `json:"reason"`
	Why    string       `json:"why"` // a sentence
}

// Pruned is the result of Prune: the changes to apply, and what they do.
type Pruned struct {
	Forgotten []Forgotten   `json:"forgotten"` // sorted by reason, error type and id
	Revived   []string      `json:"revived"`   // ids of cases taken back into use because they recurred, sorted
	Changes   []tree.Change `json:"changes"`   // apply all together or none
}

// pruner works on a copy of the tree.
type pruner struct {
	*edits
	rules ruleBook
	o     PruneOptions
	known PruneInput
	gone  map[string]Forgotten // by id: the memories forgotten so far
	under map[string][]string  // by case id: the experiences that have the case
}

// Prune returns the changes that take memories of v out of use. They archive memories with a reason and delete
// nothing. Ages count up to the newest evaluation.
//
// Age or number alone is no reason to archive a case in use. Prune archives a case of low confidence that occurred
// once, over 90 days ago, and belongs to no experience, if no run received it although many could have. If a partition
// has too many experiences, Prune leaves in use those that together cover most cases. A memory that a person marked
// stays. If the mistake of a case that was archived as unused is made again, Prune takes the case back into use.
func (e *Evolver) Prune(ctx context.Context, v Scanner, o PruneOptions, known PruneInput) (Pruned, error) {
	s, err := e.survey(ctx, v, known.Now)
	if err != nil {
		return Pruned{}, fmt.Errorf("read the tree: %w", err)
	}
	p := &pruner{
		edits: s.edits(), rules: e.rules, o: o, known: known,
		gone: map[string]Forgotten{}, under: parents(s.live(tree.Experience)),
	}
	p.forgetIf(p.harm)
	p.forgetIf(p.replaced)
	p.forgetIf(p.unused)
	p.forgetIf(p.thin) // after unused, because it counts the remaining cases
	p.budgets()
	return p.result(p.revive()), nil
}

// revive takes cases back into use that were forgotten as unused or over budget and whose last mistake lies within the
// time window. It returns their ids, sorted.
func (p *pruner) revive() []string {
	ids := []string{}
	for _, n := range p.nodes {
		forgotten := strings.HasPrefix(n.ArchivedFor, string(Unused)+": ") ||
			strings.HasPrefix(n.ArchivedFor, string(OverBudget)+": ")
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

// candidates returns the nodes that may still be forgotten and that only accepts,
// sorted by id.
func (p *pruner) candidates(only func(*tree.Node) bool) []*tree.Node {
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

// forgetIf forgets each candidate for which a rule returns a reason.
func (p *pruner) forgetIf(rule func(*tree.Node) (ForgetReason, string)) {
	for _, n := range p.candidates(func(*tree.Node) bool { return true }) {
		if r, why := rule(n); r != "" {
			p.gone[n.ID] = Forgotten{Node: n.Clone(), Reason: r, Why: why}
		}
	}
}

func (p *pruner) age(n *tree.Node) time.Duration { return max(0, p.now.Sub(lastSeen(n))) }

func days(d time.Duration) int { return int(d.Hours() / 24) }

func (p *pruner) harm(n *tree.Node) (ForgetReason, string) {
	if n.Status != tree.Quarantined || p.age(n) <= halfLife {
		return "", ""
	}
	return Harmful, fmt.Sprintf("kept from use as doing harm; its last evidence is %d days old", days(p.age(n)))
}

func (p *pruner) replaced(n *tree.Node) (ForgetReason, string) {
	if n.SupersededBy == "" && n.Status != tree.Retired || p.age(n) <= supersededFor {
		return "", ""
	}
	if n.SupersededBy != "" {
		return Superseded, fmt.Sprintf("replaced by %s; its last evidence is %d days old", n.SupersededBy, days(p.age(n)))
	}
	return Superseded, fmt.Sprintf("out of use; its last evidence is %d days old", days(p.age(n)))
}

func (p *pruner) unused(n *tree.Node) (ForgetReason, string) {
	used := n.Metadata.UsageCount > 0 || p.known.Used != nil && p.known.Used(n.ID)
	confirmed := len(n.Occurrences) > 1 || len(p.under[n.ID]) > 0
	if n.Type != tree.Case || !n.Live() || used || confirmed || n.Content.Confidence >= littleTrust ||
		p.age(n) <= halfLife || p.known.Chances == nil {
		return "", ""
	}
	k := p.known.Chances(n)
	if k < enoughChances {
		return "", ""
	}
	return Unused, fmt.Sprintf("given to none of %d queries it could have served, seen once %d days ago, trusted %.2f",
		k, days(p.age(n)), n.Content.Confidence)
}

func (p *pruner) thin(n *tree.Node) (ForgetReason, string) {
	if n.Type != tree.Experience || !n.Live() || n.StandsAlone() {
		return "", ""
	}
	if k := len(p.standing(n)); k < leastKept {
		return Thin, fmt.Sprintf("%d of its cases is in use", k)
	}
	return "", ""
}

// standing returns the live cases of an experience that are not forgotten now.
func (p *pruner) standing(e *tree.Node) []*tree.Node {
	return slices.DeleteFunc(p.survey.standing(e), func(n *tree.Node) bool {
		_, gone := p.gone[n.ID]
		return gone
	})
}

// budgets forgets lessons of a partition that has too many. It selects those to keep by greedy maximum coverage:
// repeatedly the lesson with most cases that no selected lesson has; on a tie, that with the lower id.
func (p *pruner) budgets() {
	most := cmp.Or(p.o.Experiences, mostExperiences)
	parts := map[Partition][]*tree.Node{}
	for _, n := range p.candidates((*tree.Node).Live) {
		if n.Type == tree.Experience && !n.StandsAlone() {
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
			why := fmt.Sprintf("%d lessons of its kind cover more cases", most)
			p.gone[n.ID] = Forgotten{Node: n.Clone(), Reason: OverBudget, Why: why}
		}
	}
}

// uncovered returns the number of children of a lesson that are not covered.
func uncovered(n *tree.Node, covered map[string]bool) (k int) {
	for _, id := range n.Children {
		if !covered[id] {
			k++
		}
	}
	return k
}

// result makes the changes: each forgotten memory is archived, its children lose their parent, and the memories that
// list it lose a child.
func (p *pruner) result(revived []string) Pruned {
	out := Pruned{Forgotten: []Forgotten{}, Revived: revived, Changes: []tree.Change{}}
	for _, f := range p.gone {
		out.Forgotten = append(out.Forgotten, f)
	}
	order := []ForgetReason{Harmful, Superseded, Unused, Thin, OverBudget}
	slices.SortFunc(out.Forgotten, func(a, b Forgotten) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Reason), slices.Index(order, b.Reason)),
			cmp.Compare(a.Node.ErrorType, b.Node.ErrorType), cmp.Compare(a.Node.ID, b.Node.ID))
	})
	for _, f := range out.Forgotten {
		n, _ := p.get(f.Node.ID)
		for _, c := range n.Children {
			p.clearParent(c, n.ID)
		}
		for _, id := range append(slices.Clone(p.under[n.ID]), n.Parent) {
			p.removeChild(id, n.ID)
		}
		n.Children, n.Parent, n.Status, n.ArchivedFor = []string{}, "", tree.Archived, string(f.Reason)+": "+f.Why
		p.put(n, tree.OpArchive, f.Why)
	}
	p.retireEmpty()
	out.Changes = append(out.Changes, p.changes()...)
	return out
}

// removeChild removes a child from a memory.
func (p *pruner) removeChild(id, child string) {
	up, ok := p.get(id)
	if !ok || id == "" || !slices.Contains(up.Children, child) {
		return
	}
	up.Children = without(up.Children, child)
	p.put(up, tree.OpRevise, "a part of it was archived")
}

// retireEmpty retires strategies and marked experiences that have lost all children.
func (p *pruner) retireEmpty() {
	for _, t := range p.touched {
		if n := &t.node; n.Type != tree.Case && n.Live() && !n.StandsAlone() && len(n.Children) == 0 {
			n.Status = tree.Retired
			t.op, t.why = tree.OpStatus, "nothing is left of it"
		}
	}
}
