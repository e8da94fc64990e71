package transfer

import (
	"maps"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Promote lets the nodes that want chooses out of waiting, by id all the imports
// that wait, and with an abstraction what it rests on. Refused is what rests on
// nothing, or is out of use where it comes from (ArchivedFor). Both are sorted by id.
func Promote(waiting map[string]tree.Node, want func(*tree.Node) bool, by string) (changes []tree.Change, refused []tree.Node) {
	if by == "" {
		by = "person"
	}
	take := map[string]bool{}
	var bring func(id string)
	bring = func(id string) {
		n, ok := waiting[id]
		if !ok || take[id] {
			return
		}
		take[id] = true
		for _, c := range n.Children {
			if waiting[c].ArchivedFor == "" {
				bring(c)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(waiting)) {
		if n := waiting[id]; want(&n) {
			bring(id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(take)) {
		n := waiting[id]
		basis := n.Revision
		n = n.Clone()
		n.Status = tree.Probation
		if n.ArchivedFor != "" || tree.Check(&n) != nil {
			refused = append(refused, waiting[id])
			continue
		}
		changes = append(changes, tree.NewChange(tree.OpStatus, n, basis, by, "promoted from quarantine: on probation from now on"))
	}
	return changes, refused
}

// Displace makes changes that add nodes into changes that take the place of the
// imports in taken, and adds what the other imports that wait lose by changes: a
// node that was learned here or has another error type now.
func Displace(changes []tree.Change, taken, waiting map[string]tree.Node) []tree.Change {
	out := make([]tree.Change, 0, len(changes)+len(taken))
	ours := map[string]*tree.Node{}
	for _, c := range changes {
		rebased := c
		for id := range taken {
			if _, ok := c.Basis[id]; !ok {
				continue
			}
			if id == c.Node.ID {
				op := c.Op
				if op == tree.OpAdd {
					op = tree.OpRevise
				}
				rebased = tree.NewChange(op, c.Node, c.Basis[id]+taken[id].Revision, c.By, c.Why)
			}
		}
		for id, revision := range c.Basis {
			if id != c.Node.ID {
				rebased = rebased.On(id, revision+taken[id].Revision) // 0 where it is not taken
			}
		}
		out = append(out, rebased)
		ours[c.Node.ID] = &out[len(out)-1].Node
	}
	return append(out, letGo(ours, taken, waiting)...)
}

// letGo cuts the links between imports that wait and nodes that are ours now.
func letGo(ours map[string]*tree.Node, taken, waiting map[string]tree.Node) []tree.Change {
	var out []tree.Change
	for _, id := range slices.Sorted(maps.Keys(waiting)) {
		if _, ok := taken[id]; ok {
			continue
		}
		n := waiting[id]
		before := n
		n = n.Clone()
		if above := ours[n.Parent]; above != nil && !slices.Contains(above.Children, id) {
			n.Parent = ""
		}
		n.Children = slices.DeleteFunc(n.Children, func(c string) bool {
			return ours[c] != nil && (!ours[c].Concerns(n.ErrorType) || ours[c].Direction != n.Direction)
		})
		if n.Parent == before.Parent && len(n.Children) == len(before.Children) {
			continue
		}
		out = append(out, tree.NewChange(tree.OpRevise, n, before.Revision, "transfer", "what it named was learned here"))
	}
	return out
}
