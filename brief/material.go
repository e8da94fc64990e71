package brief

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Material is a node in use, or a fact about the product, as a reader sees it.
type Material struct {
	ID     string   // id of the node or fact
	Line   string   // text of the memory on one line; "" if readers are not shown it
	Checks []string // ids of the checks that the memory is about, sorted
	Cases  int      // number of cases of the memory

	products []string // of its cases, sorted; empty if they name none
	lesson   bool
	fact     bool
	explains []string // cases of a fact
	advice   string   // the advice of a lesson, without its examples
}

// FactOf returns the Material of the fact with this id and statement. cases are the ids of the cases whose notes state
// it; Book.Learn gives these no line, because the fact explains them.
func FactOf(id string, s *ledger.Statement, cases []string) Material {
	m := Material{ID: id, Cases: len(cases), fact: true, explains: cases}
	m.Line = "known · " + text.Line(text.Clip(s.Text, mostFact))
	if len(s.Pages) > 0 {
		m.Line += " · on " + text.Line(text.Clip(strings.Join(s.Pages, ", "), mostExample))
	}
	if s.Scope.Product != "" {
		m.products = []string{s.Scope.Product}
	}
	m.advice = m.Line
	return m
}

// of returns the product whose tests alone a memory concerns, "" for any: advice may be general, a fact holds for its
// product.
func (m *Material) of() string {
	if m.fact && len(m.products) > 0 {
		return m.products[0]
	}
	return ""
}

// digest identifies the content of a memory, "" without a line. A case is its evidence, which never changes. A lesson
// is its advice; a change of its examples is no reason to read it again. A fact is its statement.
func (m *Material) digest() string {
	switch {
	case m.Line == "":
		return ""
	case m.lesson, m.fact:
		return tree.Hash(m.advice)
	default:
		return tree.Hash(m.ID)
	}
}

// The maximum number of characters of the parts of a line.
const (
	mostLesson  = 180 // the advice of a lesson
	mostFact    = 240 // a statement
	mostExample = 70  // each of the examples of a lesson
	examples    = 3
	mostTask    = 110
	mostNote    = 160
	plainNote   = 24 // cells of a note that is sufficient by itself; a shorter one is followed by the agent's claim
)

// productsOf returns the products of a memory and of its cases, sorted.
func productsOf(n *tree.Node, byID map[string]*tree.Node) []string {
	in := map[string]bool{n.Scope.Product: true}
	for _, id := range n.Children {
		if c := byID[id]; c != nil {
			in[c.Scope.Product] = true
		}
	}
	delete(in, "")
	return slices.Sorted(maps.Keys(in))
}

// Memories returns a Material for each of the nodes in use, lessons first, then by id. Line is empty for strategies,
// for cases of a lesson, because the lesson's line quotes some of them, and for nodes with a case of a hidden product.
// hidden may be nil.
func Memories(nodes []tree.Node, hidden func(product string) bool) []Material {
	byID := make(map[string]*tree.Node, len(nodes))
	for i := range nodes {
		byID[nodes[i].ID] = &nodes[i]
	}
	behind := map[string]bool{}
	for i := range nodes {
		if n := &nodes[i]; n.Type == tree.Experience && n.Live() {
			for _, c := range n.Children {
				behind[c] = true
			}
		}
	}
	var out []Material
	for i := range nodes {
		n := &nodes[i]
		if !n.Live() {
			continue
		}
		m := Material{ID: n.ID, Checks: Checks(n), Cases: 1, lesson: n.Type == tree.Experience, products: productsOf(n, byID)}
		switch {
		case hidden != nil && slices.ContainsFunc(m.products, hidden):
		case n.Type == tree.Experience:
			m.Cases = len(n.Children)
			m.advice = adviceLine(n)
			m.Line = m.advice + exampleLine(n, byID)
		case n.Type == tree.Case && !behind[n.ID]:
			m.Line = caseLine(n)
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Material) int {
		if a.lesson != b.lesson {
			if a.lesson {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return out
}

// Checks returns the ids of the checks that memory n is about, sorted, each once.
func Checks(n *tree.Node) []string {
	var ids []string
	for _, l := range n.Says() {
		if l.Kind != "" {
			ids = append(ids, l.Kind)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// direction names the direction of a mistake in the terms of the prompt.
func direction(n *tree.Node) string {
	switch n.Direction {
	case taxonomy.FalsePass:
		return "missed"
	case taxonomy.FalseFail:
		return "false alarm"
	default:
		return "wrong"
	}
}

// adviceLine returns the advice of a lesson.
func adviceLine(n *tree.Node) string {
	parts := []string{direction(n)}
	for _, s := range []string{n.Content.Title, n.Content.Guidance} {
		if s = text.Line(text.Clip(s, mostLesson)); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " · ")
}

// exampleLine continues a lesson with the tasks of some of its cases, the longest notes first.
func exampleLine(n *tree.Node, byID map[string]*tree.Node) string {
	var cases []string
	for _, id := range n.Children {
		c := byID[id]
		if c == nil || c.CaseData == nil {
			continue
		}
		if s := text.Line(text.Clip(note(c), mostExample)); s != "" && !slices.Contains(cases, s) {
			cases = append(cases, s)
		}
	}
	slices.SortStableFunc(cases, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	if len(cases) == 0 {
		return ""
	}
	return " · e.g. " + strings.Join(cases[:min(examples, len(cases))], " | ")
}

// caseLine returns a case: the task, and the note of a person, the truth or the agent's claim.
func caseLine(n *tree.Node) string {
	if n.CaseData == nil {
		return ""
	}
	task := text.Line(text.Clip(n.CaseData.TestCase.Prompt, mostTask))
	return direction(n) + " · " + task + " → " + text.Line(text.Clip(note(n), mostNote))
}

// note returns the most informative text of a case: the evaluator's note; without one the truth, and the agent's
// claim.
func note(n *tree.Node) string {
	d := n.CaseData
	if text.Width(d.EvaluatorReason) >= plainNote {
		return d.EvaluatorReason
	}
	said := d.AgentJudgment
	if v := judgment.Decode(tree.Raw(said)); v != nil {
		said = judgment.Reasoning(v)
	}
	var parts []string
	if d.EvaluatorReason != "" {
		parts = append(parts, d.EvaluatorReason)
	}
	for _, m := range d.Misses {
		if s := cmp.Or(m.How, m.Truth); s != "" && !slices.Contains(parts, s) {
			parts = append(parts, text.Clip(s, mostExample))
		}
	}
	if said != "" {
		parts = append(parts, "claimed: "+said)
	}
	return strings.Join(parts, "; ")
}
