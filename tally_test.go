package memtree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// judged returns runs of a judge on a shop: passes by turns right and wrong on carts, and right ones on forms.
func judged() []memtree.Evaluation {
	out := hasty(40)
	for i := range out {
		out[i].Agent, out[i].Scope.Product = tree.Agent{Name: "judge-a", Model: "m1"}, "secret shop"
		if i%2 == 0 {
			out[i].Scene.Type = "form"
		}
	}
	out[0].Scene.Type, out[1].Agent.Name = "rare scene", "rare judge"
	return out
}

// counting returns a memory that has learned judged, and the file of an export of it.
func counting(t *testing.T, o *transfer.ExportOptions) (*memtree.Memory, *transfer.File) {
	t.Helper()
	m := open(t, t.TempDir(), nil)
	for _, e := range judged() {
		require.NoError(t, m.Record(t.Context(), e))
	}
	require.NoError(t, m.Wait(t.Context()))
	f := &transfer.File{Path: filepath.Join(t.TempDir(), "x.memtree")}
	require.NoError(t, os.WriteFile(f.Path, exported(t, m, o), 0o600))
	for _, err := range f.Nodes {
		require.NoError(t, err)
	}
	return m, f
}

func TestExportSaysNothingOfVerdictsUnasked(t *testing.T) {
	_, f := counting(t, nil)
	require.Nil(t, f.Risk)
}

func TestExportCountsVerdicts(t *testing.T) {
	m, f := counting(t, &transfer.ExportOptions{Risk: true})
	require.Equal(t, 40, f.Risk.Verdicts)
	cart := ledger.TallyRow{Of: ledger.OfScene, Name: "cart", Right: 10, Wrong: 10, Direction: "false_fail"}
	require.Contains(t, f.Risk.Rows, cart)
	require.Contains(t, f.Risk.Rows, ledger.TallyRow{Of: ledger.OfJudge, Name: "judge-a", Model: "m1", Value: "pass",
		Right: 20})
	for _, r := range f.Risk.Rows {
		require.NotContains(t, r.Name, "rare", "what fewer than five verdicts stand behind stays")
	}
	s, err := m.Transfer().Export(t.Context(), &transfer.ExportOptions{Risk: true, Redact: true})
	require.NoError(t, err)
	for _, r := range s.Risk.Rows {
		require.NotEqual(t, ledger.OfProduct, r.Of, "a redacted export names no product")
	}
	s, err = m.Transfer().Export(t.Context(), &transfer.ExportOptions{Risk: true,
		ExportChoice: transfer.ExportChoice{Scope: tree.Scope{Product: "another"}}})
	require.NoError(t, err)
	require.Empty(t, s.Risk.Rows)
	require.ErrorIs(t, m.Transfer().Believe(t.Context(), f.Risk), transfer.ErrOwnRisk)
}

func TestBelieveCounts(t *testing.T) {
	ctx := t.Context()
	_, f := counting(t, &transfer.ExportOptions{Risk: true})
	dir := t.TempDir()
	m := open(t, dir, nil)
	e := judged()[3] // of a cart
	e.Correct, e.GroundTruth = nil, nil
	score := func() float64 {
		r, err := m.Risk(ctx, e)
		require.NoError(t, err)
		return r.Elsewhere
	}
	require.Zero(t, score())
	require.NoError(t, m.Transfer().Believe(ctx, f.Risk))
	first := score()
	require.Positive(t, first, "verdicts on carts were wrong more often there")
	require.NoError(t, m.Transfer().Believe(ctx, f.Risk))
	require.Equal(t, first, score(), "the same counts again change nothing")

	require.NoError(t, m.Close())
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "derived")))
	m = open(t, dir, nil)
	require.Equal(t, first, score(), "the ledger has them")
	require.NoError(t, m.Transfer().Forget(ctx, f.Risk.Origin))
	require.Zero(t, score())

	bad := *f.Risk
	bad.Rows = []ledger.TallyRow{{Of: ledger.OfJudge, Name: strings.Repeat("x", 1000), Right: 5}}
	var field *tree.FieldError
	require.ErrorAs(t, m.Transfer().Believe(ctx, &bad), &field)
}
