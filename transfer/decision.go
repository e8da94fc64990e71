package transfer

import (
	"cmp"
	"context"
	"fmt"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// weight orders two versions of a node by whose texts merge prefers, before it compares their times: a version with
// texts over a tombstone, and a later edit by a person over an earlier or none.
func weight(a, b *tree.Node) int {
	return cmp.Or(body(a)-body(b), a.Provenance.At.Compare(b.Provenance.At))
}

// body returns 1 for a node with texts, 0 for a tombstone.
func body(n *tree.Node) int {
	if n.Buried() {
		return 0
	}
	return 1
}

// saidLast returns the version of a node that decides its status: that with the later decision of a person, or with
// the same decision the one with the preferred status.
func saidLast(a, b *tree.Node) *tree.Node {
	if !sameWord(a.Decision, b.Decision) {
		if b.Decision.Later(a.Decision) {
			return b
		}
		return a
	}
	if cmp.Or(stood(b)-stood(a), compareStatus(b, a)) > 0 {
		return b
	}
	return a
}

// stood is 0 for the status of a banned memory of which only the tombstone is known, and 1 for a status that it had in
// a tree. A merge keeps the latter, to which an undo can return. stood must not check whether the version has a body:
// the merge of a tombstone with a version from before the ban has one, and still the status of the tombstone.
func stood(n *tree.Node) int {
	if n.Decision.Is(tree.DecisionBan) && n.Status == tree.Archived && n.ArchivedFor == tree.BuriedFor {
		return 0
	}
	return 1
}

// sameWord reports whether two decisions are the same.
func sameWord(a, b *tree.Decision) bool { return !a.Later(b) && !b.Later(a) }

// entomb returns the exported form of a node: a tombstone where a person had it forgotten or banned.
func entomb(n tree.Node) tree.Node {
	if !n.Entombed() || n.Buried() {
		return n
	}
	return tree.Tombstone(&n)
}

// The values of NodePlan.Why for a node that a person's decision, here or elsewhere, keeps out.
const (
	WhyForgotten = "a person had it forgotten here"
	WhyBanned    = "a person banned it here"
	WhyStranger  = "a person elsewhere had it forgotten or banned; with trust that holds here too"
)

// decidedHere returns the reason for a node that a person banned or forgot here.
func decidedHere(here *tree.Node) string {
	if here.Mark == tree.Banned {
		return WhyBanned
	}
	return WhyForgotten
}

// lessonOf identifies the subject of a lesson or strategy, independent of its id.
type lessonOf struct {
	kind      tree.Type
	errorType string
	direction string
	check     string // of an experience; "" of a strategy
}

// about returns the subject of a lesson, false for a case and for a lesson without a check.
func about(n *tree.Node) (lessonOf, bool) {
	l := lessonOf{n.Type, n.ErrorType, string(n.Direction), ""}
	if n.Type == tree.Experience && len(n.Content.Lessons) > 0 {
		l.check = n.Content.Lessons[0].Kind
	}
	return l, n.Type == tree.Strategy || n.Type == tree.Experience && l.check != ""
}

// spoken returns why a person's decision keeps a node of an untrusted file out, "" if none does. A trusted node is
// merged: the decision made here holds in the merge, and evolution retires lessons of other ids that are banned here.
func (p *Planner) spoken(ctx context.Context, n *tree.Node, here *tree.Node) (string, error) {
	switch {
	case p.opts.Trust:
		return "", nil
	case n.Entombed():
		return WhyStranger, nil
	case here != nil && here.Entombed():
		return decidedHere(here), nil
	}
	l, ok := about(n)
	if !ok || here != nil {
		return "", nil
	}
	if p.banned == nil {
		p.banned = map[lessonOf]bool{}
		for _, level := range []int{2, 3} {
			for b, err := range p.view.Scan(ctx, store.Filter{Level: level}) {
				if err != nil {
					return "", fmt.Errorf("plan the import: %w", err)
				}
				if of, ok := about(&b); ok && b.Mark == tree.Banned {
					p.banned[of] = true
				}
			}
		}
	}
	if p.banned[l] {
		return WhyBanned, nil
	}
	return "", nil
}
