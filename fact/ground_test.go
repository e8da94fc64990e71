package fact_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/tree"
)

// TestGround: a proposed expectation is accepted only if the texts contain it literally.
func TestGround(t *testing.T) {
	const prompt = "1. 提交按钮的文字是否为“提交注册”；2. 占位符是否正确"
	said := []string{"The heading reads \"Cart\" instead of \"Basket\".", "提交按钮显示为“确认提交”", "库存数字是 1,204，应为 1,240"}
	heading := tree.Expectation{
		Where: tree.Where{Role: "heading", Name: "heading"}, Property: tree.OfText, Expected: "Basket", Seen: "Cart",
		From: said[0],
	}
	change := func(f func(e *tree.Expectation)) tree.Expectation {
		e := heading
		f(&e)
		return e
	}
	for name, c := range map[string]struct {
		e       tree.Expectation
		problem string // "" means accepted
	}{
		"as the texts say": {heading, ""},
		"expected by the task": {tree.Expectation{Where: tree.Where{Role: "button", Name: "提交"}, Property: tree.OfText,
			Expected: "提交注册", Seen: "确认提交", From: "提交按钮显示为“确认提交”"}, ""},
		"a number in another form": {tree.Expectation{Where: tree.Where{Name: "库存"}, Property: tree.OfValue,
			Expected: "1240", Seen: "1204", From: said[2]}, ""},
		"a state": {change(func(e *tree.Expectation) {
			e.Property, e.Expected, e.Seen = tree.OfState, tree.Present, ""
		}), ""},
		"the other way": {change(func(e *tree.Expectation) { e.Expected, e.Seen = e.Seen, e.Expected }),
			"what was seen"},
		"seen is expected": {change(func(e *tree.Expectation) { e.Expected, e.Seen = "", "Basket" }), "what was wanted"},
		"words of nobody":  {change(func(e *tree.Expectation) { e.Expected = "Trolley" }), "neither in from"},
		"seen in the task": {change(func(e *tree.Expectation) { e.Seen = "提交注册" }), "neither in from"},
		"from is made up": {change(func(e *tree.Expectation) { e.From = "The title reads “Cart”, not “Basket”" }),
			"none of the texts"},
		"a name of nobody":   {change(func(e *tree.Expectation) { e.Where.Name = "title" }), "where.name"},
		"a property unknown": {change(func(e *tree.Expectation) { e.Property = "colour" }), "property"},
		"a role with signs":  {change(func(e *tree.Expectation) { e.Where.Role = "<b>" }), "role"},
		"a description": {tree.Expectation{Where: tree.Where{Role: "textbox"}, Property: tree.OfText,
			Expected: "占位符", From: "提交按钮显示为“确认提交”"}, "is not quoted"},
	} {
		err := fact.Ground(c.e, said, prompt)
		if c.problem == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.problem, name)
		}
	}
}

// TestExpectIsGrounded: expectations read from a note without a model pass the same check.
func TestExpectIsGrounded(t *testing.T) {
	for _, g := range guiTests(t) {
		for _, d := range g.defects {
			for _, e := range fact.Expect(d, g.prompt) {
				require.NoError(t, fact.Ground(e, []string{d}, g.prompt), "%+v", e)
			}
		}
	}
}
