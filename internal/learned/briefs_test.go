package learned

import (
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/store"
)

func note(t *testing.T, b *BriefBox, i int) {
	t.Helper()
	prompt := fmt.Sprint("Check page ", i)
	require.NoError(t, b.Book().Note(brief.UpcomingTest{ID: fmt.Sprint("T", i), Prompt: prompt, Seen: noon}, prompt))
}

func hold(t *testing.T, s store.Store) (*Follower, *BriefBox) {
	t.Helper()
	f, b := follow(s), NewBriefs()
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	_, err := f.Hold(t.Context(), b)
	require.NoError(t, err)
	return f, b
}

// TestTheBookIsSavedInPieces: a book that was one file is read, and saved in pieces; the next test is one more piece.
func TestTheBookIsSavedInPieces(t *testing.T) {
	s := memoryStore(t)
	old := brief.New()
	for i := range 40 {
		require.NoError(t, old.Note(brief.UpcomingTest{Prompt: fmt.Sprint("Old ", i), Seen: noon}, fmt.Sprint("Old ", i)))
	}
	require.NoError(t, store.SaveDerived(t.Context(), s, "briefs", 0, old.Save))
	names := func() []string {
		names, err := s.Beside(t.Context())
		require.NoError(t, err)
		return names
	}
	var large string
	for i := range 3 {
		f, b := hold(t, s)
		require.Equal(t, 40+i, b.Book().Known().Tests)
		note(t, b, i)
		f.SaveBoxes(t.Context(), 0, b)
		require.NoError(t, f.Close())
		if i == 0 {
			large = names()[1]
		}
		require.Contains(t, names(), large, "what was there is not written again")
	}
	f, b := hold(t, s)
	require.Equal(t, 43, b.Book().Known().Tests)
	p := &store.Purge{Evaluations: []string{"x"}}
	require.NoError(t, f.Purge(t.Context(), p, func() error {
		_, err := s.Commit(t.Context(), store.Batch{Purge: p})
		return err
	}))
	require.Equal(t, []string{"briefs"}, names(), "a purge leaves no test")
	note(t, b, 9)
	f.SaveBoxes(t.Context(), 0, b)
	_, b = hold(t, s)
	require.Equal(t, 1, b.Book().Known().Tests)
}

// TestALostPieceCostsItsTests: the others are there, and are saved again.
func TestALostPieceCostsItsTests(t *testing.T) {
	s := memoryStore(t)
	for i := range 4 {
		f, b := hold(t, s)
		for j := range 40 >> (2 * i) {
			note(t, b, 100*i+j)
		}
		f.SaveBoxes(t.Context(), 0, b)
	}
	names, err := s.Beside(t.Context())
	require.NoError(t, err)
	require.Len(t, names, 4, "a head and three pieces")
	require.NoError(t, s.DropDerived(t.Context(), names[1], nil))
	f, b := follow(s), NewBriefs()
	found, err := f.Hold(t.Context(), b)
	require.True(t, found)
	require.ErrorIs(t, err, store.ErrPieceGone)
	n := b.Book().Known().Tests
	require.Contains(t, []int{12, 42, 50}, n)
	note(t, b, 1000)
	f.SaveBoxes(t.Context(), 0, b)
	require.NoError(t, f.Close())
	_, b = hold(t, s)
	require.Equal(t, n+1, b.Book().Known().Tests)
}

// sharedStore is a store of several processes.
type sharedStore struct {
	store.Store
	store.Deriver
}

func (sharedStore) Following() store.Following { return store.Following{} }

// TestInASharedStoreTheBookIsWhole: also one that was moved there in pieces.
func TestInASharedStoreTheBookIsWhole(t *testing.T) {
	s := memoryStore(t)
	f, b := hold(t, s)
	note(t, b, 1)
	f.SaveBoxes(t.Context(), 0, b)
	shared := sharedStore{s, s}
	f = New(shared, false, slog.New(slog.DiscardHandler))
	b = NewBriefs()
	_, err := f.Hold(t.Context(), b)
	require.NoError(t, err)
	other := NewBriefs()
	note(t, other, 2)
	require.NoError(t, f.Sync(t.Context(), other))
	require.Equal(t, 2, other.Book().Known().Tests)
	note(t, b, 3)
	f.SaveBoxes(t.Context(), 0, b)
	require.NoError(t, f.Close())
	names, err := s.Beside(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"briefs"}, names)
	d, err := s.OpenDerived(t.Context(), "briefs")
	require.NoError(t, err)
	book, err := brief.Load(io.NewSectionReader(d, 0, d.Size))
	require.NoError(t, err)
	require.Equal(t, 2, book.Known().Tests)
}
