package memtree_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// TestFactsTravel: facts in use leave with the tree, wait where they arrive, and stay at home if the choice or a
// redaction asks for it.
func TestFactsTravel(t *testing.T) {
	ctx := t.Context()
	m := taught(t)
	for _, s := range []ledger.Statement{
		{Text: "A hold runs for 15 minutes.", Kind: ledger.Rule, Scope: tree.Scope{Product: "travel"}},
		{Text: "通知在几秒后自动消失。", Kind: ledger.Behaviour, Scope: tree.Scope{Product: "shop"}},
	} {
		_, err := m.Curation().KnowFact(ctx, s, curation.Options{By: "ann"})
		require.NoError(t, err)
	}
	write := func(o *transfer.ExportOptions, form transfer.Form) *transfer.File {
		t.Helper()
		s, err := m.Transfer().Export(ctx, o)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "x")
		_, err = transfer.Write(path, form, s.Nodes(ctx), s.Beside)
		require.NoError(t, err)
		return &transfer.File{Path: path}
	}
	for _, form := range []transfer.Form{transfer.Archive, transfer.Folder} {
		f := write(nil, form)
		other := learning(t, t.TempDir(), nil)
		_, err := other.Transfer().Import(ctx, f.Nodes, nil)
		require.NoError(t, err)
		require.Len(t, f.Facts, 2)
		did, err := other.Knowledge().Import(ctx, f.Facts, "x", false)
		require.NoError(t, err)
		require.Len(t, did.New, 2)
		require.Equal(t, knowledge.Proposed, did.New[0].State)
		did, err = other.Knowledge().Import(ctx, f.Facts, "x", false)
		require.NoError(t, err)
		require.Equal(t, 2, did.Known, "importing again changes nothing")
		s, err := other.Transfer().Export(ctx, nil)
		require.NoError(t, err)
		require.Empty(t, s.Facts, "what nobody confirmed goes no further")
	}
	travel := transfer.ExportOptions{}
	travel.Scope.Product = "travel"
	redacted, left, typed := transfer.ExportOptions{Redact: true}, transfer.ExportOptions{NoFacts: true},
		transfer.ExportOptions{}
	typed.ErrorTypes = []string{"business_rule_error"}
	for _, x := range []struct {
		o    *transfer.ExportOptions
		want int
	}{{&travel, 1}, {&redacted, 0}, {&left, 0}, {&typed, 0}} {
		s, err := m.Transfer().Export(ctx, x.o)
		require.NoError(t, err)
		require.Len(t, s.Facts, x.want)
	}
	require.Equal(t, exportedFile(t, m), exportedFile(t, m), "the same tree gives the same bytes")
}

func exportedFile(t *testing.T, m *memtree.Memory) string { return string(exported(t, m, nil)) }

// TestManifestFacts: a reader refuses facts that are there twice, and git's merge keeps those of both sides.
func TestManifestFacts(t *testing.T) {
	state := func(texts ...string) (b transfer.Beside) {
		for _, s := range texts {
			b.Facts = append(b.Facts, ledger.Statement{Text: s, Kind: ledger.Rule})
		}
		return b
	}
	dir := t.TempDir()
	manifest := func(b transfer.Beside) string {
		t.Helper()
		to := t.TempDir()
		_, err := transfer.Write(to, transfer.Folder, func(func(tree.Node, error) bool) {}, b)
		require.NoError(t, err)
		return filepath.Join(to, "manifest.json")
	}
	_, err := transfer.Write(filepath.Join(dir, "twice"), transfer.Folder, func(func(tree.Node, error) bool) {},
		state("Twice.", "Twice."))
	require.ErrorContains(t, err, "there twice or out of order")

	base, ours, theirs := state("Old."), state(), state("Old.")
	theirs.Facts = append(theirs.Facts, ledger.Statement{Text: "New.", Kind: ledger.Rule})
	if theirs.Facts[0].ID() > theirs.Facts[1].ID() {
		theirs.Facts[0], theirs.Facts[1] = theirs.Facts[1], theirs.Facts[0]
	}
	into := manifest(ours)
	_, err = transfer.MergeFiles(manifest(base), into, manifest(theirs))
	require.NoError(t, err)
	f := transfer.File{Path: filepath.Dir(into)}
	for _, err := range f.Nodes {
		require.NoError(t, err)
	}
	require.Len(t, f.Facts, 1)
	require.Equal(t, "New.", f.Facts[0].Text, "one side removed the other")
}
