package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Class is what an import does with one node of a file.
type Class string

// The classes of nodes in an import.
const (
	New         Class = "new"         // the node is new to the tree
	Same        Class = "same"        // the tree has the node with the same content
	Newer       Class = "newer"       // the node changes the one that the tree has
	Conflicting Class = "conflicting" // the node changes the one that the tree has, and contradicts it
	Held        Class = "held"        // a decision keeps the node out, or without trust it would change one in use
	Rejected    Class = "rejected"    // the node breaks a law of the tree
)

// Classes returns all classes, in the order of a report for people.
func Classes() []Class { return []Class{New, Newer, Conflicting, Same, Held, Rejected} }

// The values of NodePlan.Why, besides WhyForgotten, WhyBanned and WhyStranger. Why may also be the law that a rejected
// node breaks.
const (
	WhyHeld      = "the node here is in use and stays as it is; with trust they would be merged"
	WhyNothing   = "what it stands on is neither in the file nor here, so it is out of use"
	WhyOtherType = "it has the id of a node of another type"
)

// NodePlan is what an import does with one node, and why. The node is one of the file, or one here that loses a child.
type NodePlan struct {
	ID        string     `json:"id"`
	Type      tree.Type  `json:"type"`
	ErrorType string     `json:"errorType"`
	Class     Class      `json:"class"`
	Says      string     `json:"says"`                // title or first text of the node; may be cut
	Why       string     `json:"why,omitempty"`       // the reason, a sentence; may be ""
	Conflicts []Conflict `json:"conflicts,omitempty"` // contradictions, if Class is Conflicting or Held
}

// ImportPlan is what an import does with the nodes of a file.
type ImportPlan struct {
	Counts  map[Class]int // number of nodes, for every class
	Items   []NodePlan    // all nodes but those of the class Same, sorted by id
	Changes int           // number of nodes in the tree that change
}

// PlannerOptions sets how far a Planner trusts a file. The zero value is for a file of another team.
type PlannerOptions struct {
	Trust  bool   // the file is one's own: use its nodes at once
	Origin string // id of the tree that imports

	// Labelled has, by evaluation that a person labelled here, the case that it is in, "" for none. A trusted file does
	// not add it to another case that is here.
	Labelled map[string]string
}

// Tree reads the nodes of the tree that imports or exports.
type Tree interface {
	// Get returns a node or tree.ErrNotFound.
	Get(ctx context.Context, id string) (tree.Node, error)
	// Scan yields the nodes that f selects.
	Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error]
}

// Planner plans an import: call Add for each node of the file, then Plan, then Batches, and at last Close. It holds a
// few hundred bytes of each node in memory and the rest in a temporary file. It is for one goroutine.
type Planner struct {
	view    Tree
	opts    PlannerOptions
	drafts  map[string]*draft
	seen    map[string]bool // ids of the file without a draft
	plan    ImportPlan
	bodies  *spool
	types   map[string]string // interned error types
	changed []string          // ids, sorted
	banned  map[lessonOf]bool // lessons that a person banned here; nil until needed
}

// draft is a node as it may be after the import, without its body.
type draft struct {
	links            // after the import
	was       *links // before the import; nil when it is new
	kind      tree.Type
	says      string
	body      bodySpan
	basis     int  // revision of the present node; 0: it is new
	came      bool // it is in the file
	same      bool // equal to the present node except for links
	elsewhere bool
	mark      tree.Mark
	replaced  bool     // superseded
	parents   []string // candidates for the parent
	note      string
	over      string // why the node stays out of use although it is in use in a trusted file; "" if it does not
	conflicts []Conflict
}

// links are the parts of a node that depend on other nodes, or on which others depend.
type links struct {
	level     int
	errorType string
	direction taxonomy.Direction
	status    tree.Status
	parent    string
	children  []string
	concerns  []string // error types of the misses of a case, its own first
	refused   bool     // a person banned it or had it forgotten, so that it has no part
}

// linksOf returns the links of a node as it is.
func linksOf(n *tree.Node) links {
	return links{level: n.Level, errorType: n.ErrorType, direction: n.Direction, status: n.Status, parent: n.Parent,
		children: n.Children, concerns: concerns(n), refused: n.Entombed()}
}

// concerns returns the error types that a node may have abstractions of: its own, and those of a
// case's misses.
func concerns(n *tree.Node) []string {
	out := []string{n.ErrorType}
	if n.CaseData != nil {
		for _, m := range n.CaseData.Misses {
			out = append(out, m.ErrorType)
		}
	}
	return out
}

func (l *links) equal(o *links) bool {
	return l.errorType == o.errorType && l.status == o.status && l.parent == o.parent &&
		slices.Equal(l.children, o.children)
}

// unlinked returns n without the fields of links, to compare the rest.
func unlinked(n tree.Node) tree.Node {
	n.Status, n.Parent, n.Children = "", "", []string{}
	return n
}

// NewPlanner returns a Planner of an import into the tree of view.
//
// A file that is not trusted changes no node in use:
//   - A new node gets status quarantined and provenance "import". It loses its mark, decision, credit and the counters
//     of this tree.
//   - A node that is quarantined here is merged and stays quarantined.
//   - Any other node here is unchanged. The plan lists it as Held if the file would add something to it.
//   - A node that a person forgot or banned, here or in the file, is Held. So is a new lesson on the subject of one
//     banned here.
//
// The caller must close the Planner.
func NewPlanner(view Tree, o PlannerOptions) *Planner {
	p := &Planner{view: view, opts: o, drafts: map[string]*draft{}, seen: map[string]bool{}, bodies: &spool{},
		types: map[string]string{}}
	p.plan.Counts = map[Class]int{}
	for _, c := range Classes() {
		p.plan.Counts[c] = 0
	}
	return p
}

// Add adds node n of the file to the plan. It returns an *UnusableError if a node with the same id was added before. A
// node that breaks a law of the tree is no error; the plan lists it as Rejected.
func (p *Planner) Add(ctx context.Context, n tree.Node) error {
	if p.seen[n.ID] || p.drafts[n.ID] != nil {
		return &UnusableError{Problem: fmt.Sprintf("has node %.80q twice", n.ID)}
	}
	n = canonical(n)
	if err := p.add(ctx, n); err != nil {
		return err
	}
	if p.drafts[n.ID] == nil {
		p.seen[strings.Clone(n.ID)] = true
	}
	return nil
}

func (p *Planner) add(ctx context.Context, n tree.Node) error {
	if err := tree.Check(&n); err != nil {
		p.addItem(&n, Rejected, err.Error(), nil)
		return nil
	}
	known, err := p.view.Get(ctx, n.ID)
	here := &known
	switch {
	case errors.Is(err, tree.ErrNotFound):
		here = nil
	case err != nil:
		return fmt.Errorf("plan the import of %s: %w", n.ID, err)
	}
	if held, err := p.heldBySomebody(ctx, &n, here); held || err != nil {
		return err
	}
	if !p.opts.Trust {
		p.quarantine(&n)
	}
	if here == nil {
		return p.draft(&n, nil, 0, nil)
	}
	basis, news := here.Revision, fresh(here)
	*here = canonical(*here)
	if here.Type != n.Type {
		p.addItem(&n, Rejected, WhyOtherType, nil)
		return nil
	}
	if !p.opts.Trust && here.Status != tree.Quarantined {
		p.holdBack(here, &n)
		return nil
	}
	merged := p.merge(*here, n)
	over := ""
	if here.Entombed() && !n.Entombed() && merged.Entombed() {
		over = decidedHere(here)
	}
	if equalNodes(&merged, here) {
		if over != "" {
			p.addItem(&n, Held, over, nil)
		} else {
			p.plan.Counts[Same]++
		}
		return nil
	}
	if merged.Decision != nil { // a decision made elsewhere is new here, and one made here may still be
		merged.Decision.Fresh = news || !sameWord(merged.Decision, here.Decision)
	}
	if here.Decision != nil {
		here.Decision.Fresh = news
	}
	if err := tree.Check(&merged); err != nil {
		p.addItem(&n, Rejected, err.Error(), nil)
		return nil
	}
	err = p.draft(&merged, here, basis, &n)
	if d := p.drafts[n.ID]; err == nil && over != "" {
		d.over = over
	}
	return err
}

// fresh reports whether the tree has not evolved since a person decided on n.
func fresh(n *tree.Node) bool { return n.Decision != nil && n.Decision.Fresh }

// heldBySomebody reports whether a person's decision keeps a node out, and then adds it to the plan as held. here is
// the present version in the tree, nil for none.
func (p *Planner) heldBySomebody(ctx context.Context, n, here *tree.Node) (bool, error) {
	why, err := p.spoken(ctx, n, here)
	if why == "" || err != nil {
		return false, err
	}
	p.addItem(n, Held, why, nil)
	return true, nil
}

// Close removes the temporary file of p.
func (p *Planner) Close() error { return p.bodies.close() }

// draft stores the draft of n. here is the node of this tree, nil for a new one. theirs is the node of the file, nil
// if the file does not have it but it may lose links.
func (p *Planner) draft(n, here *tree.Node, basis int, theirs *tree.Node) error {
	d := &draft{
		links: linksOf(n), kind: n.Type, says: clipToLine(nameOf(n)), basis: basis, came: true, elsewhere: n.StandsAlone(),
		mark: n.Mark, replaced: n.SupersededBy != "",
	}
	if d.links.errorType = p.types[n.ErrorType]; d.links.errorType == "" {
		d.links.errorType = strings.Clone(n.ErrorType)
		p.types[d.links.errorType] = d.links.errorType
	}
	d.addParent(n.Parent)
	if here != nil {
		was := linksOf(here)
		d.was = &was
		d.addParent(here.Parent)
		a, b := unlinked(*n), unlinked(*here)
		d.same, d.came = equalNodes(&a, &b), theirs != nil
	}
	if theirs != nil {
		d.addParent(theirs.Parent)
		d.conflicts = shortened(contradictions(here, theirs))
	}
	if n.Decision != nil && n.Decision.Purged {
		d.parents = nil
	}
	var err error
	if d.body, err = p.bodies.put(n); err != nil {
		return err
	}
	p.drafts[strings.Clone(n.ID)] = d
	return nil
}

// addParent adds a candidate for the parent, see keepParent.
func (d *draft) addParent(parent string) {
	if parent != "" {
		d.parents = append(d.parents, parent)
	}
}

// shortened cuts the texts of conflicts, which stay in memory, to 600 bytes each.
func shortened(list []Conflict) []Conflict {
	const most = 600
	for i := range list {
		list[i].Ours, list[i].Theirs = strings.Clone(clip(list[i].Ours, most)), strings.Clone(clip(list[i].Theirs, most))
	}
	return list
}

// clipToLine cuts a text that stays in memory to 160 bytes, and copies it so that the node it came
// from can be freed.
func clipToLine(s string) string {
	const most = 160
	return strings.Clone(clip(s, most))
}

// quarantine gives a foreign node the status of an import that waits for a person.
func (p *Planner) quarantine(n *tree.Node) {
	if n.Status == tree.Retired || n.Status == tree.Archived || n.SupersededBy != "" {
		// A tombstone waits too. Otherwise it would keep this tree from learning the same.
		n.ArchivedFor, n.SupersededBy = cmp.Or(n.ArchivedFor, outOfUse), ""
	}
	n.Status, n.Mark, n.Decision = tree.Quarantined, tree.Unmarked, nil
	n.Provenance.By = byImport
	if n.Credit != nil { // its credit in the other tree is little evidence for this one
		n.Content.Confidence, n.Credit = n.Credit.Prior, nil
	}
	if delete(n.Counters, p.opts.Origin); len(n.Counters) == 0 {
		n.Counters = nil
	}
}

const (
	byImport = "import"
	outOfUse = "out of use where it comes from"
)

// merge merges a node of the file into that of this tree. If the file is trusted, a waiting import first takes the
// status of the file, because merge would keep it in quarantine.
func (p *Planner) merge(here, theirs tree.Node) tree.Node {
	if !p.opts.Trust {
		return merge(here, theirs) // both are quarantined
	}
	if unpromoted(&here) {
		// It waited for a person to trust it, which the trusted file now does.
		here.Status, here.Provenance = theirs.Status, theirs.Provenance
		here.ArchivedFor, here.SupersededBy = theirs.ArchivedFor, theirs.SupersededBy
	}
	theirs.Occurrences = slices.DeleteFunc(slices.Clone(theirs.Occurrences), func(o tree.Occurrence) bool {
		node, labelled := p.opts.Labelled[o.Evaluation]
		return labelled && node != here.ID
	})
	return merge(here, theirs)
}

// equalNodes reports whether two canonical nodes have the same bytes.
func equalNodes(a, b *tree.Node) bool { return spelled(a) == spelled(b) }

// holdBack leaves a node in use unchanged, and reports what the file would have added. It merges without the fields
// that an import may not change, to find whether anything is new.
func (p *Planner) holdBack(here, theirs *tree.Node) {
	like := theirs.Clone()
	like.Status, like.Mark, like.Provenance, like.Metadata = here.Status, here.Mark, here.Provenance, here.Metadata
	like.SupersededBy, like.ArchivedFor = here.SupersededBy, here.ArchivedFor
	like.Parent, like.Origin, like.Content.Confidence = here.Parent, here.Origin, here.Content.Confidence
	merged := merge(*here, like)
	merged.Counters, merged.Credit = here.Counters, here.Credit
	if equalNodes(&merged, here) {
		p.plan.Counts[Same]++
		return
	}
	p.addItem(theirs, Held, WhyHeld, contradictions(here, theirs))
}

// addItem adds a node of the file that changes nothing to the plan, with the reason.
func (p *Planner) addItem(n *tree.Node, c Class, why string, conflicts []Conflict) {
	p.plan.Counts[c]++
	p.plan.Items = append(p.plan.Items, NodePlan{ID: n.ID, Type: n.Type, ErrorType: n.ErrorType, Class: c,
		Says: clipToLine(nameOf(n)), Why: strings.Clone(clip(why, 1000)), Conflicts: shortened(conflicts)})
}

// nameOf returns a text by which people recognise the node.
func nameOf(n *tree.Node) string {
	return cmp.Or(n.Content.Title, n.Content.Description, n.Content.Guidance)
}

// Plan completes the plan and returns it: it cuts links to nodes that will not exist, and lists the changes. Call it
// once, after the last Add, and only if the file was complete.
func (p *Planner) Plan(ctx context.Context) (ImportPlan, error) {
	if err := p.draftRetyped(ctx); err != nil {
		return ImportPlan{}, err
	}
	ids := slices.Sorted(maps.Keys(p.drafts))
	for _, level := range []int{2, 3} {
		for _, id := range ids {
			if d := p.drafts[id]; d.level == level {
				if err := p.keepChildren(ctx, d); err != nil {
					return ImportPlan{}, err
				}
			}
		}
	}
	for _, id := range ids {
		if err := p.keepParent(ctx, id, p.drafts[id]); err != nil {
			return ImportPlan{}, err
		}
	}
	for _, id := range ids {
		p.classify(id, p.drafts[id])
	}
	slices.SortFunc(p.plan.Items, func(a, b NodePlan) int { return cmp.Compare(a.ID, b.ID) })
	p.plan.Changes = len(p.changed)
	return p.plan, nil
}
