package evolution

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
)

// several is a store that other processes write too.
type several struct{ *jsonstore.Store }

func (several) Following() store.Following { return store.Following{} }

// TestJobsOfTwoProcesses: what two processes keep of jobs at the same time is all there afterwards. What one has purged
// does not come back by the other one.
func TestJobsOfTwoProcesses(t *testing.T) {
	kept, err := jsonstore.OpenDir(t.Context(), t.TempDir(), jsonstore.Options{})
	require.NoError(t, err)
	defer kept.Close()
	open := func() *Jobs {
		j, err := OpenJobs(t.Context(), several{kept}, JobsOptions{AtOnce: true})
		require.NoError(t, err)
		return j
	}
	put := func(j *Jobs, key, value string) { require.NoError(t, j.Put(t.Context(), key, []byte(value))) }
	first := open()
	put(first, "old", `{"job":"old","word":"1"}`)
	put(first, "private", `{"job":"private","left":["c_gone"]}`)
	one, other := open(), open()
	put(one, "a", `{"job":"a"}`)
	put(other, "b", `{"job":"b"}`)
	put(one, "old", `{"job":"old","word":"2"}`)
	put(other, "c", `{"job":"c"}`)
	last := open()
	for _, key := range []string{"a", "b", "c", "private"} {
		_, ok := last.Get(key)
		require.True(t, ok, key)
	}
	old, _ := last.Get("old")
	require.JSONEq(t, `{"job":"old","word":"2"}`, string(old), "the later one, which the other process did not put")

	one.Purge(&store.Purge{Nodes: []string{"c_gone"}})
	require.NoError(t, one.Save(t.Context()))
	put(other, "d", `{"job":"d"}`)
	last = open()
	_, ok := last.Get("private")
	require.False(t, ok)
	_, ok = last.Get("d")
	require.True(t, ok)
	_, ok = last.Get("b")
	require.True(t, ok)
}
