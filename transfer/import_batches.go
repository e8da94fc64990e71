package transfer

import (
	"fmt"
	"iter"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Batches yields the changes of the plan in lists, each of which can be committed by itself: nodes that refer to each
// other are in one list. A list has about size bytes of nodes, more only if such nodes have more. Call Batches after
// Plan.
func (p *Planner) Batches(size int) iter.Seq2[[]tree.Change, error] {
	return func(yield func([]tree.Change, error) bool) {
		for _, ids := range p.families(size) {
			out := make([]tree.Change, 0, len(ids))
			for _, id := range ids {
				c, err := p.change(id)
				if err != nil {
					yield(nil, err)
					return
				}
				out = append(out, c)
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// change returns the change of one draft, with the body from the temporary file.
func (p *Planner) change(id string) (tree.Change, error) {
	d := p.drafts[id]
	n, err := p.bodies.get(d.body)
	if err != nil {
		return tree.Change{}, fmt.Errorf("plan the import: %w", err)
	}
	n.Status, n.Parent, n.Children = d.status, d.links.parent, d.links.children
	if d.basis == 0 {
		return tree.NewChange(tree.OpAdd, n, 0, "transfer", "imported"), nil
	}
	return tree.NewChange(tree.OpRevise, n, d.basis, "transfer", "merged with an import"), nil
}

// families divides the ids that change into lists. It considers only links to other ids that change.
func (p *Planner) families(size int) [][]string {
	changed := make(map[string]bool, len(p.changed))
	for _, id := range p.changed {
		changed[id] = true
	}
	return families(p.changed, size,
		func(id string) []string {
			d := p.drafts[id]
			return slices.DeleteFunc(append([]string{d.links.parent}, d.links.children...), func(k string) bool {
				return !changed[k]
			})
		},
		func(id string) int { return p.drafts[id].body.size })
}

// changeFamilies divides changes into lists as Batches does.
func changeFamilies(changes []tree.Change, size int) [][]tree.Change {
	at := make(map[string]int, len(changes))
	ids := make([]string, len(changes))
	for i := range changes {
		ids[i] = changes[i].Node.ID
		at[ids[i]] = i
	}
	kin := func(id string) []string {
		n := &changes[at[id]].Node
		return slices.DeleteFunc(append([]string{n.Parent}, n.Children...), func(k string) bool {
			_, ours := at[k]
			return !ours
		})
	}
	var out [][]tree.Change
	for _, family := range families(ids, size, kin, func(id string) int { return len(spelled(&changes[at[id]].Node)) }) {
		list := make([]tree.Change, len(family))
		for i, id := range family {
			list[i] = changes[at[id]]
		}
		out = append(out, list)
	}
	return out
}

// families divides ids into lists of about size bytes, with all related ids in one list. It finds the families by
// union-find; root is the parent of each id in its tree.
func families(ids []string, size int, kin func(string) []string, bytes func(string) int) [][]string {
	root := make(map[string]string, len(ids))
	for _, id := range ids {
		root[id] = id
	}
	find := func(id string) string {
		for root[id] != id {
			root[id] = root[root[id]]
			id = root[id]
		}
		return id
	}
	for _, id := range ids {
		for _, k := range kin(id) {
			root[find(id)] = find(k)
		}
	}
	members, order := map[string][]string{}, []string{}
	for _, id := range ids {
		r := find(id)
		if members[r] == nil {
			order = append(order, r)
		}
		members[r] = append(members[r], id)
	}
	var out [][]string
	full := 0
	for _, r := range order {
		more := 0
		for _, id := range members[r] {
			more += bytes(id) + 512 // for the parts of a change beside its node
		}
		if len(out) == 0 || full+more > size {
			out, full = append(out, nil), 0
		}
		full += more
		out[len(out)-1] = append(out[len(out)-1], members[r]...)
	}
	return out
}
