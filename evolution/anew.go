package evolution

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// Anew returns the changes to apply before Plan if a person decided on memories since the tree last evolved. For each
// such memory that is a case, the changes retire the lessons that rest on the case or are about a check that it missed,
// and the strategies of their partitions. Plan then writes these again from the present cases, so that the tree becomes
// what it would be if it had never contained a case that is out of use. A lesson that a person pinned or wrote stays:
// it loses a case that is out of use, and is retired with its last case.
//
// If only is not "", Anew considers only memories of this error type, and only cases without a miss of another type.
func (e *Evolver) Anew(ctx context.Context, v Scanner, only string) ([]tree.Change, error) {
	s, err := e.survey(ctx, v, time.Time{})
	if err != nil {
		return nil, fmt.Errorf("read the tree: %w", err)
	}
	var said []*tree.Node
	for _, n := range s.nodes {
		if n.Decision != nil && n.Decision.Fresh && (only == "" || concerns(n, only)) {
			said = append(said, n)
		}
	}
	byID(said)
	return e.anew(s, said), nil
}

// anew plans for memories that a person decided on.
func (e *Evolver) anew(s *survey, said []*tree.Node) []tree.Change {
	if len(said) == 0 {
		return nil
	}
	a := &anew{
		e: e, edits: s.edits(), strategies: map[Partition]bool{},
		why: "a person said something of a case that it is about",
	}
	for _, n := range said {
		if n.Type == tree.Case {
			a.unlearn(n)
		}
		if c, ok := a.get(n.ID); ok {
			c.Decision.Fresh = false
			a.put(c, tree.OpStatus, "the tree evolves with what a person said")
		}
	}
	a.retireStrategies()
	return a.changes()
}

type anew struct {
	e *Evolver
	*edits
	strategies map[Partition]bool // whose strategies are learned again
	why        string             // why lessons are learned again
}

func (a *anew) retireStrategies() {
	for _, n := range a.survey.live(tree.Strategy) {
		if a.strategies[partitionOf(n)] && !n.Kept() && !n.StandsAlone() {
			a.retire(n)
		}
	}
}

// concerns reports whether a memory is of an error type and, of a case, no miss is of another.
func concerns(n *tree.Node, errorType string) bool {
	return n.ErrorType == errorType && (n.CaseData == nil ||
		!slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool { return m.ErrorType != errorType }))
}

// unlearn retires the lessons that a case affects.
func (a *anew) unlearn(n *tree.Node) {
	if n.CaseData == nil {
		return
	}
	a.strategies[partitionOf(n)] = true
	for _, m := range n.CaseData.Misses {
		a.strategies[Partition{m.ErrorType, n.Direction}] = true
	}
	for _, x := range a.survey.live(tree.Experience) {
		stands := slices.Contains(x.Children, n.ID) || slices.Contains(x.Provenance.Cites, n.ID)
		if !stands && !a.about(x, n) {
			continue
		}
		a.strategies[partitionOf(x)] = true
		switch {
		case !x.Kept() && !x.StandsAlone():
			a.retire(x)
		case stands && (!n.Live() || n.CaseData.Denies(x.Content.Lessons)):
			a.release(x.ID, n.ID)
		}
	}
}

// about reports whether an experience is about a check that a case missed, or a wider one, to which the case would be
// lent. Where no check is known, cases of a partition may be of one group.
func (a *anew) about(x, n *tree.Node) bool {
	if x.Direction != n.Direction || x.StandsAlone() {
		return false
	}
	checks := checksOf(n)
	if about := n.CaseData.About; about != nil {
		for _, check := range about.Not {
			checks[check] = true
		}
	}
	kind := kindOf(x)
	if kind == "" || len(checks) == 0 {
		return kind == "" && len(checks) == 0 && partitionOf(x) == partitionOf(n)
	}
	for check := range checks {
		if check == kind || a.e.isKindOf(check, kind) {
			return true
		}
	}
	return false
}

// retire takes a lesson out of use. Its children lose their parent.
func (a *anew) retire(x *tree.Node) {
	n, _ := a.get(x.ID)
	for _, id := range n.Children {
		a.clearParent(id, n.ID)
	}
	if up, ok := a.get(n.Parent); ok && n.Parent != "" {
		up.Children = without(up.Children, n.ID)
		a.put(up, tree.OpRevise, "a part of it is learned anew")
		if len(up.Children) == 0 && up.Live() && !up.StandsAlone() {
			up.Status = tree.Retired
			a.put(up, tree.OpStatus, "nothing is left of it")
		}
	}
	n.Children, n.Parent, n.Status = []string{}, "", tree.Retired
	a.put(n, tree.OpStatus, a.why+"; it is learned anew")
}

// release removes a case from a lesson that stays.
func (a *anew) release(id, of string) {
	n, _ := a.get(id)
	n.Children, n.Provenance.Cites = without(n.Children, of), without(n.Provenance.Cites, of)
	n.Provenance.Left, n.Provenance.Lost = without(n.Provenance.Left, of), without(n.Provenance.Lost, of)
	for i := range n.Content.Lessons {
		n.Content.Lessons[i].Cites = without(n.Content.Lessons[i].Cites, of)
	}
	if len(n.Children) == 0 && !n.StandsAlone() {
		n.Status = tree.Retired
	}
	a.put(n, tree.OpRevise, "a person took a case back that it stood on")
	a.clearParent(of, id)
}

func without(list []string, id string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == id })
}
