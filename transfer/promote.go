package transfer

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Waits reports whether n is an import on which no person has decided: neither promoted, nor banned or forgotten here.
// Undoing a ban lets the import wait again.
func Waits(n *tree.Node) bool { return unpromoted(n) && !n.Entombed() }

// unpromoted reports whether n has the status of an import that was not promoted, banned or not.
func unpromoted(n *tree.Node) bool {
	return n.Status == tree.Quarantined && n.Provenance.By == byImport
}

// PromoteOptions selects imports to release from quarantine: those whose id is in IDs, and those that have the
// ErrorType and the Origin, as far as these two are set. The zero value selects none.
type PromoteOptions struct {
	IDs       []string
	ErrorType string
	Origin    string // id or label of the tree in which the imports were created
	DryRun    bool   // return the changes and write nothing
	By        string // name of the person who decides; "" if unknown
}

// names reports whether a node is selected.
func (o *PromoteOptions) names(n *tree.Node) bool {
	named := o.ErrorType != "" || o.Origin != ""
	ofType := o.ErrorType == "" || n.ErrorType == o.ErrorType
	ofOrigin := o.Origin == "" || n.Origin.ID == o.Origin || n.Origin.Label == o.Origin
	return named && ofType && ofOrigin || slices.Contains(o.IDs, n.ID)
}

// Promotion is the changes that release imports from quarantine, and the imports that cannot be released.
type Promotion struct {
	Changes []tree.Change `json:"changes"` // changes of released imports, sorted by id
	Refused []tree.Node   `json:"refused"` // imports without support here, or out of use in their own tree; by id
}

// Promote returns the changes that release from quarantine the imports that o selects. With an experience or strategy
// it also releases the imports below it that are not out of use. waiting is all imports in quarantine, by id, as
// Waiting returns them.
func Promote(waiting map[string]tree.Node, o PromoteOptions) Promotion {
	out := Promotion{Changes: []tree.Change{}, Refused: []tree.Node{}}
	by := cmp.Or(o.By, "person")
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
		if n := waiting[id]; o.names(&n) {
			bring(id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(take)) {
		n := waiting[id]
		basis := n.Revision
		n = n.Clone()
		n.Status = tree.Probation
		if n.ArchivedFor != "" || tree.Check(&n) != nil {
			out.Refused = append(out.Refused, waiting[id])
			continue
		}
		const why = "promoted from quarantine: on probation from now on"
		out.Changes = append(out.Changes, tree.NewChange(tree.OpStatus, n, basis, by, why))
	}
	return out
}

// Displace adapts changes of this tree. Some of them add a node under an id that an import in quarantine has already;
// in the result the new node replaces the import. Displace appends changes to the other imports in quarantine: an
// import loses its parent if the changed parent does not have it as a child, and a changed child if error type or
// direction do not fit.
//
// taken has the imports to replace, by id, and waiting all imports in quarantine.
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

// letGo cuts the links of waiting imports to nodes that are ours now, unless both sides agree.
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
