package tree_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// TestExpectationLaw: an invalid form or a value out of bounds is refused, with its field.
func TestExpectationLaw(t *testing.T) {
	right := tree.Expectation{Where: tree.Where{Role: "button", Name: "Save"}, Property: tree.OfState,
		Expected: tree.Enabled, Seen: tree.Disabled, From: "the Save button is disabled"}
	require.NoError(t, right.Check())
	for field, change := range map[string]func(e *tree.Expectation){
		"expect.property":   func(e *tree.Expectation) { e.Property = "colour" },
		"expect.from":       func(e *tree.Expectation) { e.From = "" },
		"expect.where":      func(e *tree.Expectation) { e.Where = tree.Where{Page: "the footer"} },
		"expect.where.role": func(e *tree.Expectation) { e.Where.Role = "Button 1" },
		"expect.where.name": func(e *tree.Expectation) { e.Where.Name = strings.Repeat("x", tree.MaxName+1) },
		"expect.seen":       func(e *tree.Expectation) { e.Seen = "\xff" },
		"expect.expected":   func(e *tree.Expectation) { e.Expected = "usable" },
	} {
		e := right
		change(&e)
		var wrong *tree.FieldError
		require.ErrorAs(t, e.Check(), &wrong, field)
		require.Equal(t, field, wrong.Field)
	}
	for name, e := range map[string]tree.Expectation{
		"nothing is expected": {Property: tree.OfText, From: "x"},
		"no difference":       {Property: tree.OfText, Expected: "a", Seen: "a", From: "x"},
		"no attribute":        {Where: right.Where, Property: tree.OfAttribute, Expected: "password", From: "x"},
		"no relation":         {Property: tree.OfRelation, Expected: "sum of all", From: "x"},
	} {
		require.Error(t, e.Check(), name)
	}
}

func TestExpectationsAreWithinTheirLimits(t *testing.T) {
	e := tree.Expectation{Property: tree.OfRelation, Expected: tree.PriceTimesQuantity, From: "not multiplied"}
	n := tree.Node{CaseData: &tree.CaseData{Misses: []tree.Miss{{Expect: []tree.Expectation{e}}}}}
	c := n.Clone()
	c.CaseData.Misses[0].Expect[0].From = "changed"
	require.Equal(t, "not multiplied", n.CaseData.Misses[0].Expect[0].From, "a copy shares nothing")

	b, err := json.Marshal(tree.Miss{})
	require.NoError(t, err)
	require.NotContains(t, string(b), "expect", "a miss without any is written as before")

	for range tree.MaxExpectations {
		n.CaseData.Misses[0].Expect = append(n.CaseData.Misses[0].Expect, e)
	}
	require.ErrorContains(t, tree.Check(&n), "at most 16 expectations")
}
