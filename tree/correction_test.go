package tree_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

func corrected() tree.Correction {
	return tree.Correction{
		Evaluation: "v_1", Trial: "t_1", CaseID: "c", P: 0.9, Bound: 0.8, Signals: []string{"words"},
		Asked: tree.Other, Done: tree.Other, First: tree.Raw(`"pass"`), Other: tree.Raw(`"fail"`), Now: tree.Raw(`"fail"`),
		Changed: true,
	}
}

func TestCorrectionCheck(t *testing.T) {
	c := corrected()
	require.NoError(t, c.Check())
	for field, spoil := range map[string]func(*tree.Correction){
		"evaluation": func(c *tree.Correction) { c.Evaluation = "" },
		"case_id":    func(c *tree.Correction) { c.CaseID = strings.Repeat("x", tree.MaxName+1) },
		"why":        func(c *tree.Correction) { c.Why = "\x00" },
		"first":      func(c *tree.Correction) { c.First = tree.Raw("{") },
		"now":        func(c *tree.Correction) { c.Now = tree.Quote(strings.Repeat("x", tree.MaxName)) },
		"p":          func(c *tree.Correction) { c.P = math.NaN() },
		"done":       func(c *tree.Correction) { c.Done = tree.Rerun },
		"signals":    func(c *tree.Correction) { c.Signals = []string{"no slug"} },
	} {
		c := corrected()
		spoil(&c)
		var wrong *tree.FieldError
		require.ErrorAs(t, c.Check(), &wrong, field)
		require.Equal(t, field, wrong.Field)
	}
}

func ablated() tree.Ablation {
	return tree.Ablation{
		Trial: "t_1", Evaluation: "v_1", Pairs: 2, Given: []string{"c_1", "c_2"},
		Tried: []tree.Tried{{Correct: true}, {Given: []string{"c_1", "c_2"}}},
		Blame: tree.OnMemory, Culprits: []string{"c_2"},
	}
}

func TestAblationCheck(t *testing.T) {
	a := ablated()
	require.NoError(t, a.Check())
	for field, spoil := range map[string]func(*tree.Ablation){
		"trial":    func(a *tree.Ablation) { a.Evaluation = "" },
		"why":      func(a *tree.Ablation) { a.Why = strings.Repeat("x", tree.MaxName+1) },
		"given":    func(a *tree.Ablation) { a.Given = []string{"c_1", "c_1"} },
		"tried":    func(a *tree.Ablation) { a.Tried[1].Given = []string{"c_3"} },
		"pairs":    func(a *tree.Ablation) { a.Pairs = 1 },
		"blame":    func(a *tree.Ablation) { a.Blame = "me" },
		"culprits": func(a *tree.Ablation) { a.Blame = tree.OnFlaky },
	} {
		a := ablated()
		spoil(&a)
		var wrong *tree.FieldError
		require.ErrorAs(t, a.Check(), &wrong, field)
		require.Equal(t, field, wrong.Field)
	}
	a.Tried = make([]tree.Tried, tree.MaxTried+1)
	require.Error(t, a.Check())
}
