package core

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// spoke is what a core logs.
type spoke struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *spoke) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *spoke) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// heard opens a core over a store and returns what it logs.
func heard(t *testing.T, kept store.Store, readOnly bool) (*Core, *spoke) {
	t.Helper()
	s := &spoke{}
	c, err := Open(t.Context(), Options{
		Store: kept, Taxonomy: taxonomy.Default(), Logger: slog.New(slog.NewTextHandler(s, nil)),
		Commit: func(*store.Batch, []tree.Node) {}, ReadOnly: readOnly,
	})
	require.NoError(t, err)
	return c, s
}

// crash ends the workers of a core and stores nothing.
func crash(c *Core) {
	c.Shut()
	c.stop()
	c.workers.Wait()
}

// add adds n cases in one commit, the first of which is the i-th.
func add(t *testing.T, c *Core, i, n int) {
	t.Helper()
	var b store.Batch
	for k := range n {
		b.Changes = append(b.Changes, added(aCase(i+k)).Changes...)
	}
	require.NoError(t, c.Apply(t.Context(), b))
}

// shelf is a store and where its files are.
type shelf struct {
	*jsonstore.Store
	fs afero.Fs
}

func inMemory(t *testing.T, fs afero.Fs) shelf {
	t.Helper()
	kept, err := jsonstore.Open(t.Context(), fs, "/store", jsonstore.Options{Started: noon})
	require.NoError(t, err)
	return shelf{kept, fs}
}

// pieces returns the names of the pieces that are stored.
func pieces(t *testing.T, s shelf) (names []string) {
	t.Helper()
	files, err := afero.ReadDir(s.fs, "/store/derived")
	if !errors.Is(err, fs.ErrNotExist) { // nothing was stored yet
		require.NoError(t, err)
	}
	for _, f := range files {
		name, _, _ := strings.Cut(f.Name(), ".")
		if strings.HasPrefix(name, store.PieceOf(indexName, "")) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// finds requires that a core finds the i-th case by its prompt.
func finds(t *testing.T, c *Core, i int) {
	t.Helper()
	r, err := c.Index().Search(t.Context(), retrieval.Query{Prompt: aCase(i).CaseData.TestCase.Prompt, Now: noon})
	require.NoError(t, err)
	require.NotEmpty(t, r.Hits)
}

// TestNothingIsBuiltAnewAfterACrash: the index is stored while the process runs, and what is newer comes from the
// changes, or by comparing all nodes where the store no longer has these.
func TestNothingIsBuiltAnewAfterACrash(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		fs := afero.NewMemMapFs()
		kept := inMemory(t, fs)
		c, _ := heard(t, kept, false)
		add(t, c, 0, storeAfter)
		require.Eventually(t, func() bool { return len(pieces(t, kept)) > 0 && !changed(c) }, 20*time.Second,
			5*time.Millisecond)
		add(t, c, storeAfter, 3)
		if compacted {
			require.NoError(t, kept.Compact(t.Context()))
		}
		crash(c)
		require.NoError(t, kept.Close())

		kept = inMemory(t, fs)
		c, log := heard(t, kept, false)
		require.NotContains(t, log.String(), "anew")
		require.Equal(t, storeAfter+3, c.Index().Stats().Nodes)
		info, err := kept.Info(t.Context())
		require.NoError(t, err)
		require.Equal(t, info.Version, c.Index().Version())
		finds(t, c, storeAfter+2)
		require.NoError(t, c.Close(t.Context()))
		require.NoError(t, kept.Close())
	}
}

func changed(c *Core) bool {
	_, changed := c.Index().Unsaved()
	return changed
}

// TestAFullDiskLeavesTheOldIndex: whatever write fails while the index is stored, the one stored before is used, and
// the next store removes what was left.
func TestAFullDiskLeavesTheOldIndex(t *testing.T) {
	for n := range 12 {
		fs := storetest.NewFaultFS(afero.NewMemMapFs())
		kept := inMemory(t, fs)
		c, log := heard(t, kept, false)
		for i := range 5 {
			add(t, c, 10*i, 10)
		}
		c.storeIndex(t.Context())
		had := pieces(t, kept)
		add(t, c, 50, 40)
		fs.Set(storetest.Fault{Kind: "write", N: n + 1, Errno: syscall.ENOSPC, ForGood: true})
		c.storeIndex(t.Context())
		failed := fs.Hits() > 0
		fs.Set()
		require.Equal(t, failed, changed(c))
		if failed {
			require.Contains(t, log.String(), "the index was not stored")
			require.Subset(t, pieces(t, kept), had)
		}
		finds(t, c, 70)
		again, log := heard(t, kept, true)
		require.NotContains(t, log.String(), "anew")
		require.Equal(t, 90, again.Index().Stats().Nodes)
		finds(t, again, 70)
		require.NoError(t, again.Close(t.Context()))
		require.NoError(t, c.Close(t.Context()))
		require.Len(t, pieces(t, kept), c.Index().Stats().Segments)
		require.NoError(t, kept.Close())
	}
}

// TestPiecesOfAMergeThatWasCutOffAreRemoved: a segment that no head names is a leftover.
func TestPiecesOfAMergeThatWasCutOffAreRemoved(t *testing.T) {
	kept := inMemory(t, afero.NewMemMapFs())
	c, _ := heard(t, kept, false)
	add(t, c, 0, 5)
	require.NoError(t, store.SaveDerived(t.Context(), kept, indexName+"-"+"0123456789abcdef", 1, func(w io.Writer) error {
		_, err := io.WriteString(w, "half of a segment")
		return err
	}))
	require.NoError(t, c.Close(t.Context()))
	require.Len(t, pieces(t, kept), 1)
	again, log := heard(t, kept, true)
	require.NotContains(t, log.String(), "anew")
	finds(t, again, 3)
	require.NoError(t, again.Close(t.Context()))
	require.NoError(t, kept.Close())
}

// TestReadersBesideAWriter: a process that opens the store while another one stores its index and removes segments
// finds a whole index each time.
func TestReadersBesideAWriter(t *testing.T) {
	dir := t.TempDir()
	kept, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{Started: noon})
	require.NoError(t, err)
	c, _ := heard(t, kept, false)
	add(t, c, 0, 1)
	c.storeIndex(t.Context())
	var g sync.WaitGroup
	for range 2 {
		g.Go(func() {
			for range 20 {
				beside, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{ReadOnly: true})
				if err != nil {
					t.Error(err)
					return
				}
				r, log := heard(t, beside, true)
				if s := log.String(); s != "" {
					t.Error(s)
				}
				_ = r.Close(t.Context())
				_ = beside.Close()
			}
		})
	}
	for i := range 60 {
		add(t, c, 1+i, 1)
		c.storeIndex(t.Context())
	}
	g.Wait()
	require.NoError(t, c.Close(t.Context()))
	require.NoError(t, kept.Close())
}

// TestALostPieceIsMadeAgain: an index with a missing or damaged segment is built anew, and the store has all again.
func TestALostPieceIsMadeAgain(t *testing.T) {
	kept := inMemory(t, afero.NewMemMapFs())
	c, _ := heard(t, kept, false)
	add(t, c, 0, 20)
	require.NoError(t, c.Close(t.Context()))
	require.NoError(t, store.DropDerived(t.Context(), kept, pieces(t, kept)[0], nil))
	c, log := heard(t, kept, false)
	require.Contains(t, log.String(), "building the index anew")
	finds(t, c, 5)
	require.NoError(t, c.Close(t.Context()))
	c, log = heard(t, kept, false)
	require.NotContains(t, log.String(), "anew", fmt.Sprint(pieces(t, kept)))
	require.NoError(t, c.Close(t.Context()))
	require.NoError(t, kept.Close())
}

// TestSmallSegmentsAreMergedAtClose: many short-lived processes, each of which adds one case, leave few segments.
func TestSmallSegmentsAreMergedAtClose(t *testing.T) {
	kept := inMemory(t, afero.NewMemMapFs())
	for i := range 40 {
		c, log := heard(t, kept, false)
		require.NotContains(t, log.String(), "anew")
		add(t, c, i, 1)
		require.NoError(t, c.Close(t.Context()))
	}
	require.LessOrEqual(t, len(pieces(t, kept)), 6)
	require.NoError(t, kept.Close())
}

// TestAMergeOnAFullDisk: an index that is being built stays in more segments where a merge finds no room, and is merged
// once there is some.
func TestAMergeOnAFullDisk(t *testing.T) {
	kept, err := jsonstore.OpenDir(t.Context(), t.TempDir(), jsonstore.Options{Started: noon})
	require.NoError(t, err)
	c, log := heard(t, kept, false)
	full := true
	ix := retrieval.New(taxonomy.Default(), nil)
	ix.MergeInto(func() (*os.File, error) {
		if full {
			return nil, &fs.PathError{Op: "open", Path: "scratch", Err: syscall.ENOSPC}
		}
		return c.scratch()
	}, 0)
	for i := range 6 {
		require.NoError(t, c.addNodes(t.Context(), ix, uint64(i), []tree.Node{aCase(i)}))
	}
	require.Contains(t, log.String(), "could not be merged")
	require.Equal(t, 6, ix.Stats().Segments)
	full = false
	require.NoError(t, c.addNodes(t.Context(), ix, 6, []tree.Node{aCase(6)}))
	require.Equal(t, 1, ix.Stats().Segments)
	require.Equal(t, 7, ix.Stats().Nodes)
	require.NoError(t, c.Close(t.Context()))
	require.NoError(t, kept.Close())
}

// TestScratchOfEveryStore: a store without room of its own, and a reader, write large merges where the system has
// its temporary files; no file of them has a name.
func TestScratchOfEveryStore(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	onDisk, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{Started: noon})
	require.NoError(t, err)
	for name, kept := range map[string]store.Store{"memory": inMemory(t, afero.NewMemMapFs()), "disk": onDisk} {
		c, _ := heard(t, kept, false)
		for _, c.o.ReadOnly = range []bool{true, false} {
			f, err := c.scratch()
			require.NoError(t, err, name)
			own := strings.HasPrefix(f.Name(), dir) || !strings.HasPrefix(f.Name(), os.Getenv("TMPDIR"))
			require.Equal(t, name == "disk" && !c.o.ReadOnly, own, f.Name())
			require.NoFileExists(t, f.Name())
			require.NoError(t, f.Close())
		}
		require.NoError(t, c.Close(t.Context()))
		require.NoError(t, kept.Close())
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	require.Empty(t, left)
}
