package evolution

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// A cause that several cases share says more about their error type than the
// cues in one of them. So before the tree is partitioned, cases that the rules
// typed take the type of the group they fall into across types, if most of it
// that has a type has that one, be it one case. Cases typed by a model or a person vote and
// keep theirs, and so do cases an experience stands on.
const (
	leastShare   = 0.6
	retypeRounds = 4 // the scales are measured across partitions, so they may change
)

func (e *Evolver) retype(s *survey, points []*point) {
	for range retypeRounds {
		changed := false
		for _, d := range []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail, taxonomy.Other} {
			var part []*point
			for _, p := range points {
				if p.partition.Direction == d {
					part = append(part, p)
				}
			}
			for _, c := range s.space.components(part) {
				if !slices.ContainsFunc(c.points, func(p *point) bool { return open(s.nodes[p.id]) }) {
					continue
				}
				for _, g := range s.space.cluster(c) {
					changed = e.vote(s, g) || changed
				}
			}
		}
		if !changed {
			return
		}
		s.space.calibrate(points)
	}
}

// vote gives the cases of a group the type that most of them have.
func (e *Evolver) vote(s *survey, g *group) bool {
	votes, all := map[string]int{}, 0
	for _, p := range g.points {
		if t := p.partition.ErrorType; t != taxonomy.OtherError {
			votes[t]++
			all++
		}
	}
	winner := ""
	for t, n := range votes {
		if float64(n) >= leastShare*float64(all) {
			winner = t
		}
	}
	kind, known := e.o.Taxonomy.ErrorType(winner)
	if !known {
		return false
	}
	changed := false
	for _, p := range g.points {
		n := s.nodes[p.id]
		if n.ErrorType == winner || !open(n) {
			continue
		}
		if s.before[p.id] == nil {
			s.before[p.id] = n
		}
		was, _ := e.o.Taxonomy.ErrorType(n.ErrorType)
		c := n.Clone()
		reword(&c, was, kind)
		s.nodes[p.id] = &c
		p.partition.ErrorType = winner
		changed = true
	}
	return changed
}

// open reports whether a vote may set the type of a case.
func open(n *tree.Node) bool { return n.Provenance.Analyst == "rules" && n.Parent == "" }

// reword replaces what the old type put into the words of a case.
func reword(n *tree.Node, was, is taxonomy.ErrorType) {
	n.ErrorType = is.ID
	swap := func(s, old, fresh string) string {
		if old == "" || fresh == "" {
			return s
		}
		return strings.Replace(s, old, fresh, 1)
	}
	for _, lang := range []string{"en", "zh"} {
		d := n.CaseData
		d.ErrorReason = swap(d.ErrorReason, was.Description.In(lang), is.Description.In(lang))
		d.AvoidanceHint = swap(d.AvoidanceHint, was.Checklist.In(lang), is.Checklist.In(lang))
		n.Content.Guidance = swap(n.Content.Guidance, was.Checklist.In(lang), is.Checklist.In(lang))
	}
	old := was.Name.In(n.Lang)
	if was.ID == taxonomy.OtherError {
		old = n.Direction.Name().In(n.Lang)
	}
	if rest, ok := strings.CutPrefix(n.Content.Title, old); ok {
		n.Content.Title = text.Clip(is.Name.In(n.Lang)+rest, maxTitle)
	}
}

// retypes notes the cases that came into this partition.
func (w *planner) retypes() {
	for _, n := range w.cases {
		if was := w.before[n.ID]; was != nil {
			w.put(n.Clone(), tree.OpRevise, "typed like the cases of its cause; it was "+was.ErrorType)
		}
	}
	slices.SortFunc(w.cases, func(a, b *tree.Node) int { return strings.Compare(a.ID, b.ID) })
}
