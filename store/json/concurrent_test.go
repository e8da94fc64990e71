package jsonstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// TestTogether runs writers, readers and snapshots at once. No reader may see half a batch, each batch must be there
// when its commit returns, and one of two rivals must win.
func TestTogether(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent()) // crashed stores of other tests never end
	ctx, dir := context.Background(), t.TempDir()
	s, err := OpenDir(ctx, dir, Options{JournalLimit: 8 << 10})
	require.NoError(t, err)
	const writers, rounds = 8, 25
	var wg sync.WaitGroup
	wins := make([]int, rounds)
	var mu sync.Mutex
	for w := range writers {
		wg.Go(func() {
			for i := range rounds {
				k := 2 * (w*rounds + i)
				_, err := s.Accept(ctx, []tree.Evaluation{someEvaluation(k)})
				if err == nil {
					_, err = s.Commit(ctx, store.Batch{Changes: []tree.Change{add(k), add(k + 1)}, Done: []string{fmt.Sprint("ev",
						k)}})
				}
				if err == nil {
					_, err = s.Get(ctx, add(k+1).Node.ID)
				}
				if err != nil {
					t.Error(err)
				}
				rival := someCase(100_000 + i)
				_, err = s.Commit(ctx, store.Batch{Changes: []tree.Change{tree.NewChange(tree.OpAdd, rival, 0,
					"by", fmt.Sprint("writer ", w))}})
				switch {
				case err == nil:
					mu.Lock()
					wins[i]++
					mu.Unlock()
				case !errors.Is(err, store.ErrConflict):
					t.Error(err)
				}
			}
		})
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				seen := map[string]bool{}
				for n, err := range s.Scan(ctx, store.Filter{}) {
					if err != nil {
						t.Error(err)
						return
					}
					seen[n.ID] = true
				}
				for k := 0; k < 2*writers*rounds; k += 2 {
					if seen[add(k).Node.ID] != seen[add(k+1).Node.ID] {
						t.Error("half a batch")
					}
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	readers.Wait()
	for i := range wins {
		require.Equal(t, 1, wins[i])
	}
	problems := 0
	v, err := s.Verify(ctx, func(problem error) { problems++; t.Log(problem) })
	require.NoError(t, err)
	require.Zero(t, problems)
	require.Equal(t, 2*writers*rounds+rounds, v.Nodes)
	require.NoError(t, s.Close())
}
