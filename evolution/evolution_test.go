package evolution

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/embed"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// memory is a tree in memory: what formation and evolution read, and the door.
type memory struct {
	tb    testing.TB
	nodes map[string]tree.Node
	kept  map[string][]byte
}

func newMemory(tb testing.TB) *memory {
	return &memory{tb: tb, nodes: map[string]tree.Node{}, kept: map[string][]byte{}}
}

func (m *memory) sorted() []tree.Node {
	var all []tree.Node
	for _, n := range m.nodes {
		all = append(all, n.Clone())
	}
	slices.SortFunc(all, func(a, b tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func (m *memory) Scan(_ context.Context, f tree.Filter) iter.Seq2[tree.Node, error] {
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
		return n.Clone(), nil
	}
	return tree.Node{}, tree.ErrNotFound
}

// cache is the part of a memory that keeps what became of jobs.
type kept struct{ m *memory }

func (k kept) Get(key string) ([]byte, bool) { b, ok := k.m.kept[key]; return b, ok }
func (k kept) Put(_ context.Context, key string, v []byte) error {
	k.m.kept[key] = slices.Clone(v)
	return nil
}

func (m *memory) Similar(_ context.Context, n *tree.Node, k int) ([]tree.Node, error) {
	var out []tree.Node
	for _, o := range m.sorted() {
		if o.Type == tree.Case && o.ErrorType == n.ErrorType && o.Direction == n.Direction && o.Scene.ID == n.Scene.ID && len(out) < k {
			out = append(out, o)
		}
	}
	return out, nil
}

// apply is the door: every law, then the changes.
func (m *memory) apply(changes []tree.Change) {
	m.tb.Helper()
	for _, c := range changes {
		require.NoError(m.tb, tree.Check(&c.Node), c.Why)
		require.Equal(m.tb, m.nodes[c.Node.ID].Revision, c.Basis[c.Node.ID])
		m.nodes[c.Node.ID] = c.Node.Clone()
	}
	for _, n := range m.nodes {
		require.NoError(m.tb, tree.CheckLinks(context.Background(), &n, m.Get))
	}
}

func (m *memory) form(es []tree.Evaluation) {
	m.tb.Helper()
	f, err := formation.New(formation.Options{})
	require.NoError(m.tb, err)
	for _, e := range es {
		out, err := f.Form(context.Background(), e, m)
		require.NoError(m.tb, err)
		for _, c := range out.Changes {
			m.nodes[c.Node.ID] = c.Node
		}
	}
}

// evolve plans and applies once, and returns the plans.
func (m *memory) evolve(o Options, p PlanOptions) []Plan {
	m.tb.Helper()
	if o.Cache == nil {
		o.Cache = kept{m}
	}
	e, err := New(o)
	require.NoError(m.tb, err)
	var all []Plan
	for plan, err := range e.Plan(context.Background(), m, p) {
		require.NoError(m.tb, err)
		m.apply(plan.Changes)
		all = append(all, plan)
	}
	return all
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

func options(tb testing.TB) Options {
	tb.Helper()
	table, err := embed.Default()
	require.NoError(tb, err)
	return Options{Embedder: table, Unsafe: enhance.Unsafe}
}

func shared(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		tb.Skip("the shared data is not here; set MEMTREE_SHARED to the folder that has data/ in it")
	}
	return filepath.Join(dir, "data")
}

func lines(tb testing.TB, path string, each func(line []byte)) {
	tb.Helper()
	f, err := os.Open(path)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, f.Close()) }()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 8<<20)
	for s.Scan() {
		each(s.Bytes())
	}
	require.NoError(tb, s.Err())
}

func evaluations(tb testing.TB, name string) []tree.Evaluation {
	var list []tree.Evaluation
	lines(tb, filepath.Join(shared(tb), "evaluations", name), func(line []byte) {
		var e tree.Evaluation
		require.NoError(tb, json.Unmarshal(line, &e))
		list = append(list, e)
	})
	return list
}

// made returns a case of a made-up shop.
func made(i int, errorType string, d taxonomy.Direction, prompt, reason, hint string) tree.Node {
	at := time.Date(2026, 1, 1+i%20, 9, 0, 0, 0, time.UTC)
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: errorType, Direction: d, Lang: "en", Status: tree.Active, Revision: 1,
		Children: []string{}, Scene: tree.Scene{ID: fmt.Sprint("S", i), Type: "form", Route: "/orders"},
		Content:    tree.Content{Title: "t", Description: reason, Guidance: hint, Confidence: 0.6},
		Metadata:   tree.Metadata{CreatedAt: at, UpdatedAt: at},
		Provenance: tree.Provenance{By: "formation", Analyst: "model"},
		CaseData: &tree.CaseData{
			TestCase:      tree.TestCase{CaseID: fmt.Sprint("T", i), Prompt: prompt, GroundTruth: tree.Raw(`"true"`)},
			AgentJudgment: "pass", ActualError: reason, ErrorReason: reason, AvoidanceHint: hint,
		},
		Occurrences: []tree.Occurrence{{Evaluation: fmt.Sprint("v", i), At: at}},
	}
	n.ID = tree.CaseID(&n)
	return n
}

// shop is two causes of one type and direction, and some cases apart.
func shop() []tree.Node {
	things := []string{"invoice", "voucher", "basket", "refund", "delivery", "wishlist", "receipt", "parcel"}
	var out []tree.Node
	for i, x := range things[:5] {
		out = append(out, made(i, "content_validation_error", taxonomy.FalsePass,
			"Check that the "+x+" total on the order page equals the sum of its lines.",
			"The agent did not add the lines of the "+x+" up and took the rounded total for the exact sum.",
			"Add the lines up to the cent and compare the sum with the total."))
	}
	for i, x := range things[4:8] {
		out = append(out, made(10+i, "content_validation_error", taxonomy.FalsePass,
			"Check that the "+x+" shows its date in the language of the account.",
			"The agent overlooked that the month of the "+x+" date was spelled in a foreign language.",
			"Read day, month and year of the date and compare the month name with the account language."))
	}
	out = append(out, made(20, "content_validation_error", taxonomy.FalsePass, "Check the logo.", "The agent missed that a picture was upside down.", "Compare the picture with the design."))
	return out
}

func planted(tb testing.TB, nodes []tree.Node) *memory {
	m := newMemory(tb)
	for _, n := range nodes {
		m.nodes[n.ID] = n
	}
	return m
}

func TestEvolveLearns(t *testing.T) {
	m := planted(t, shop())
	plans := m.evolve(options(t), PlanOptions{})
	require.Len(t, plans, 1)
	require.Empty(t, plans[0].Rejections)
	require.Len(t, m.live(tree.Experience), 2)
	require.Len(t, m.live(tree.Strategy), 1)
	for _, n := range append(m.live(tree.Experience), m.live(tree.Strategy)...) {
		b, err := json.MarshalIndent(n.Content, "", "  ")
		require.NoError(t, err)
		golden.Equal(t, "testdata/shop."+n.ID+".golden", string(b)+"\n")
	}
	before := m.text()
	for _, p := range m.evolve(options(t), PlanOptions{}) {
		require.Empty(t, p.Changes, "a second run has nothing to do")
		require.Zero(t, p.Calls)
	}
	require.Equal(t, before, m.text())
}

func sortedIDs(ids []string) []string { return slices.Sorted(slices.Values(ids)) }
