package memtree_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

// fullStore is a store on a disk that has room for the journal but, while full is set, for nothing else.
type fullStore struct {
	*jsonstore.Store
	full atomic.Bool
}

func (s *fullStore) SaveDerived(ctx context.Context, name string, v uint64, write func(io.Writer) error) error {
	if s.full.Load() {
		return fmt.Errorf("save %s: %w", name, syscall.ENOSPC)
	}
	return s.Store.SaveDerived(ctx, name, v, write)
}

// openFull opens a memory on a fullStore in dir.
func openFull(t *testing.T, dir string) (*memtree.Memory, *fullStore) {
	t.Helper()
	below, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{})
	require.NoError(t, err)
	s := &fullStore{Store: below}
	m, err := memtree.Open(t.Context(), dir, &memtree.Options{Store: s})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m, s
}

// recordOpen records n runs of 60 KB without a label, with ids that begin with prefix.
func recordOpen(t *testing.T, m *memtree.Memory, prefix string, n int) {
	t.Helper()
	es := make([]memtree.Evaluation, n)
	for i := range es {
		es[i] = memtree.Evaluation{ID: fmt.Sprintf("%s-%03d", prefix, i), Judgment: tree.Raw(`"pass"`),
			Prompt: "Check the total of the cart" + strings.Repeat(" and of each item", 3750)}
	}
	_, err := m.RecordAll(t.Context(), es)
	require.NoError(t, err)
}

// crashed returns the folder as a crash leaves it at this moment.
func crashed(t *testing.T, dir string) string {
	t.Helper()
	left := t.TempDir()
	require.NoError(t, os.CopyFS(left, os.DirFS(dir)))
	return left
}

func inboxOf(t *testing.T, m *memtree.Memory) int {
	t.Helper()
	runs, err := m.Inbox().Waiting(t.Context(), find.Query{})
	require.NoError(t, err)
	return len(runs)
}

// TestInboxOutlivesACrash: a crash loses no text of a run that left the outbox, however large the inbox is.
func TestInboxOutlivesACrash(t *testing.T) {
	dir := t.TempDir()
	m, _ := openFull(t, dir)
	total := 0
	for round, n := range []int{90, 1, 10} {
		recordOpen(t, m, fmt.Sprint("round-", round), n)
		require.NoError(t, m.Wait(t.Context()))
		total += n
		left, _ := openFull(t, crashed(t, dir))
		require.Equal(t, total, inboxOf(t, left), "round %d", round)
	}
	wrong := false
	d, err := m.Curation().Relabel(t.Context(), "round-2-001", curation.Truth{Correct: &wrong, Direction: "false_pass"},
		curation.Options{})
	require.NoError(t, err)
	_, err = m.Curation().Forget(t.Context(), d.Verdict.Node, curation.Options{Purge: true})
	require.NoError(t, err)
	left, _ := openFull(t, crashed(t, dir))
	require.Equal(t, total-1, inboxOf(t, left), "of the tail, what was purged is gone")
}

// TestInboxOutlivesAFullDisk: while the inbox cannot be saved, runs stay in the outbox; with room they are processed
// without a restart.
func TestInboxOutlivesAFullDisk(t *testing.T) {
	dir := t.TempDir()
	m, s := openFull(t, dir)
	recordOpen(t, m, "before", 3)
	require.NoError(t, m.Wait(t.Context()))
	s.full.Store(true)
	recordOpen(t, m, "full", 20)
	require.ErrorIs(t, m.Wait(t.Context()), syscall.ENOSPC)
	info, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, 20, info.Outbox)
	left, _ := openFull(t, crashed(t, dir))
	require.NoError(t, left.Wait(t.Context()))
	require.Equal(t, 23, inboxOf(t, left))
	s.full.Store(false)
	require.NoError(t, m.Wait(t.Context()))
	require.Equal(t, 23, inboxOf(t, m))
	left, _ = openFull(t, crashed(t, dir))
	require.Equal(t, 23, inboxOf(t, left))
}
