package server

import (
	"context"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/token"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/storetest"
)

// TestReopen: a service that started on a full disk reads on, refuses changes because of the disk, and takes them
// without a restart once there is room.
func TestReopen(t *testing.T) {
	disk := storetest.NewFaultFS(afero.NewMemMapFs())
	opened := func(ctx context.Context, readOnly bool) (*memtree.Memory, error) {
		s, err := jsonstore.Open(ctx, disk, "tree", jsonstore.Options{ReadOnly: readOnly})
		if err != nil {
			return nil, err
		}
		return memtree.Open(ctx, "", &memtree.Options{Store: s, ReadOnly: readOnly, Deadline: time.Minute})
	}
	m, err := opened(t.Context(), false)
	require.NoError(t, err)
	require.NoError(t, m.Record(t.Context(), memtree.Evaluation{ID: "before", Prompt: "Check the total",
		Judgment: []byte(`"pass"`), GroundTruth: []byte(`"fail"`)}))
	require.NoError(t, m.Close())
	require.NoError(t, disk.Remove("tree/shutdown.json")) // as after a crash, so that opening has to write

	full := storetest.Fault{Kind: "write", Errno: syscall.ENOSPC, ForGood: true}
	disk.Set(full, storetest.Fault{Kind: "create", Errno: syscall.ENOSPC, ForGood: true})
	_, err = opened(t.Context(), false)
	require.ErrorIs(t, err, syscall.ENOSPC)
	m, err = opened(t.Context(), true)
	require.NoError(t, err)
	tries := 0
	w := newWorld(t, func(o *Options) {
		o.Pause = func(ctx context.Context, _ time.Duration) bool {
			if tries++; tries == 3 {
				disk.Set()
			}
			return ctx.Err() == nil
		}
	})
	require.NoError(t, w.trees.AddFull("full", m, func(ctx context.Context) (*memtree.Memory, error) {
		return opened(ctx, false)
	}))
	w.trees.byName["full"].jobs = jobs.Here(w.s.opts.Now)
	tok := w.token("a", nil, token.Admin)
	const runs = "/v1/trees/full/evaluations"
	a := w.ask("POST", runs, tok, "["+wrongTotal+"]")
	require.Equal(t, http.StatusInsufficientStorage, a.Code, a.Body)
	require.Equal(t, "urn:memtree:disk-full", a.problem(t).Type)
	require.Equal(t, http.StatusOK, w.ask("POST", "/v1/trees/full/guidance", tok, `{"prompt":"Check the total"}`).Code)
	require.Contains(t, w.ask("GET", "/readyz", "", "").Body, "the disk of 1 of 3 trees is full")

	w.s.RunReopen(t.Context())
	require.GreaterOrEqual(t, tries, 3)
	require.Equal(t, http.StatusAccepted, w.ask("POST", runs, tok, "["+wrongTotal+"]").Code)
	require.NotContains(t, w.ask("GET", "/readyz", "", "").Body, "full")
	require.NoError(t, w.trees.Get("full").Wait(t.Context()))
	info, err := w.trees.Get("full").Tree().Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, info.Evaluations)
}
