package curation

import (
	"context"
	"slices"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// lose updates Provenance.Lost of the lessons and strategies that depend on the cases of an action, so that a lesson
// that would not have been learned without them is not injected. The next evolution writes these lessons again.
func (c *Curation) lose(ctx context.Context, p *plan) error {
	cases := map[string]*tree.Node{}
	for i := range p.batch.Changes {
		if n := &p.batch.Changes[i].Node; n.Type == tree.Case && p.act.About(n.ID) {
			cases[n.ID] = n
		}
	}
	if len(cases) == 0 {
		return nil
	}
	was := map[string]*tree.CaseData{} // cases before the action, if it is an about
	for _, b := range p.act.Before {
		was[b.ID] = b.Case
	}
	for _, level := range []int{tree.Experience.Level(), tree.Strategy.Level()} {
		for n, err := range c.door.Tree.Scan(ctx, store.Filter{Level: level}) {
			if err != nil {
				return err
			}
			linked := slices.ContainsFunc(n.Children, func(id string) bool { return cases[id] != nil })
			if !linked && (!n.Live() || c.door.Waits(&n)) {
				continue // out of use: unchanged, unless it is linked to a changed case
			}
			lost := c.lostOf(&n, cases, was)
			if !slices.Equal(lost, n.Provenance.Lost) {
				n.Provenance.Lost = lost
				p.change(tree.OpAttach, n, "a person said something of its cases")
			}
		}
	}
	return nil
}

// lostOf returns the cases that a lesson or strategy lost, given the changed cases.
func (c *Curation) lostOf(n *tree.Node, cases map[string]*tree.Node, was map[string]*tree.CaseData) []string {
	on := slices.Concat(n.Children, n.Provenance.Cites)
	for _, l := range n.Content.Lessons {
		on = append(on, l.Cites...)
	}
	lost := slices.Clone(n.Provenance.Lost)
	for _, id := range slices.Compact(slices.Sorted(slices.Values(on))) {
		k := cases[id]
		if k == nil {
			continue
		}
		at, noted := slices.BinarySearch(lost, id)
		has := missedAny(k.CaseData, n.Content.Lessons)
		gone := !k.Live() || k.CaseData.Denies(n.Content.Lessons) || !has && missedAny(was[id], n.Content.Lessons)
		switch {
		case gone && !noted:
			lost = slices.Insert(lost, at, id)
		case !gone && noted && has:
			lost = slices.Delete(lost, at, at+1)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return lost
}

// missedAny reports whether a case, which may be nil, has a miss of a check of the lessons. A lesson without a check
// matches every case.
func missedAny(d *tree.CaseData, lessons []tree.Lesson) bool {
	return d != nil && slices.ContainsFunc(lessons, func(l tree.Lesson) bool {
		return l.Kind == "" || slices.ContainsFunc(d.Misses, func(m tree.Miss) bool { return m.Check == l.Kind })
	})
}
