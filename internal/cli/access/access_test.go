package access

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// doorTo returns the door to a store, and what it prints beside the result.
func doorTo(dir string) (*Opener, *bytes.Buffer) {
	var notes bytes.Buffer
	v := say.New(say.Process{Stderr: &notes, Getenv: func(string) string { return "" }})
	d := &Opener{Voice: v, Model: &model.Model{Voice: v}, Dir: dir}
	d.Model.Folder, v.Explain = d.Folder, d.Explain
	return d, &notes
}

func nothing(*memtree.Memory) error { return nil }

// TestFolders: a folder that is no store is refused with what to do, whatever a command wants from it.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		name, dir string
		how       openMode
		want      string // "": no error
	}{
		{"missing, to read", filepath.Join(dir, "none"), Reading, "make one with `memtree init`"},
		{"missing, to write", filepath.Join(dir, "none"), Writing, "make one with `memtree init`"},
		{"missing, to make", filepath.Join(dir, "none"), Making, ""},
		{"without a store", dir, Asking, "make one with `memtree init`"},
		{"without a store, to make", dir, Making, ""},
		{"a file", file, Making, "is a file; a store is a folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _ := doorTo(c.dir)
			err := d.CheckFolder(c.how)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// TestReadOnly: with ReadOnly every access reads.
func TestReadOnly(t *testing.T) {
	d, _ := doorTo(filepath.Join(t.TempDir(), "store"))
	require.NoError(t, d.With(t.Context(), Making, nothing))
	require.True(t, Holds(d.Dir))
	d.ReadOnly = true
	require.NoError(t, d.Write(t.Context(), func(m *memtree.Memory) error {
		err := m.Record(t.Context(), tree.Evaluation{Prompt: "p", Judgment: tree.Raw(`"pass"`)})
		require.ErrorIs(t, err, store.ErrReadOnly)
		require.Contains(t, d.Sentence(err), "leave --read-only out")
		return nil
	}))
}

// TestLocked: beside a process that writes, a question is answered without a trial, and a writing command learns why
// it cannot write.
func TestLocked(t *testing.T) {
	d, _ := doorTo(filepath.Join(t.TempDir(), "store"))
	require.NoError(t, d.With(t.Context(), Making, func(*memtree.Memory) error {
		other, notes := doorTo(d.Dir)
		asked := false
		require.NoError(t, other.WithOrRead(t.Context(), func(*memtree.Memory) error {
			asked = true
			return nil
		}))
		require.True(t, asked)
		require.Contains(t, notes.String(), "the answer has no trial id")
		err := other.Write(t.Context(), nothing)
		require.True(t, Readable(err))
		require.Contains(t, other.Sentence(err), "has been writing to store")
		return nil
	}))
}

// TestExplain: a full disk is named before what follows from it, and other errors are left to the voice.
func TestExplain(t *testing.T) {
	d, _ := doorTo("x")
	require.Empty(t, d.Explain(errors.New("other")))
	require.Contains(t, d.Explain(store.ErrFailed), "the disk failed while writing to x")
	require.Contains(t, d.Sentence(fmt.Errorf("%w: %w", store.ErrFailed, syscall.ENOSPC)), "the disk is full")
}
