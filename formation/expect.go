package formation

import (
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// expected returns what should be true of the page according to a note on a missed defect. After a false alarm such
// notes describe the correct behaviour, so it returns nothing; see claims.
func (r *missReader) expected(note string) []tree.Expectation {
	if r.judged.Direction == taxonomy.FalseFail {
		return nil
	}
	return fact.Expect(note, r.e.Prompt)
}

// saidBy divides the expectations of a note into those of one of its sentences, and the others.
func saidBy(sentence string, all []tree.Expectation) (own, others []tree.Expectation) {
	for _, e := range all {
		if strings.Contains(sentence, e.From) {
			own = append(own, e)
		} else {
			others = append(others, e)
		}
	}
	return own, others
}

// claims adds the expectations in the defects that an agent wrongly listed to the first miss of a false alarm: the
// page meets each of them, contrary to the agent's claim. It does not read prose of the agent.
func (r *missReader) claims() {
	if r.judged.Direction != taxonomy.FalseFail {
		return
	}
	for _, d := range defectsOf(r.judgment) {
		m := &r.list[0]
		m.Expect = first(append(m.Expect, fact.Expect(d.text, r.e.Prompt)...), tree.MaxExpectations)
	}
}

// expectedOf returns what should be true of the page according to a listed defect.
func (r *missReader) expectedOf(d defect) []tree.Expectation {
	if e, ok := asFields(d.fields); ok && r.judged.Direction != taxonomy.FalseFail {
		e.From = firstBytes(d.text, tree.MaxNodeLine)
		if e.Check() == nil {
			return []tree.Expectation{e}
		}
	}
	return r.expected(d.text)
}

// The folded names of fields in which an object describes a defect of a page.
var (
	elementFields  = strings.Fields("element name field label target 元素 字段 名称")
	expectedFields = strings.Fields("expected expectation want should 预期 期望 应为")
	actualFields   = strings.Fields("actual received found got observed seen 实际 实际值")
)

// asFields reads a defect that is an object with fields for the expected and the actual value, as reports of test
// tools have them.
func asFields(o map[string]any) (tree.Expectation, bool) {
	e := tree.Expectation{
		Where: tree.Where{Name: fieldOf(o, elementFields)}, Property: tree.OfText,
		Expected: fieldOf(o, expectedFields), Seen: fieldOf(o, actualFields),
	}
	if fact.IsNumber(e.Expected) && fact.IsNumber(e.Seen) && e.Where.Name != "" {
		e.Property = tree.OfValue
	}
	return e, e.Expected != "" && e.Seen != ""
}

func fieldOf(o map[string]any, names []string) string {
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if s, ok := o[k].(string); ok && slices.Contains(names, judgment.Fold(k)) {
			return strings.TrimSpace(s)
		}
	}
	return ""
}
