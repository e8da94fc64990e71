package transfer

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// ExportChoice selects the nodes of an export. The zero value selects all nodes except archived ones and imports that
// wait in quarantine. All adds those two; every other field but Redactor narrows the selection if it is set. A selected
// experience or strategy brings all nodes below it, unless Level or NoCases is set. Forgotten and banned nodes are
// exported as tombstones; only ErrorTypes, Level and NoCases narrow their selection.
type ExportChoice struct {
	ErrorTypes    []string   // only nodes of these error types; none: all
	Scope         tree.Scope // only nodes of its product, suite and test, where set
	MinConfidence float64    // least confidence of a node, 0 to 1
	Level         int        // only nodes of this level, 1 to 3; 0: all
	Since         time.Time  // only nodes updated at this time or later
	All           bool       // archived nodes and waiting imports are selected too
	NoCases       bool       // no cases: lessons get counts and hashes of their evidence
	Redactor      Redactor   // finds the secrets to remove, along with names and addresses; nil: texts stay unchanged
}

// Summary counts the nodes of an export, and those left out.
type Summary struct {
	Nodes      int            `json:"nodes"`      // exported nodes
	Levels     map[string]int `json:"levels"`     // exported nodes by type
	Types      map[string]int `json:"types"`      // exported nodes by error type
	Statuses   map[string]int `json:"statuses"`   // exported nodes by status, without tombstones
	Tombstones int            `json:"tombstones"` // forgotten and banned nodes, exported without their texts
	Products   map[string]int `json:"products"`   // nodes by the product they name, as exported
	Origins    map[string]int `json:"origins"`    // exported nodes by origin id
	Prompts    int            `json:"prompts"`    // exported cases with their prompt, judgment and ground truth
	Redactions int            `json:"redactions"` // removals of secrets and names
	Archived   int            `json:"archived"`   // nodes not exported because archived
	Waiting    int            `json:"waiting"`    // imports not exported because they wait in quarantine
	Filtered   int            `json:"filtered"`   // nodes not exported because of the choice
}

// Selection is what Exchange.Export selected from the tree at that time.
type Selection struct {
	Summary Summary
	Beside  // what Write puts beside the nodes
	view    Tree
	choice  ExportChoice
	nodes   map[string]*chosen
}

// chosen is what a selection holds of a node in memory, without its body.
type chosen struct {
	id, as    string // its id in the tree and in the file; redaction changes the id of a case
	errorType string
	level     int
	revision  int
	parent    string
	children  []string
	leaves    bool
	tomb      bool   // it is exported as a tombstone, and no other node refers to it
	test      uint64 // hash of the name of a case's test
	runs      int    // occurrences of a case

	// For the summary, as exported.
	kind            tree.Type
	origin, product string
	status          tree.Status
	waits           bool
	prompt          bool // it has evidence
	redactions      int
}

// choose selects the nodes to export from the tree of view. A selected abstraction brings the cases that it rests on,
// unless the choice is of one level or without cases.
func choose(ctx context.Context, view Tree, c ExportChoice) (*Selection, error) {
	s := &Selection{view: view, choice: c, nodes: map[string]*chosen{}}
	s.Summary = Summary{Levels: map[string]int{}, Types: map[string]int{}, Statuses: map[string]int{},
		Products: map[string]int{}, Origins: map[string]int{}}
	for n, err := range view.Scan(ctx, store.Filter{}) {
		if err != nil {
			return nil, fmt.Errorf("choose what to export: %w", err)
		}
		s.nodes[n.ID] = s.take(n)
	}
	for _, k := range s.nodes {
		if k.leaves && k.level > 1 && c.Level == 0 && !c.NoCases {
			s.bringChildren(k)
		}
	}
	for _, k := range s.nodes {
		s.count(k)
	}
	return s, nil
}

// take returns what the selection holds of a node. Nodes that others bring do not leave yet.
func (s *Selection) take(n tree.Node) *chosen {
	k := &chosen{
		id: n.ID, kind: n.Type, errorType: n.ErrorType, level: n.Level, revision: n.Revision,
		parent: n.Parent, children: n.Children,
		leaves: s.choice.fits(&n), runs: len(n.Occurrences), tomb: n.Entombed(), status: n.Status, waits: Waits(&n),
	}
	if n.CaseData != nil {
		k.test = testOf(&n)
	}
	if s.choice.Redactor != nil {
		n, k.redactions = redactNode(n, s.choice.Redactor)
	}
	if k.tomb {
		n, k.children = entomb(n), nil
	}
	k.as, k.origin, k.product, k.prompt = n.ID, n.Origin.ID, n.Scope.Product, n.CaseData != nil
	return k
}

// testOf returns a hash of the name of a case's test, to count distinct tests in little memory.
func testOf(n *tree.Node) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(cmp.Or(n.CaseData.TestCase.CaseID, n.ID))) // never fails
	return h.Sum64()
}

// fits reports whether a node fits the choice by itself; an abstraction may still bring it.
func (c *ExportChoice) fits(n *tree.Node) bool {
	switch {
	case n.Entombed():
		return (len(c.ErrorTypes) == 0 || slices.Contains(c.ErrorTypes, n.ErrorType)) &&
			(c.Level == 0 || n.Level == c.Level) &&
			!(c.NoCases && n.Type == tree.Case) && (c.All || !Waits(n))
	case !c.All && (n.Status == tree.Archived || Waits(n)),
		c.NoCases && n.Type == tree.Case,
		len(c.ErrorTypes) > 0 && !slices.Contains(c.ErrorTypes, n.ErrorType),
		c.Level != 0 && n.Level != c.Level,
		n.Content.Confidence < c.MinConfidence,
		n.Metadata.UpdatedAt.Before(c.Since),
		c.Scope.Product != "" && n.Scope.Product != c.Scope.Product,
		c.Scope.Suite != "" && n.Scope.Suite != c.Scope.Suite,
		c.Scope.Test != "" && n.Scope.Test != c.Scope.Test:
		return false
	}
	return true
}

// bringChildren selects all nodes below k too.
func (s *Selection) bringChildren(k *chosen) {
	for _, id := range k.children {
		if child := s.nodes[id]; child != nil && !child.leaves && !child.tomb {
			child.leaves = true
			s.bringChildren(child)
		}
	}
}

// count adds a node to the summary.
func (s *Selection) count(k *chosen) {
	m := &s.Summary
	switch {
	case k.leaves:
	case k.status == tree.Archived && !s.choice.All:
		m.Archived++
		return
	case k.waits && !s.choice.All:
		m.Waiting++
		return
	default:
		m.Filtered++
		return
	}
	m.Nodes++
	m.Levels[string(k.kind)]++
	m.Types[k.errorType]++
	m.Origins[k.origin]++
	m.Redactions += k.redactions
	if k.tomb {
		m.Tombstones++
	} else {
		m.Statuses[string(k.status)]++
	}
	if k.product != "" {
		m.Products[k.product]++
	}
	if k.prompt {
		m.Prompts++
	}
}

// Nodes yields the selected nodes as they are exported, in the order that Write needs. It ends with an error that wraps
// store.ErrConflict if a node has changed since the selection; then select again. It ends with the error of tree.Check
// if a node, as prepared for export, is not valid.
func (s *Selection) Nodes(ctx context.Context) iter.Seq2[tree.Node, error] {
	leaving := s.leaving()
	if s.choice.Redactor == nil && len(leaving) > len(s.nodes)/8 {
		return s.scanned(ctx, leaving)
	}
	return s.fetched(ctx, leaving)
}

// leaving returns the chosen nodes by error type and id in the file.
func (s *Selection) leaving() []*chosen {
	all := slices.DeleteFunc(slices.Collect(maps.Values(s.nodes)), func(k *chosen) bool { return !k.leaves })
	slices.SortFunc(all, func(a, b *chosen) int {
		return cmp.Or(cmp.Compare(a.errorType, b.errorType), cmp.Compare(a.as, b.as), cmp.Compare(a.id, b.id))
	})
	return all
}

// fetched yields nodes by getting each of them.
func (s *Selection) fetched(ctx context.Context, leaving []*chosen) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		for i := 0; i < len(leaving); {
			n, err := s.node(ctx, leaving[i])
			// Nodes that redaction made equal are exported as one node.
			same := leaving[i]
			for i++; err == nil && i < len(leaving) && leaving[i].as == same.as && leaving[i].errorType == same.errorType; i++ {
				var twin tree.Node
				if twin, err = s.node(ctx, leaving[i]); err == nil {
					n = merge(n, twin)
				}
			}
			if !yield(n, err) || err != nil {
				return
			}
		}
	}
}

// scanned is fetched for nodes whose ids stay the same. It reads their error types from end to end, which takes a
// fraction of the time.
func (s *Selection) scanned(ctx context.Context, leaving []*chosen) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		for len(leaving) > 0 {
			of := leaving[0].errorType
			for n, err := range s.view.Scan(ctx, store.Filter{ErrorType: of}) {
				if k := s.nodes[n.ID]; err == nil && (k == nil || !k.leaves) {
					continue
				}
				switch {
				case err != nil:
				case len(leaving) == 0:
					err = fmt.Errorf("export %s: %w", n.ID, store.ErrConflict)
				default:
					n, err = s.exported(n, leaving[0])
					leaving = leaving[1:]
				}
				if !yield(n, err) || err != nil {
					return
				}
			}
			if len(leaving) > 0 && leaving[0].errorType == of {
				yield(tree.Node{}, fmt.Errorf("export %s: %w", leaving[0].id, store.ErrConflict))
				return
			}
		}
	}
}

// node reads a chosen node and prepares it. The error is store.ErrConflict if it changed.
func (s *Selection) node(ctx context.Context, k *chosen) (tree.Node, error) {
	n, err := s.view.Get(ctx, k.id)
	if err != nil {
		return n, fmt.Errorf("export %s: %w", k.id, err)
	}
	return s.exported(n, k)
}

// exported returns a node as exported. The error is store.ErrConflict if it is not the one that was chosen.
func (s *Selection) exported(n tree.Node, k *chosen) (tree.Node, error) {
	if n.ID != k.id || n.Revision != k.revision {
		return n, fmt.Errorf("export %s: %w", k.id, store.ErrConflict)
	}
	n = s.prepareNode(n, k)
	if err := tree.Check(&n); err != nil {
		return n, fmt.Errorf("export %s: %w", k.id, err)
	}
	return n, nil
}

// prepareNode returns a node as exported, redacted and linked only to exported nodes. The cases under it that are not
// exported are counted in Elsewhere. It changes nothing that n shares.
func (s *Selection) prepareNode(n tree.Node, k *chosen) tree.Node {
	if s.choice.Redactor != nil {
		n, _ = redactNode(n, s.choice.Redactor)
	}
	if k.tomb {
		n = entomb(n)
		if s.choice.Redactor != nil {
			n.Decision.By, n.Decision.Why = "", ""
		}
		s.rename(n.Provenance.Cites)
		return n
	}
	if above := s.nodes[k.parent]; above == nil || !above.leaves || !slices.Contains(above.children, k.id) {
		n.Parent = ""
	}
	var left []string
	n.Children = make([]string, 0, len(k.children))
	for _, id := range k.children {
		if child := s.nodes[id]; child != nil && child.tomb {
			continue
		} else if child != nil && child.leaves {
			n.Children = append(n.Children, child.as)
		} else {
			left = append(left, id)
		}
	}
	n.Children = sorted(n.Children)
	n.Elsewhere = uniteElsewhere(n.Elsewhere, s.elsewhere(left))
	for i := range n.Content.Lessons {
		s.rename(n.Content.Lessons[i].Cites)
	}
	s.rename(n.Provenance.Cites)
	s.rename(n.Provenance.Left)
	s.rename(n.Provenance.Lost)
	return n
}

// rename replaces the ids of cited cases by their ids in the file.
func (s *Selection) rename(ids []string) {
	if s.choice.Redactor == nil {
		return // they are the same
	}
	for i, id := range ids {
		if k := s.nodes[id]; k != nil {
			ids[i] = k.as
		}
	}
}

// elsewhere counts the cases, tests and runs under the children in left, which are not exported. It is nil for no
// children.
func (s *Selection) elsewhere(left []string) *tree.Elsewhere {
	cases := map[string]*chosen{}
	var gather func(ids []string)
	gather = func(ids []string) {
		for _, id := range ids {
			k := s.nodes[id]
			switch {
			case k == nil || cases[k.as] != nil:
			case k.level == 1:
				cases[k.as] = k
			default:
				gather(k.children)
			}
		}
	}
	gather(left)
	if len(cases) == 0 {
		return nil
	}
	out := &tree.Elsewhere{Cases: len(cases)}
	tests := map[uint64]bool{}
	for _, id := range slices.Sorted(maps.Keys(cases)) {
		out.Runs += cases[id].runs
		tests[cases[id].test] = true
		if len(out.IDs) < tree.MaxChildren {
			out.IDs = append(out.IDs, id)
		}
	}
	out.Tests = len(tests)
	return out
}
