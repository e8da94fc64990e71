package inbox

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func run(n int) *tree.Evaluation {
	return &tree.Evaluation{ID: fmt.Sprintf("ev-%05d", n), Prompt: "Check the cart", Judgment: tree.Raw(`"pass"`),
		At: noon.Add(time.Duration(n) * time.Minute)}
}

func ids(b *Box) (out []string) {
	for _, e := range b.Waiting(nil) {
		out = append(out, e.ID)
	}
	return out
}

func TestBox(t *testing.T) {
	s, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{})
	require.NoError(t, err)
	defer s.Close()
	b, err := Open(t.Context(), s)
	require.NoError(t, err)
	require.False(t, b.Due(noon))
	for _, n := range []int{2, 1, 3, 1} {
		b.Put(run(n))
	}
	require.True(t, b.Due(noon))
	require.Equal(t, []string{"ev-00003", "ev-00002", "ev-00001"}, ids(b))
	require.Len(t, b.Waiting(func(e *tree.Evaluation) bool { return e.ID == "ev-00002" }), 1)
	require.True(t, b.Skip("ev-00001", true))
	require.False(t, b.Skip("ev-00009", true))
	told := func(labelled bool) { b.Tell(&tree.Verdict{Evaluation: "ev-00002", Labelled: labelled}, noon) }
	told(true)
	require.NoError(t, b.Save(t.Context(), noon))
	require.False(t, b.Due(noon.Add(time.Hour)))

	again, err := Open(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, []string{"ev-00003", "ev-00001"}, ids(again))
	require.True(t, again.Waiting(nil)[1].Skipped)
	require.False(t, again.Skip("ev-00002", true), "it waits no more")
	e, ok := again.Get("ev-00002")
	require.True(t, ok, "for a person who takes it back")
	require.Equal(t, *run(2), e)
	b = again
	told(false)
	require.Len(t, ids(b), 3)
	told(true)
	require.NoError(t, b.Save(t.Context(), noon.Add(ToldFor+time.Hour)))
	_, ok = b.Get("ev-00002")
	require.False(t, ok, "not for ever")

	b.Purge([]string{"ev-00001"})
	require.NoError(t, b.Save(t.Context(), noon))
	again, err = Open(t.Context(), s)
	require.NoError(t, err)
	require.Equal(t, []string{"ev-00003"}, ids(again))
}

func TestBoxIsBounded(t *testing.T) {
	s, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{})
	require.NoError(t, err)
	defer s.Close()
	b, err := Open(t.Context(), s)
	require.NoError(t, err)
	long := run(0)
	long.Observation = strings.Repeat("x", MostRun)
	b.Put(long)
	require.Empty(t, ids(b))
	for n := range MostRuns {
		b.Put(run(n))
	}
	b.Tell(&tree.Verdict{Evaluation: run(MostRuns - 1).ID, Labelled: true}, noon)
	b.Put(run(MostRuns))
	all := ids(b)
	require.Len(t, all, MostRuns*9/10)
	require.Equal(t, run(MostRuns).ID, all[0])
	_, ok := b.Get(run(MostRuns - 1).ID)
	require.False(t, ok, "what is told goes first")
}

// FuzzRead: whatever is read can be saved, and read again the same.
func FuzzRead(f *testing.F) {
	f.Add(`{"evaluation":{"id":"a","prompt":"p","judgment":"pass"}}` + "\n" +
		`{"told":"2026-01-01T00:00:00Z","evaluation":{}}`)
	f.Add(`{"evaluation":{"id":"a","prompt":"p","judgment":1e999}}`)
	f.Add("{}\n[")
	f.Fuzz(func(t *testing.T, s string) {
		store, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{})
		require.NoError(t, err)
		defer store.Close()
		b := &Box{store: store, runs: map[string]*kept{}}
		_ = b.read(bytes.NewReader([]byte(s)))
		for _, k := range b.runs {
			require.NoError(t, k.Evaluation.Check())
		}
		b.Purge(nil)
		require.NoError(t, b.Save(t.Context(), noon))
		again, err := Open(t.Context(), store)
		require.NoError(t, err)
		require.Equal(t, ids(b), ids(again))
	})
}
