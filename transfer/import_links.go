package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// draftRetyped drafts the abstractions of this tree that have a child whose error type the import changes.
// keepChildren then removes the child.
func (p *Planner) draftRetyped(ctx context.Context) error {
	moved := map[string]bool{}
	for id, d := range p.drafts {
		if d.basis > 0 && d.was.errorType != d.errorType {
			moved[id] = true
		}
	}
	if len(moved) == 0 {
		return nil
	}
	for _, level := range []int{2, 3} {
		for n, err := range p.view.Scan(ctx, store.Filter{Level: level}) {
			if err != nil {
				return fmt.Errorf("plan the import: %w", err)
			}
			if p.drafts[n.ID] != nil || !slices.ContainsFunc(n.Children, func(c string) bool { return moved[c] }) {
				continue
			}
			news, here := fresh(&n), canonical(n)
			if news {
				here.Decision.Fresh = true
			}
			if err := p.draft(&here, &here, n.Revision, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// linksAfter returns the links of a node after the import; nil for a node that will not exist.
func (p *Planner) linksAfter(ctx context.Context, id string) (*links, error) {
	if d := p.drafts[id]; d != nil {
		return &d.links, nil
	}
	n, err := p.view.Get(ctx, id)
	if errors.Is(err, tree.ErrNotFound) {
		return nil, nil //nolint:nilnil // absence is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("plan the import: read %s: %w", id, err)
	}
	l := linksOf(&n)
	return &l, nil
}

// keepChildren removes the children that the laws do not allow. An abstraction in use that has no child left is
// retired.
func (p *Planner) keepChildren(ctx context.Context, d *draft) error {
	kept := make([]string, 0, len(d.links.children))
	for _, id := range d.links.children {
		k, err := p.linksAfter(ctx, id)
		if err != nil {
			return err
		}
		if k != nil && k.level == d.level-1 && slices.Contains(k.concerns, d.errorType) && k.direction == d.direction {
			kept = append(kept, id)
		}
	}
	d.links.children = kept
	alive := tree.Node{Status: d.status, Mark: d.mark}
	if len(kept) == 0 && !d.elsewhere && !d.replaced && alive.Live() {
		d.status, d.note = tree.Retired, WhyNothing
	}
	return nil
}

// keepParent chooses the parent of a node among the candidates that will have it as a child, and that nobody refused: a
// ban takes the parts away from a memory, and a file does not give them back. Of several it chooses the one that sorts
// last, as merge does.
func (p *Planner) keepParent(ctx context.Context, id string, d *draft) error {
	slices.Sort(d.parents)
	slices.Reverse(d.parents)
	d.links.parent = ""
	for _, candidate := range slices.Compact(d.parents) {
		above, err := p.linksAfter(ctx, candidate)
		if err != nil {
			return err
		}
		if above != nil && !above.refused && above.level == d.level+1 && slices.Contains(above.children, id) {
			d.links.parent = candidate
			return nil
		}
	}
	return nil
}

// classify sets the class of a draft, and adds it to the plan unless it is unchanged.
func (p *Planner) classify(id string, d *draft) {
	unchanged := d.basis != 0 && d.same && d.links.equal(d.was)
	class := Newer
	switch {
	case d.over != "":
		class, d.note = Held, d.over
	case d.basis == 0:
		class = New
	case unchanged && !d.came:
		return
	case unchanged:
		class = Same
	case len(d.conflicts) > 0:
		class = Conflicting
	}
	if p.plan.Counts[class]++; class != Same {
		p.plan.Items = append(p.plan.Items, NodePlan{ID: id, Type: d.kind, ErrorType: d.errorType, Class: class,
			Says: d.says, Why: d.note, Conflicts: d.conflicts})
	}
	if !unchanged {
		p.changed = append(p.changed, id)
	}
}
