package transfer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func TestMergeDriver(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, nodes ...tree.Node) string {
		f := forest{}
		for _, n := range nodes {
			f[n.ID] = n
		}
		var b strings.Builder
		for _, n := range f.nodes() {
			line, err := json.Marshal(transfer.Canonical(n))
			require.NoError(t, err)
			b.Write(line)
			b.WriteByte('\n')
		}
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
		return path
	}
	both, ours, theirs, gone, kept := aCase("both"), aCase("ours"), aCase("theirs"), aCase("gone"), aCase("kept")
	edited := kept
	edited.Mark = tree.Pinned
	other := both
	other.Content.Guidance = "Look twice."
	other.Metadata.UpdatedAt = other.Metadata.UpdatedAt.Add(time.Hour)
	a := file("a", both, ours, gone, edited)
	conflicts, err := transfer.MergeFiles(file("o", both, gone, kept), a, file("b", other, theirs))
	require.NoError(t, err)
	require.Len(t, conflicts, 1)
	require.Equal(t, both.ID, conflicts[0].ID)
	got, err := os.ReadFile(a)
	require.NoError(t, err)
	want, err := os.ReadFile(file("want", transfer.Merge(both, other), ours, theirs, edited))
	require.NoError(t, err)
	var lines []string
	for l := range strings.Lines(string(got)) {
		var n tree.Node
		require.NoError(t, json.Unmarshal([]byte(l), &n))
		lines = append(lines, n.ID)
	}
	require.NotContains(t, lines, gone.ID, "removed there, and not changed here")
	require.Contains(t, lines, edited.ID, "removed there, but changed here")
	require.Len(t, strings.Split(string(want), "\n"), len(lines)+1)

	for _, bad := range []string{"<<<<<<< HEAD\n", "{}\n", `{"errorType":"a"}` + "\n", strings.Repeat("x", 5<<20)} {
		a, b := file("a", both), filepath.Join(dir, "bad")
		require.NoError(t, os.WriteFile(b, []byte(bad), 0o600))
		before, err := os.ReadFile(a)
		require.NoError(t, err)
		_, err = transfer.MergeFiles(file("o"), a, b)
		require.Error(t, err)
		after, err := os.ReadFile(a)
		require.NoError(t, err)
		require.Equal(t, before, after)
	}
}

// FuzzMergeFiles: whatever theirs has, ours becomes a file that can be merged again, or stays
// unchanged.
func FuzzMergeFiles(f *testing.F) {
	line, err := json.Marshal(transfer.Canonical(aCase("x")))
	require.NoError(f, err)
	f.Add(append(line, '\n'))
	f.Add([]byte(`{"format":"memtree-transfer"}`))
	dir := f.TempDir()
	base, ours, theirs := filepath.Join(dir, "o"), filepath.Join(dir, "a"), filepath.Join(dir, "b")
	require.NoError(f, os.WriteFile(base, nil, 0o600))
	f.Fuzz(func(t *testing.T, b []byte) {
		require.NoError(t, os.WriteFile(ours, append(line, '\n'), 0o600))
		require.NoError(t, os.WriteFile(theirs, b, 0o600))
		_, err := transfer.MergeFiles(base, ours, theirs)
		got, readErr := os.ReadFile(ours)
		require.NoError(t, readErr)
		if err != nil {
			require.Equal(t, string(line)+"\n", string(got))
			return
		}
		_, err = transfer.MergeFiles(base, ours, ours)
		require.NoError(t, err)
	})
}

// TestMergedFolder: a case that one branch gave another type is in two files, and is read as one
// node.
func TestMergedFolder(t *testing.T) {
	dir := t.TempDir()
	one, two := aCase("one"), aCase("two")
	retyped := one
	retyped.ErrorType = "business_rule_error"
	retyped.Metadata.UpdatedAt = retyped.Metadata.UpdatedAt.Add(time.Hour)
	_, err := transfer.Write(dir, transfer.Folder, given(append([]tree.Node{retyped}, inOrder(one, two)...)...),
		transfer.Beside{})
	require.NoError(t, err)
	var got []tree.Node
	read := func() error {
		got = nil
		f := transfer.File{Path: dir}
		for n, err := range f.Nodes {
			if err != nil {
				return err
			}
			got = append(got, n)
		}
		return nil
	}
	require.NoError(t, read())
	require.Len(t, got, 3, "else it is for the import to refuse")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.json"),
		[]byte(`{"format":"memtree-transfer","major":1,"merged":true}`), 0o600))
	require.NoError(t, read())
	require.Len(t, got, 2)
	require.Equal(t, one.ID, got[1].ID)
	require.Equal(t, "business_rule_error", got[1].ErrorType, "the later edit")
	_, _, err = unpacked(forged(t, entry("manifest.json",
		`{"format":"memtree-transfer","major":1,"merged":true,"nodes":3}`)))
	require.ErrorContains(t, err, "does not fit", "a file is never merged by git")
}

// inOrder sorts nodes as a file has them.
func inOrder(nodes ...tree.Node) []tree.Node {
	f := forest{}
	for _, n := range nodes {
		f[n.ID] = n
	}
	return f.nodes()
}

// A branch that forgot a memory wins over one that changed it, and the text does not come back.
func TestDriverKeepsTombstones(t *testing.T) {
	n := aCase("secret-plan")
	changed := n.Clone()
	changed.Metadata.UpdatedAt = changed.Metadata.UpdatedAt.AddDate(0, 1, 0)
	changed.Content.Guidance = "Compare the total of secret-plan twice"
	gone := n.Clone()
	gone.Decision = &tree.Decision{Kind: tree.DecisionForget, At: n.Metadata.UpdatedAt}
	gone.Status, gone.ArchivedFor = tree.Archived, "forgotten"
	gone = tree.Tombstone(&gone)
	for _, sides := range [][2]tree.Node{{gone, changed}, {changed, gone}} {
		dir := t.TempDir()
		var paths []string
		for i, v := range []tree.Node{n, sides[0], sides[1]} {
			paths = append(paths, filepath.Join(dir, fmt.Sprint(i)))
			b, err := json.Marshal(v)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(paths[i], append(b, '\n'), 0o600))
		}
		_, err := transfer.MergeFiles(paths[0], paths[1], paths[2])
		require.NoError(t, err)
		b, err := os.ReadFile(paths[1])
		require.NoError(t, err)
		require.NotContains(t, string(b), "secret-plan")
		require.Contains(t, string(b), n.ID)
	}
}
