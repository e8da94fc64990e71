package evolution

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// memory is a tree in memory. It is what formation and evolution read, and applies
// their changes.
type memory struct {
	tb    testing.TB
	nodes map[string]tree.Node
	kept  map[string][]byte
}

func newMemory(tb testing.TB) *memory {
	return &memory{tb: tb, nodes: map[string]tree.Node{}, kept: map[string][]byte{}}
}

func planted(tb testing.TB, nodes []tree.Node) *memory {
	m := newMemory(tb)
	m.plant(nodes...)
	return m
}

func (m *memory) plant(nodes ...tree.Node) {
	for _, n := range nodes {
		m.nodes[n.ID] = n.Clone()
	}
}

// edit changes a node as a person or an earlier version would have.
func (m *memory) edit(id string, f func(n *tree.Node)) {
	n := m.nodes[id]
	n = n.Clone()
	f(&n)
	n.Revision++
	m.nodes[id] = n
}

func (m *memory) sorted() []tree.Node {
	var all []tree.Node
	for _, n := range m.nodes {
		all = append(all, n.Clone())
	}
	slices.SortFunc(all, func(a, b tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func (m *memory) Scan(_ context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		for _, n := range m.sorted() {
			if f.Match(&n) && !yield(n, nil) {
				return
			}
		}
	}
}

func (m *memory) Get(_ context.Context, id string) (tree.Node, error) {
	if n, ok := m.nodes[id]; ok {
		return n, nil // read only
	}
	return tree.Node{}, tree.ErrNotFound
}

// kept is the jobCache of a memory.
type kept struct{ m *memory }

func (k kept) Get(key string) ([]byte, bool)                     { b, ok := k.m.kept[key]; return b, ok }
func (k kept) Together(_ context.Context, do func() error) error { return do() }

func (k kept) Put(_ context.Context, key string, v []byte) error {
	k.m.kept[key] = slices.Clone(v)
	return nil
}

func (m *memory) Similar(_ context.Context, n *tree.Node, k int) ([]tree.Node, error) {
	var out []tree.Node
	for _, o := range m.sorted() {
		if o.Type == tree.Case && o.ErrorType == n.ErrorType && o.Direction == n.Direction && o.Scene.ID == n.Scene.ID &&
			len(out) < k {
			out = append(out, o)
		}
	}
	return out, nil
}

// apply applies the changes of a plan and then checks every law of every node.
func (m *memory) apply(changes []tree.Change) {
	m.tb.Helper()
	for _, c := range changes {
		require.NoError(m.tb, tree.Check(&c.Node), c.Why)
		require.Equal(m.tb, m.nodes[c.Node.ID].Revision, c.Basis[c.Node.ID], "%s: %s", c.Node.ID, c.Why)
		m.nodes[c.Node.ID] = c.Node.Clone()
	}
	if len(changes) == 0 {
		return
	}
	for _, n := range m.nodes {
		require.NoError(m.tb, tree.CheckLinks(context.Background(), &n, m.Get))
	}
}

// form makes cases of evaluations, with the sentences of a taxonomy.
func (m *memory) form(tax *taxonomy.Taxonomy, es []tree.Evaluation) {
	m.tb.Helper()
	f := former(m.tb, tax)
	for _, e := range es {
		out, err := f.Form(context.Background(), e, m)
		require.NoError(m.tb, err)
		for _, c := range out.Changes {
			m.nodes[c.Node.ID] = c.Node
		}
	}
}

func former(tb testing.TB, tax *taxonomy.Taxonomy) *formation.Former {
	tb.Helper()
	return formation.New(formation.Options{Taxonomy: tax, Words: enhance.NewWording(tax).Fill})
}

// evolve plans and applies once, and returns the plans.
func (m *memory) evolve(o Options, p PlanOptions) []Plan {
	m.tb.Helper()
	if o.Cache == nil {
		o.Cache = kept{m}
	}
	e := evolver(m.tb, o)
	var all []Plan
	for plan, err := range e.Plan(context.Background(), m, p) {
		require.NoError(m.tb, err)
		m.apply(plan.Changes)
		all = append(all, plan)
	}
	return all
}

// evolver is New, but compiles a taxonomy once for all tests.
func evolver(tb testing.TB, o Options) *Evolver {
	tb.Helper()
	if o.Generator != nil || o.Unsafe != nil || o.Cache == nil {
		return New(o)
	}
	once, _ := compiled.LoadOrStore(o.Taxonomy,
		sync.OnceValue(func() *Evolver { return New(Options{Taxonomy: o.Taxonomy}) }))
	e := *once.(func() *Evolver)()
	e.o = o
	return &e
}

var compiled sync.Map // func() *Evolver by taxonomy

// settled checks that another plan changes nothing and calls no model.
func (m *memory) settled(o Options) {
	m.tb.Helper()
	before := m.text()
	for _, p := range m.evolve(o, PlanOptions{}) {
		require.Empty(m.tb, p.Changes, "a second run has nothing to do")
		require.Zero(m.tb, p.Calls)
	}
	require.Equal(m.tb, before, m.text())
}

// text is the whole tree as bytes.
func (m *memory) text() string {
	b, err := json.MarshalIndent(m.sorted(), "", " ")
	require.NoError(m.tb, err)
	return string(b)
}

func (m *memory) live(t tree.Type) []tree.Node {
	return slices.DeleteFunc(m.sorted(), func(n tree.Node) bool { return n.Type != t || !n.Live() })
}

// lesson returns the live experience about a check, the zero node for none.
func (m *memory) lesson(check string, d taxonomy.Direction) tree.Node {
	for _, n := range m.live(tree.Experience) {
		if kindOf(&n) == check && n.Direction == d {
			return n
		}
	}
	return tree.Node{}
}

// group returns the group, in the plans, of the cases of a check that are no experience.
func group(plans []Plan, check string) (Group, bool) {
	for _, p := range plans {
		for _, g := range p.Groups {
			if g.Check == check {
				return g, true
			}
		}
	}
	return Group{}, false
}

func lacks(g Group) []string {
	var out []string
	for _, l := range g.Missing {
		out = append(out, l.What)
	}
	return out
}

func TestEvolveLearns(t *testing.T) {
	m := planted(t, shop())
	plans := m.evolve(options(t), PlanOptions{})
	for _, p := range plans {
		require.Empty(t, p.Rejections)
	}
	require.Len(t, m.live(tree.Experience), 2)
	require.Len(t, m.live(tree.Strategy), 1)
	for _, n := range append(m.live(tree.Experience), m.live(tree.Strategy)...) {
		require.Equal(t, tree.Probation, n.Status)
		b, err := json.MarshalIndent(n.Content, "", "  ")
		require.NoError(t, err)
		name := "strategy"
		if n.Type == tree.Experience {
			name = kindOf(&n)
		}
		golden.Equal(t, "testdata/shop."+name+".golden", string(b)+"\n")
	}
	m.nobodysWords(tax(t))
	m.settled(options(t))
}
