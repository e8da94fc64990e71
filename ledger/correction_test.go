package ledger_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

func corrected() ledger.Correction {
	return ledger.Correction{
		Evaluation: "v_1", Trial: "t_1", CaseID: "c", P: 0.9, Bound: 0.8, Signals: []string{"words"},
		Asked: ledger.Other, Done: ledger.Other, First: tree.Raw(`"pass"`), Other: tree.Raw(`"fail"`),
		Now: tree.Raw(`"fail"`), Changed: true,
	}
}

func TestCorrectionCheck(t *testing.T) {
	c := corrected()
	require.NoError(t, c.Check())
	for field, spoil := range map[string]func(*ledger.Correction){
		"evaluation": func(c *ledger.Correction) { c.Evaluation = "" },
		"case_id":    func(c *ledger.Correction) { c.CaseID = strings.Repeat("x", tree.MaxName+1) },
		"why":        func(c *ledger.Correction) { c.Why = "\x00" },
		"first":      func(c *ledger.Correction) { c.First = tree.Raw("{") },
		"now":        func(c *ledger.Correction) { c.Now = tree.Quote(strings.Repeat("x", tree.MaxName)) },
		"p":          func(c *ledger.Correction) { c.P = math.NaN() },
		"done":       func(c *ledger.Correction) { c.Done = ledger.Rerun },
		"signals":    func(c *ledger.Correction) { c.Signals = []string{"no slug"} },
	} {
		c := corrected()
		spoil(&c)
		var wrong *tree.FieldError
		require.ErrorAs(t, c.Check(), &wrong, field)
		require.Equal(t, field, wrong.Field)
	}
}

func ablated() ledger.Ablation {
	return ledger.Ablation{
		Trial: "t_1", Evaluation: "v_1", Pairs: 2, Given: []string{"c_1", "c_2"},
		Tried: []ledger.Tried{{Correct: true}, {Given: []string{"c_1", "c_2"}}},
		Blame: ledger.OnMemory, Culprits: []string{"c_2"},
	}
}

func TestAblationCheck(t *testing.T) {
	a := ablated()
	require.NoError(t, a.Check())
	for field, spoil := range map[string]func(*ledger.Ablation){
		"trial":    func(a *ledger.Ablation) { a.Evaluation = "" },
		"why":      func(a *ledger.Ablation) { a.Why = strings.Repeat("x", tree.MaxName+1) },
		"given":    func(a *ledger.Ablation) { a.Given = []string{"c_1", "c_1"} },
		"tried":    func(a *ledger.Ablation) { a.Tried[1].Given = []string{"c_3"} },
		"pairs":    func(a *ledger.Ablation) { a.Pairs = 1 },
		"blame":    func(a *ledger.Ablation) { a.Blame = "me" },
		"culprits": func(a *ledger.Ablation) { a.Blame = ledger.OnFlaky },
	} {
		a := ablated()
		spoil(&a)
		var wrong *tree.FieldError
		require.ErrorAs(t, a.Check(), &wrong, field)
		require.Equal(t, field, wrong.Field)
	}
	a.Tried = make([]ledger.Tried, ledger.MaxTried+1)
	require.Error(t, a.Check())
}
