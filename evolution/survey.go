package evolution

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// survey is the tree as a plan sees it.
type survey struct {
	nodes  map[string]*tree.Node // all of them, cases with their misses
	lifted map[string]*tree.Node // cases as they are whose misses this plan reads
	cases  []*tree.Node          // live, sorted by id
	now    time.Time             // of the newest evaluation
}

// survey reads the tree. Time is that of the newest evaluation; what is from
// after limit is not believed to be the newest.
func (e *Evolver) survey(ctx context.Context, v View, limit time.Time) (*survey, error) {
	s := &survey{nodes: map[string]*tree.Node{}, lifted: map[string]*tree.Node{}}
	for n, err := range v.Scan(ctx, tree.Filter{}) {
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
	return s, nil
}

// lift reads the misses of a case that was stored before there were any, and
// types each as the taxonomy has its check now.
func (e *Evolver) lift(s *survey, n *tree.Node) *tree.Node {
	first := len(n.CaseData.Misses) == 0 && e.o.Lift != nil
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

// mistyped reports whether a miss is of another error type than its check.
func (e *Evolver) mistyped(m tree.Miss) bool {
	c, known := e.o.Taxonomy.Check(m.Check)
	return known && m.ErrorType != c.ErrorType()
}

// taken makes the survey what it is once changes are applied: the plans that
// follow are made on that.
func (s *survey) taken(changes []tree.Change) {
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

// live returns the live nodes of a level, sorted by id.
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

// standing are the cases of an experience that are in use.
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

// lastSeen is when the mistake of a case was last made.
func lastSeen(n *tree.Node) time.Time {
	at := n.Metadata.UpdatedAt
	for _, o := range n.Occurrences {
		if o.At.After(at) {
			at = o.At
		}
	}
	return at
}

// testOf tells distinct tests apart: by their id, or where they have none by
// their prompt.
func testOf(n *tree.Node) string {
	if id := n.CaseData.TestCase.CaseID; id != "" {
		return id
	}
	return tree.Hash(n.CaseData.TestCase.Prompt)
}

// tests returns how many distinct tests cases come from.
func tests(cases []*tree.Node) int {
	seen := map[string]bool{}
	for _, n := range cases {
		seen[testOf(n)] = true
	}
	return len(seen)
}

// evenly returns at most n of a list sorted by id: ids are hashes, so this is a
// random sample, and always the same.
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

// langOf is the language of most cases, that of the first for a tie.
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

// edits is a working copy: the nodes that a plan changes.
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

// get returns a node as the plan has it so far.
func (w *edits) get(id string) (tree.Node, bool) {
	if t := w.touched[id]; t != nil {
		return t.node, true
	}
	if n := w.nodes[id]; n != nil {
		return n.Clone(), true
	}
	return tree.Node{}, false
}

// weight orders operations: of several on one node the weightiest names the change.
var weight = map[tree.Op]int{tree.OpCredit: 1, tree.OpAttach: 2, tree.OpRevise: 2, tree.OpSupersede: 3, tree.OpStatus: 3, tree.OpArchive: 4, tree.OpAdd: 5}

// peek is get for reading.
func (w *edits) peek(id string) *tree.Node {
	if t := w.touched[id]; t != nil {
		return &t.node
	}
	return w.nodes[id]
}

// put notes a node as it should be.
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

// changes turns what was touched into changes, sorted by level from the top and
// id, without those that would leave a node as it is.
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

// same reports whether two nodes differ in nothing but who changed them last.
func same(a, b *tree.Node) bool {
	if a.Parent != b.Parent || a.Status != b.Status {
		return false // most that changed, and spelling takes its time
	}
	x, y := *a, *b
	x.Revision, y.Revision, x.LastChange, y.LastChange = 0, 0, "", ""
	return tree.Spelled(&x) == tree.Spelled(&y)
}

// parents returns the experiences that list a case, by its id.
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
