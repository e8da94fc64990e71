package memtree_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/llm/llmtest"
)

// adapting is a model that learned something.
type adapting struct {
	llmtest.Echo
	id, learned string
	told        *string
}

func (a adapting) ID() string      { return a.id }
func (a adapting) Habits() string  { return a.learned }
func (a adapting) Adopt(as string) { *a.told = as }

// The habits of a model are learned once, and used by every process that opens the store with it in the next week.
func TestHabitsOutliveAProcess(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	told := ""
	open := func(id, learned string) {
		t.Helper()
		told = ""
		m, err := memtree.Open(t.Context(), dir, &memtree.Options{
			Generator: adapting{id: id, learned: learned, told: &told}, Now: func() time.Time { return now },
		})
		require.NoError(t, err)
		require.NoError(t, m.Close())
	}
	open("p:one", "without temperature")
	require.Empty(t, told)
	open("p:two", "as prose")
	require.Empty(t, told, "it is another model")
	open("p:one", "")
	require.Equal(t, "without temperature", told)
	open("p:one", "")
	require.Equal(t, "without temperature", told, "and it stays so")
	now = now.Add(8 * 24 * time.Hour)
	open("p:one", "")
	require.Empty(t, told, "a server may have learned since")
	open("p:one", "as prose")
	open("p:one", "")
	require.Equal(t, "as prose", told)
}
