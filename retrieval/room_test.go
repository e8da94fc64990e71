package retrieval

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// inFiles has all merges of ix written to files, and returns their number.
func inFiles(t *testing.T, ix *Index) *atomic.Int64 {
	made := new(atomic.Int64)
	dir := t.TempDir()
	ix.MergeInto(func() (*os.File, error) {
		made.Add(1)
		f, err := os.CreateTemp(dir, "")
		if err == nil {
			err = os.Remove(f.Name())
		}
		return f, err
	}, 0)
	return made
}

// changed returns an index of many segments that has seen updates and removals, and the nodes that are left.
func changed(t *testing.T, into func(ix *Index)) *Index {
	c := newCorpus(17)
	nodes := c.nodes(400)
	ix := New(taxonomy.Default(), encoder(t))
	ix.atOnce = 16
	into(ix)
	for b := range slices.Chunk(nodes, 40) {
		require.NoError(t, ix.Update(t.Context(), 1, b))
	}
	for i := range nodes {
		switch i % 7 {
		case 0:
			nodes[i].Status = tree.Archived
		case 1:
			nodes[i].Content.Confidence = .25
		}
	}
	for b := range slices.Chunk(nodes, 50) {
		require.NoError(t, ix.Update(t.Context(), 2, b))
	}
	return ix
}

// TestAMergeInAFileIsTheSame: with its files as without, an index has the same bytes and gives the same answers, and
// searches and updates beside a merge may go on.
func TestAMergeInAFileIsTheSame(t *testing.T) {
	want := changed(t, func(*Index) {})
	var made *atomic.Int64
	ix := changed(t, func(ix *Index) { made = inFiles(t, ix) })
	c := newCorpus(18)
	var asked sync.WaitGroup
	for range 2 {
		asked.Go(func() {
			for range 40 {
				_, err := ix.Search(context.Background(), Query{Prompt: newCorpus(19).prompt()})
				if err != nil {
					t.Error(err)
				}
				runtime.GC() // ends the mappings that nothing holds
			}
		})
	}
	for _, x := range []*Index{want, ix} {
		for more, err := true, error(nil); more; {
			more, err = x.Merge(t.Context())
			require.NoError(t, err)
		}
	}
	asked.Wait()
	require.Positive(t, made.Load())
	require.Equal(t, want.Stats(), ix.Stats())
	require.True(t, bytes.Equal(saved(t, want), saved(t, ix)))
	for range 50 {
		q := Query{Prompt: c.prompt(), Scene: tree.Scene{ID: "SCENE_7"}}
		w, err := want.Explain(t.Context(), q)
		require.NoError(t, err)
		g, err := ix.Explain(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, w, g)
	}
	s, r := shelf{}, shelf{}
	s.store(t, want)
	r.store(t, ix)
	require.Equal(t, s, r, "the pieces are the same")
	loaded := r.load(t, taxonomy.Default(), encoder(t))
	inFiles(t, loaded)
	more := newCorpus(20).nodes(60)
	for _, x := range []*Index{want, loaded} {
		require.NoError(t, x.Update(t.Context(), 3, more))
	}
	require.True(t, bytes.Equal(saved(t, want), saved(t, loaded)), "merged from the pages of files")
}

// TestAMergeWithoutRoom: where its file cannot be made, or the disk is full at any byte, the segments of before are in
// use, no file is left, and the merge can be done later.
func TestAMergeWithoutRoom(t *testing.T) {
	ix := changed(t, func(*Index) {})
	before, q := ix.Stats(), Query{Prompt: newCorpus(21).prompt()}
	want := ask(t, ix, q)
	require.True(t, ix.Due())
	noFile := &fs.PathError{Op: "open", Path: "scratch", Err: syscall.EACCES}
	for name, open := range map[string]func() (*os.File, error){
		"no file":   func() (*os.File, error) { return nil, noFile },
		"full disk": func() (*os.File, error) { return os.OpenFile("/dev/full", os.O_RDWR, 0) },
	} {
		if _, err := os.Stat("/dev/full"); err != nil && name == "full disk" {
			continue // a device of Linux on which every write finds a full disk
		}
		ix.room = room{open, 0}
		_, err := ix.Merge(t.Context())
		require.Error(t, err, name)
		_, path := errors.AsType[*fs.PathError](err)
		require.True(t, path, "%s: %v", name, err)
		require.Equal(t, before, ix.Stats(), name)
		require.Equal(t, want, ask(t, ix, q), name)
	}
	ix.room.open = func() (*os.File, error) { return nil, errors.ErrUnsupported }
	for more, err := true, error(nil); more; {
		more, err = ix.Merge(t.Context())
		require.NoError(t, err)
	}
	require.Less(t, ix.Stats().Segments, before.Segments)
	require.Equal(t, want, ask(t, ix, q))
}

// TestAMergeThatIsCutOff: whenever a merge is ended, the index is as before, and its file is closed.
func TestAMergeThatIsCutOff(t *testing.T) {
	q := Query{Prompt: newCorpus(21).prompt()}
	for after := range 4 {
		ix := changed(t, func(*Index) {})
		before, want := ix.Stats(), ask(t, ix, q)
		var f *os.File
		ix.room = room{func() (_ *os.File, err error) {
			f, err = os.Create(filepath.Join(t.TempDir(), "scratch"))
			return f, err
		}, 0}
		ended := errors.New("ended")
		st, calls := ix.state.Load(), 0
		from, to := st.due(maxSlots, nil)
		_, _, err := merge(func() error {
			if calls++; calls > after {
				return ended
			}
			return nil
		}, st.parts[from:to], ix.room)
		if err == nil {
			continue
		}
		require.ErrorIs(t, err, ended)
		if f != nil {
			require.ErrorIs(t, f.Close(), os.ErrClosed)
		}
		require.Equal(t, before, ix.Stats())
		require.Equal(t, want, ask(t, ix, q))
	}
}

// TestUpdatesWithoutRoom: an update that would merge very many segments leaves them where no file can be written.
func TestUpdatesWithoutRoom(t *testing.T) {
	nodes := newCorpus(22).nodes(maxParts + 10)
	ix := New(nil, &counting{})
	ix.atOnce = 0
	ix.room = room{func() (*os.File, error) { return nil, &fs.PathError{Op: "open", Err: syscall.ENOSPC} }, 0}
	for i := range nodes {
		require.NoError(t, ix.Update(t.Context(), 1, nodes[i:i+1]))
	}
	require.Equal(t, len(nodes), ix.Stats().Nodes)
	require.Equal(t, len(nodes), ix.Stats().Segments)
}
