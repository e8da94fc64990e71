package server

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/token"
)

// counted is an embedder that counts the texts it receives.
type counted struct{ texts atomic.Int64 }

func (c *counted) ID() string { return "counted" }
func (c *counted) Dims() int  { return 4 }
func (c *counted) Embed(_ context.Context, texts []string) ([][]float32, error) {
	c.texts.Add(int64(len(texts)))
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = []float32{float32(len(s)), 1, 2, 3}
	}
	return out, nil
}

// Before the first request is answered, every tree was queried, and no trace of it remains.
func TestWarm(t *testing.T) {
	e := &counted{}
	w := newWorld(t)
	m, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true, Deadline: time.Minute, Embedder: e})
	require.NoError(t, err)
	require.NoError(t, w.trees.Add("third", m, false, nil))
	w.s = New(w.trees, w.s.opts) // with the third tree
	tok := w.token("a", nil, token.Read, token.Write)
	require.Equal(t, http.StatusAccepted, w.ask("POST", "/v1/trees/third/evaluations", tok, "["+wrongTotal+"]").Code)
	require.NoError(t, m.Wait(t.Context()))
	before := e.texts.Load()
	a, err := http.Get("http://" + w.listen() + "/healthz")
	require.NoError(t, err)
	a.Body.Close()
	require.Greater(t, e.texts.Load(), before)
	require.NoError(t, m.Wait(t.Context()))
	for line, err := range m.Tree().Ledger(t.Context(), 0) {
		require.NoError(t, err)
		require.Nil(t, line.Trial)
	}
}
