package evolution

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// survey is the tree in the state of a plan.
type survey struct {
	nodes  map[string]*tree.Node // all nodes by id, live cases as lift returns them
	lifted map[string]*tree.Node // the stored form of cases that lift has changed, by id
	why    map[string]string     // why a case in lifted has changed, by id; "": its misses were read
	own    map[string]string     // the error type of each check of the tree's own in use
	cases  []*tree.Node          // live, sorted by id
	now    time.Time             // of the newest evaluation
	no     *tree.Refused         // people's refusals
}

// survey reads the tree. The present time is that of the newest evaluation. If limit is set, it ignores evaluations
// after it: their clock may be wrong.
func (e *Evolver) survey(ctx context.Context, v Scanner, limit time.Time) (*survey, error) {
	s := &survey{nodes: map[string]*tree.Node{}, lifted: map[string]*tree.Node{}, why: map[string]string{}}
	for n, err := range v.Scan(ctx, store.Filter{}) {
		if err != nil {
			return nil, err
		}
		s.nodes[n.ID] = &n
		if n.Type != tree.Case || !n.Live() {
			continue
		}
		if at := lastSeen(&n); at.After(s.now) && (limit.IsZero() || !at.After(limit)) {
			s.now = at
		}
		s.cases = append(s.cases, e.lift(s, &n))
	}
	byID(s.cases)
	s.no = e.refused(s)
	e.readOwn(s)
	return s, nil
}

// lift returns a case with its misses. It reads the misses of a case that was stored before cases had any, and sets
// the error type of each miss to that of its check. It returns a case that needs neither unchanged.
func (e *Evolver) lift(s *survey, n *tree.Node) *tree.Node {
	first := len(n.CaseData.Misses) == 0 && e.o.Lift != nil && n.CaseData.About == nil
	if !first && !slices.ContainsFunc(n.CaseData.Misses, e.mistyped) {
		return n
	}
	c := n.Clone()
	if first {
		e.o.Lift(&c)
	}
	for i := range c.CaseData.Misses {
		if m := &c.CaseData.Misses[i]; e.mistyped(*m) {
			check, _ := e.o.Taxonomy.Check(m.Check)
			m.ErrorType = check.ErrorType()
		}
	}
	if len(c.CaseData.Misses) == 0 {
		return n
	}
	s.lifted[n.ID], s.nodes[n.ID] = n, &c
	return &c
}

// revise changes a live case in the survey, for a reason.
func (s *survey) revise(id, why string, change func(n *tree.Node)) {
	was := s.nodes[id]
	c := was.Clone()
	change(&c)
	if s.lifted[id] == nil {
		s.lifted[id] = was
	}
	s.nodes[id], s.why[id] = &c, why
	at, _ := slices.BinarySearchFunc(s.cases, &c, compareIDs)
	s.cases[at] = &c
}

// mistyped reports whether a miss has another error type than its check.
func (e *Evolver) mistyped(m tree.Miss) bool {
	c, known := e.o.Taxonomy.Check(m.Check)
	return known && m.ErrorType != c.ErrorType()
}

// advance applies changes to the survey, so that the plans of later partitions see them.
func (s *survey) advance(changes []tree.Change) {
	for i := range changes {
		c := changes[i].Node.Clone()
		if n := s.nodes[c.ID]; n != nil {
			*n = c
		} else {
			s.nodes[c.ID] = &c
		}
		delete(s.lifted, c.ID)
	}
}

// live returns the live nodes of a type, sorted by id.
func (s *survey) live(t tree.Type) []*tree.Node {
	var out []*tree.Node
	for _, n := range s.nodes {
		if n.Type == t && n.Live() {
			out = append(out, n)
		}
	}
	byID(out)
	return out
}

// standing returns the live cases of an experience.
func (s *survey) standing(e *tree.Node) []*tree.Node {
	var out []*tree.Node
	for _, id := range e.Children {
		if n := s.nodes[id]; n != nil && n.Live() {
			out = append(out, n)
		}
	}
	return out
}

func byID(list []*tree.Node) {
	slices.SortFunc(list, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
}

func idsOf(list []*tree.Node) []string {
	out := make([]string, 0, len(list))
	for _, n := range list {
		out = append(out, n.ID)
	}
	return out
}

// lastSeen returns when the mistake of a case was last made.
func lastSeen(n *tree.Node) time.Time {
	at := n.Metadata.UpdatedAt
	for _, o := range n.Occurrences {
		if o.At.After(at) {
			at = o.At
		}
	}
	return at
}

// testOf returns a key of a case's test: its id, or a hash of its prompt if it has no
// id.
func testOf(n *tree.Node) string {
	if id := n.CaseData.TestCase.CaseID; id != "" {
		return id
	}
	return tree.Hash(n.CaseData.TestCase.Prompt)
}

// tests returns the number of distinct tests of the cases.
func tests(cases []*tree.Node) int {
	seen := map[string]bool{}
	for _, n := range cases {
		seen[testOf(n)] = true
	}
	return len(seen)
}

// witnesses returns the number of distinct accounts that the cases rest on: one note on many runs, such as on all that
// were labelled at once, is one account. A case without a note is one account by its findings.
func witnesses(cases []*tree.Node) int {
	seen := map[string]bool{}
	for _, n := range cases {
		if note := tree.TestKey(n.CaseData.EvaluatorReason); note != "" {
			seen["note "+note] = true
		} else {
			seen[n.ID] = true
		}
	}
	return len(seen)
}

// evenly returns at most n nodes of a list that is sorted by id, at equal distances.
// Ids are hashes, so this is a random sample that is always the same.
func evenly(list []*tree.Node, n int) []*tree.Node {
	if len(list) <= n {
		return list
	}
	out := make([]*tree.Node, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// langOf returns the language of most cases, "zh" or "en"; a tie is decided by the first case.
func langOf(cases []*tree.Node) string {
	zh := 0
	for _, n := range cases {
		if n.Lang == "zh" {
			zh++
		}
	}
	if 2*zh > len(cases) || 2*zh == len(cases) && cases[0].Lang == "zh" {
		return "zh"
	}
	return "en"
}

// edits is a working copy of a survey. It holds the nodes that a plan changes.
type edits struct {
	*survey
	touched map[string]*touch
}

// touch is a node that a plan changes.
type touch struct {
	node tree.Node
	op   tree.Op
	why  string
}

func (s *survey) edits() *edits { return &edits{survey: s, touched: map[string]*touch{}} }

// get returns a node in the state of the plan.
func (w *edits) get(id string) (tree.Node, bool) {
	if t := w.touched[id]; t != nil {
		return t.node, true
	}
	if n := w.nodes[id]; n != nil {
		return n.Clone(), true
	}
	return tree.Node{}, false
}

// clearParent clears the parent of a node if it is from.
func (w *edits) clearParent(id, from string) {
	n, ok := w.get(id)
	if !ok || n.Parent != from {
		return
	}
	n.Parent = ""
	w.put(n, tree.OpAttach, "no longer part of "+from)
}

// weight orders operations. When several change one node, the weightiest is the Op of the change.
var weight = map[tree.Op]int{
	tree.OpCredit: 1, tree.OpAttach: 2, tree.OpRevise: 2, tree.OpSupersede: 3, tree.OpStatus: 3,
	tree.OpArchive: 4, tree.OpAdd: 5,
}

// peek is get without a copy; the caller must not change the node. It returns nil if it does not exist.
func (w *edits) peek(id string) *tree.Node {
	if t := w.touched[id]; t != nil {
		return &t.node
	}
	return w.nodes[id]
}

// put sets a node in the working copy, with the reason for the change.
func (w *edits) put(n tree.Node, op tree.Op, why string) {
	if t := w.touched[n.ID]; t != nil {
		if weight[op] > weight[t.op] {
			t.op, t.why = op, why
		}
		t.node = n
		return
	}
	w.touched[n.ID] = &touch{n, op, why}
}

// changes returns a change for each node that was touched and differs from the stored
// one, sorted by level from the top, then by id.
func (w *edits) changes() []tree.Change {
	all := make([]*touch, 0, len(w.touched))
	for _, t := range w.touched {
		old, revision := w.nodes[t.node.ID], 0
		if was := w.lifted[t.node.ID]; was != nil {
			old = was
		}
		if old != nil {
			revision = old.Revision
			if same(old, &t.node) {
				continue
			}
		}
		t.node.Revision = revision
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *touch) int {
		return cmp.Or(cmp.Compare(b.node.Level, a.node.Level), cmp.Compare(a.node.ID, b.node.ID))
	})
	out := make([]tree.Change, 0, len(all))
	for _, t := range all {
		out = append(out, tree.NewChange(t.op, t.node, t.node.Revision, "evolution", t.why))
	}
	return out
}

// same reports whether two nodes are equal except for Revision and LastChange.
func same(a, b *tree.Node) bool {
	if a.Parent != b.Parent || a.Status != b.Status {
		return false // most changes are of these two fields, and encoding a node is slow
	}
	x, y := *a, *b
	x.Revision, y.Revision, x.LastChange, y.LastChange = 0, 0, "", ""
	return tree.Spelled(&x) == tree.Spelled(&y)
}

// parents maps the id of a case to those of the experiences that have it.
func parents(experiences []*tree.Node) map[string][]string {
	out := map[string][]string{}
	for _, e := range experiences {
		for _, id := range e.Children {
			out[id] = append(out[id], e.ID)
		}
	}
	return out
}

func compareIDs(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) }
