package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Class says what an import makes of one node of a file.
type Class string

// The classes.
const (
	New         Class = "new"         // it was not here
	Same        Class = "same"        // all of it was here
	Newer       Class = "newer"       // it adds to what is here
	Conflicting Class = "conflicting" // it adds, and contradicts what is here
	Held        Class = "held"        // it would add to a node in use here, which a quarantined import may not
	Rejected    Class = "rejected"    // it breaks a law of the tree
)

// Classes returns all of them, in the order people want to read them.
func Classes() []Class { return []Class{New, Newer, Conflicting, Same, Held, Rejected} }

// Reasons of items; that of a rejected one is else the law it breaks.
const (
	WhyHeld      = "the node here is in use and stays as it is; with trust they would be merged"
	WhyNothing   = "what it stands on is neither in the file nor here, so it is out of use"
	WhyOtherType = "it has the id of a node of another type"
)

// Item is what an import makes of one node.
type Item struct {
	ID        string     `json:"id"`
	Type      tree.Type  `json:"type"`
	ErrorType string     `json:"errorType"`
	Class     Class      `json:"class"`
	Says      string     `json:"says"` // in a line
	Why       string     `json:"why,omitempty"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
}

// Plan is what an import would do.
type Plan struct {
	Counts  map[Class]int // of every class, also those with none
	Items   []Item        // all that are not same, sorted by id
	Changes []tree.Change // sorted by id
}

// PlanOptions say how far a file is trusted. The zero value is for a file of
// somebody else.
type PlanOptions struct {
	Trust  bool   // take it as one's own: no quarantine
	Origin string // id of the tree it comes into
}

// View is what a plan reads of the tree it is for.
type View interface {
	// Get returns a node or tree.ErrNotFound.
	Get(ctx context.Context, id string) (tree.Node, error)
	// Scan yields the nodes that f selects.
	Scan(ctx context.Context, f tree.Filter) iter.Seq2[tree.Node, error]
}

// Planner plans an import, node by node. It is for one goroutine.
type Planner struct {
	view   View
	opts   PlanOptions
	drafts map[string]*draft
	seen   map[string]bool
	plan   Plan
}

// draft is a node as it will be.
type draft struct {
	node   tree.Node
	theirs *tree.Node // as it came; nil when it did not
	here   *tree.Node // nil when it is new; canonical
	basis  int        // revision of here
	note   string
}

// NewPlanner returns a Planner for the tree of view.
//
// A file that is not trusted changes no node in use: what is new lands with
// status quarantined, no mark, provenance "import", and without counters in the
// name of this tree; what is quarantined here already is merged and stays so;
// any other node here is left as it is, and what the file would add is held.
func NewPlanner(view View, o PlanOptions) *Planner {
	p := &Planner{view: view, opts: o, drafts: map[string]*draft{}, seen: map[string]bool{}}
	p.plan.Counts = map[Class]int{}
	for _, c := range Classes() {
		p.plan.Counts[c] = 0
	}
	return p
}

// Add takes a node of the file.
func (p *Planner) Add(ctx context.Context, n tree.Node) error {
	if p.seen[n.ID] {
		return &FileError{Problem: fmt.Sprintf("has node %.80q twice", n.ID)}
	}
	p.seen[n.ID] = true
	n = Canonical(n)
	if err := tree.Check(&n); err != nil {
		p.item(&n, Rejected, err.Error(), nil)
		return nil
	}
	if !p.opts.Trust {
		p.quarantine(&n)
	}
	d := &draft{node: n}
	here, err := p.view.Get(ctx, n.ID)
	switch {
	case errors.Is(err, tree.ErrNotFound):
		d.theirs = &d.node
	case err != nil:
		return fmt.Errorf("plan the import of %s: %w", n.ID, err)
	default:
		d.theirs = &n
		d.basis = here.Revision
		here = Canonical(here)
		d.here = &here
		if here.Type != n.Type {
			p.item(&n, Rejected, WhyOtherType, nil)
			return nil
		}
		if !p.opts.Trust && here.Status != tree.Quarantined {
			p.hold(&here, &n)
			return nil
		}
		d.node = p.merge(here, n)
		if equal(&d.node, &here) {
			p.plan.Counts[Same]++
			return nil
		}
	}
	p.drafts[n.ID] = d
	return nil
}

// quarantine makes a stranger's node what it may be here.
func (p *Planner) quarantine(n *tree.Node) {
	if n.Status == tree.Active || n.Status == tree.Probation {
		n.Status = tree.Quarantined
	}
	n.Mark = tree.Unmarked
	n.Provenance.By = byImport
	if delete(n.Counters, p.opts.Origin); len(n.Counters) == 0 {
		n.Counters = nil
	}
}

const byImport = "import"

// Waits reports whether n is an import that nobody has promoted.
func Waits(n *tree.Node) bool { return n.Status == tree.Quarantined && n.Provenance.By == byImport }

func (p *Planner) merge(here, theirs tree.Node) tree.Node {
	if !p.opts.Trust {
		out := Merge(here, theirs)
		if out.Status == tree.Active || out.Status == tree.Probation {
			out.Status = tree.Quarantined
		}
		return out
	}
	if Waits(&here) {
		// It waited for somebody to trust it, and now it is.
		here.Status, here.Provenance = theirs.Status, theirs.Provenance
	}
	return Merge(here, theirs)
}

func equal(a, b *tree.Node) bool { return spelled(a) == spelled(b) }

// hold leaves a node in use as it is, and says what the file would have added.
func (p *Planner) hold(here, theirs *tree.Node) {
	like := theirs.Clone()
	like.Status, like.Mark, like.Provenance, like.Metadata = here.Status, here.Mark, here.Provenance, here.Metadata
	like.SupersededBy, like.ArchivedFor = here.SupersededBy, here.ArchivedFor
	like.Parent, like.Origin, like.Content.Confidence = here.Parent, here.Origin, here.Content.Confidence
	merged := Merge(*here, like)
	merged.Counters = here.Counters
	if equal(&merged, here) {
		p.plan.Counts[Same]++
		return
	}
	p.item(theirs, Held, WhyHeld, Conflicts(here, theirs))
}

func (p *Planner) item(n *tree.Node, c Class, why string, conflicts []Conflict) {
	p.plan.Counts[c]++
	p.plan.Items = append(p.plan.Items, Item{ID: n.ID, Type: n.Type, ErrorType: n.ErrorType, Class: c, Says: says(n), Why: why, Conflicts: conflicts})
}

// says returns what a node is about.
func says(n *tree.Node) string {
	return cmp.Or(n.Content.Title, n.Content.Description, n.Content.Guidance)
}

// Plan ends the import: it cuts links to what will not be there, and says what
// changes. The file has to have been whole.
func (p *Planner) Plan(ctx context.Context) (Plan, error) {
	if err := p.retyped(ctx); err != nil {
		return Plan{}, err
	}
	ids := slices.Sorted(maps.Keys(p.drafts))
	for _, level := range []int{2, 3} {
		for _, id := range ids {
			if d := p.drafts[id]; d.node.Level == level {
				if err := p.children(ctx, d); err != nil {
					return Plan{}, err
				}
			}
		}
	}
	for _, id := range ids {
		if err := p.parent(ctx, p.drafts[id]); err != nil {
			return Plan{}, err
		}
	}
	for _, id := range ids {
		p.finish(p.drafts[id])
	}
	slices.SortFunc(p.plan.Items, func(a, b Item) int { return cmp.Compare(a.ID, b.ID) })
	return p.plan, nil
}

// retyped drafts the abstractions here that name a node which the import gives
// another error type: they lose it.
func (p *Planner) retyped(ctx context.Context) error {
	moved := map[string]bool{}
	for id, d := range p.drafts {
		if d.here != nil && d.here.ErrorType != d.node.ErrorType {
			moved[id] = true
		}
	}
	if len(moved) == 0 {
		return nil
	}
	for _, level := range []int{2, 3} {
		for n, err := range p.view.Scan(ctx, tree.Filter{Level: level}) {
			if err != nil {
				return fmt.Errorf("plan the import: %w", err)
			}
			if p.drafts[n.ID] != nil || !slices.ContainsFunc(n.Children, func(c string) bool { return moved[c] }) {
				continue
			}
			here := Canonical(n)
			p.drafts[n.ID] = &draft{node: here.Clone(), here: &here, basis: n.Revision}
		}
	}
	return nil
}

// after returns a node as it will be, nil if it will not be there.
func (p *Planner) after(ctx context.Context, id string) (*tree.Node, error) {
	if d := p.drafts[id]; d != nil {
		return &d.node, nil
	}
	n, err := p.view.Get(ctx, id)
	if errors.Is(err, tree.ErrNotFound) {
		return nil, nil //nolint:nilnil // absence is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("plan the import: read %s: %w", id, err)
	}
	return &n, nil
}

// children keeps the children that the laws allow. An abstraction that would be
// used and has none left is retired.
func (p *Planner) children(ctx context.Context, d *draft) error {
	kept := make([]string, 0, len(d.node.Children))
	for _, id := range d.node.Children {
		k, err := p.after(ctx, id)
		if err != nil {
			return err
		}
		if k != nil && k.Level == d.node.Level-1 && k.ErrorType == d.node.ErrorType && k.Direction == d.node.Direction {
			kept = append(kept, id)
		}
	}
	d.node.Children = kept
	if len(kept) == 0 && d.node.Elsewhere == nil && d.node.Live() {
		d.node.Status, d.note = tree.Retired, WhyNothing
	}
	return nil
}

// parent keeps a parent that will name the node as its child: of several the one
// that sorts last.
func (p *Planner) parent(ctx context.Context, d *draft) error {
	candidates := []string{d.node.Parent}
	if d.here != nil {
		candidates = append(candidates, d.here.Parent)
	}
	if d.theirs != nil {
		candidates = append(candidates, d.theirs.Parent)
	}
	slices.Sort(candidates)
	slices.Reverse(candidates)
	d.node.Parent = ""
	for _, id := range slices.Compact(candidates) {
		if id == "" {
			continue
		}
		above, err := p.after(ctx, id)
		if err != nil {
			return err
		}
		if above != nil && above.Level == d.node.Level+1 && slices.Contains(above.Children, d.node.ID) {
			d.node.Parent = id
			return nil
		}
	}
	return nil
}

// finish classes a draft and makes its change.
func (p *Planner) finish(d *draft) {
	n := &d.node
	if err := tree.Check(n); err != nil {
		p.item(n, Rejected, err.Error(), nil)
		return
	}
	switch {
	case d.here == nil:
		p.item(n, New, d.note, nil)
		p.plan.Changes = append(p.plan.Changes, tree.NewChange(tree.OpAdd, *n, 0, "transfer", "imported"))
		return
	case equal(n, d.here):
		if d.theirs != nil {
			p.plan.Counts[Same]++
		}
		return
	}
	class := Newer
	var conflicts []Conflict
	if d.theirs != nil {
		if conflicts = Conflicts(d.here, d.theirs); len(conflicts) > 0 {
			class = Conflicting
		}
	}
	p.item(n, class, d.note, conflicts)
	p.plan.Changes = append(p.plan.Changes, tree.NewChange(tree.OpRevise, *n, d.basis, "transfer", "merged with an import"))
}

// Families cuts changes into lists that can be committed one after another:
// nodes that name each other stay together, and a list has at most size bytes
// of nodes unless one family has more.
func Families(changes []tree.Change, size int) [][]tree.Change {
	root := make(map[string]string, len(changes))
	for i := range changes {
		root[changes[i].Node.ID] = changes[i].Node.ID
	}
	find := func(id string) string {
		for root[id] != id {
			root[id] = root[root[id]]
			id = root[id]
		}
		return id
	}
	join := func(a, b string) {
		if _, ours := root[b]; ours {
			root[find(a)] = find(b)
		}
	}
	for i := range changes {
		n := &changes[i].Node
		if n.Parent != "" {
			join(n.ID, n.Parent)
		}
		for _, k := range n.Children {
			join(n.ID, k)
		}
	}
	families, order := map[string][]int{}, []string{}
	for i := range changes {
		r := find(changes[i].Node.ID)
		if families[r] == nil {
			order = append(order, r)
		}
		families[r] = append(families[r], i)
	}
	var out [][]tree.Change
	bytes := 0
	for _, r := range order {
		more := 0
		for _, i := range families[r] {
			more += len(spelled(&changes[i].Node)) + 512 // what a change says beside
		}
		if len(out) == 0 || bytes+more > size {
			out, bytes = append(out, nil), 0
		}
		bytes += more
		for _, i := range families[r] {
			out[len(out)-1] = append(out[len(out)-1], changes[i])
		}
	}
	return out
}
