package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func TestConformance(t *testing.T) {
	for _, nodes := range []int{0, 1000} {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			storetest.Run(t, func(testing.TB) func() (store.Store, error) {
				m := storetest.NewMemory()
				return func() (store.Store, error) {
					m = m.Reopen()
					return NewCache(m, nodes), nil
				}
			})
		})
	}
}

func cachedCase(i int, text string) tree.Node {
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: "other_error", Direction: taxonomy.FalsePass, Lang: "en", Status: tree.Active,
		Content: tree.Content{Description: text, Guidance: "look at the total", Confidence: .5,
			AppliesWhen: []string{"a total is shown"}},
		CaseData: &tree.CaseData{
			TestCase: tree.TestCase{CaseID: fmt.Sprint("t", i), Prompt: fmt.Sprint("Check the total of order ", i),
				GroundTruth: tree.Raw(`{"has_defect":true}`)},
			AgentJudgment: "pass",
		},
		Occurrences: []tree.Occurrence{{Evaluation: fmt.Sprint("ev", i)}},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

func putCase(t testing.TB, s store.Store, i, basis int, text string) string {
	c := tree.NewChange(tree.OpAdd, cachedCase(i, text), basis, "formation", "why")
	_, err := s.Commit(t.Context(), store.Batch{Changes: []tree.Change{c}})
	require.NoError(t, err)
	return c.Node.ID
}

// gated is a store whose Get and Commit wait for the test.
type gated struct {
	store.Store

	mu             sync.Mutex
	gets           int
	get, committed func()
}

func (g *gated) Get(ctx context.Context, id string) (tree.Node, error) {
	g.mu.Lock()
	g.gets++
	wait := g.get
	g.mu.Unlock()
	n, err := g.Store.Get(ctx, id)
	if wait != nil {
		wait()
	}
	return n, err
}

func (g *gated) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	v, err := g.Store.Commit(ctx, b)
	g.mu.Lock()
	wait := g.committed
	g.mu.Unlock()
	if wait != nil {
		wait()
	}
	return v, err
}

func (g *gated) set(get, committed func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.get, g.committed = get, committed
}

func (g *gated) asked() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gets
}

func textOf(t testing.TB, s store.Store, id string) string {
	n, err := s.Get(t.Context(), id)
	require.NoError(t, err)
	return n.Content.Description
}

func TestGetAsksOnce(t *testing.T) {
	below := &gated{Store: storetest.NewMemory()}
	c := NewCache(below, 10).(*cache)
	id := putCase(t, c, 1, 0, "old")
	for range 5 {
		require.Equal(t, "old", textOf(t, c, id))
	}
	require.Equal(t, 1, below.asked())
	putCase(t, c, 1, 1, "new")
	require.Equal(t, "new", textOf(t, c, id))
	require.Equal(t, 2, below.asked())
}

func TestAbsenceIsNotKept(t *testing.T) {
	below := &gated{Store: storetest.NewMemory()}
	c := NewCache(below, 10).(*cache)
	for range 3 {
		_, err := c.Get(t.Context(), cachedCase(1, "").ID)
		require.ErrorIs(t, err, tree.ErrNotFound)
	}
	require.Equal(t, 3, below.asked())
	require.Equal(t, 0, c.Len())
	require.Empty(t, c.reading)
	require.Equal(t, "x", textOf(t, c, putCase(t, c, 1, 0, "x")))
}

// TestASlowReaderDoesNotBringBackTheOld stops a reader that has read the old node, commits a new one, and lets the
// reader continue.
func TestASlowReaderDoesNotBringBackTheOld(t *testing.T) {
	below := &gated{Store: storetest.NewMemory()}
	c := NewCache(below, 10).(*cache)
	id := putCase(t, c, 1, 0, "old")
	hasRead, goOn, done := make(chan struct{}), make(chan struct{}), make(chan string)
	below.set(func() { close(hasRead); <-goOn }, nil)
	go func() { n, _ := c.Get(context.Background(), id); done <- n.Content.Description }()
	<-hasRead
	below.set(nil, nil)
	putCase(t, c, 1, 1, "new")
	require.Equal(t, "new", textOf(t, c, id), "who reads after the commit reads what it wrote")
	close(goOn)
	require.Equal(t, "old", <-done, "it began before")
	require.Equal(t, "new", textOf(t, c, id))
	require.Empty(t, c.reading)
	require.Empty(t, c.writing)
}

// TestReadersDuringACommitKeepNothing stops a commit that the store below has written and that has not returned yet.
func TestReadersDuringACommitKeepNothing(t *testing.T) {
	below := &gated{Store: storetest.NewMemory()}
	c := NewCache(below, 10).(*cache)
	id := putCase(t, c, 1, 0, "old")
	require.Equal(t, "old", textOf(t, c, id))
	written, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error)
	below.set(nil, func() { close(written); <-goOn })
	go func() {
		ch := tree.NewChange(tree.OpRevise, cachedCase(1, "new"), 1, "evolution", "why")
		_, err := c.Commit(context.Background(), store.Batch{Changes: []tree.Change{ch}})
		done <- err
	}()
	<-written
	require.Equal(t, "new", textOf(t, c, id))
	require.Equal(t, 0, c.Len())
	close(goOn)
	require.NoError(t, <-done)
	require.Equal(t, "new", textOf(t, c, id))
	require.Equal(t, 1, c.Len())
}

// TestReadersSeeWhatWasAcknowledged races readers with a writer that counts up. No
// reader may read less than was acknowledged when it began.
func TestReadersSeeWhatWasAcknowledged(t *testing.T) {
	c := NewCache(storetest.NewMemory(), 4).(*cache)
	id := putCase(t, c, 1, 0, "x")
	var mu sync.Mutex
	acknowledged := 1
	now := func() int {
		mu.Lock()
		defer mu.Unlock()
		return acknowledged
	}
	const last = 300
	problems := make(chan error, 4)
	for range cap(problems) {
		go func() {
			for {
				least := now()
				n, err := c.Get(context.Background(), id)
				if err == nil && n.Revision < least {
					err = fmt.Errorf("read revision %d after %d was acknowledged", n.Revision, least)
				}
				if err != nil || least == last {
					problems <- err
					return
				}
			}
		}()
	}
	for i := 1; i < last; i++ {
		putCase(t, c, 1, i, fmt.Sprint(i))
		mu.Lock()
		acknowledged = i + 1
		mu.Unlock()
	}
	for range cap(problems) {
		require.NoError(t, <-problems)
	}
}

func TestSizeIsBounded(t *testing.T) {
	for _, nodes := range []int{-1, 0, 1, 2, 3, 10} {
		c := NewCache(storetest.NewMemory(), nodes).(*cache)
		for i := range 40 {
			id := putCase(t, c, i, 0, "x")
			for range i%3 + 1 {
				require.Equal(t, "x", textOf(t, c, id))
			}
			require.LessOrEqual(t, c.Len(), max(nodes, leastCached))
		}
		require.Positive(t, c.Len())
		require.NoError(t, c.Close())
		require.Equal(t, 0, c.Len())
	}
}

// TestAScanDoesNotPushOut checks that nodes read twice remain when many are read once.
func TestAScanDoesNotPushOut(t *testing.T) {
	below := &gated{Store: storetest.NewMemory()}
	c := NewCache(below, 20).(*cache)
	hot := putCase(t, c, 1, 0, "hot")
	textOf(t, c, hot)
	textOf(t, c, hot)
	for i := range 200 {
		textOf(t, c, putCase(t, c, 100+i, 0, "cold"))
	}
	for _, err := range c.Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
	}
	before := below.asked()
	textOf(t, c, hot)
	require.Equal(t, before, below.asked())
}

// derivingStore is a store that also is a store.Deriver and a store.Verifier.
type derivingStore struct{ store.Store }

var errAsked = errors.New("asked")

func (derivingStore) SaveDerived(context.Context, string, uint64, func(io.Writer) error) error {
	return errAsked
}
func (derivingStore) KeepDerived(context.Context, []string) ([]string, error) { return nil, errAsked }
func (derivingStore) DropDerived(context.Context, string, []string) error     { return errAsked }
func (derivingStore) OpenDerived(context.Context, string) (*store.Derived, error) {
	return nil, errAsked
}
func (derivingStore) Verify(context.Context, func(error)) (store.Verified, error) {
	return store.Verified{}, errAsked
}

func TestForwards(t *testing.T) {
	for want, below := range map[error]store.Store{errAsked: derivingStore{storetest.NewMemory()},
		errors.ErrUnsupported: storetest.NewMemory()} {
		c := NewCache(below, 5).(*cache)
		require.ErrorIs(t, c.SaveDerived(t.Context(), "x", 1, nil), want)
		_, err := c.OpenDerived(t.Context(), "x")
		require.ErrorIs(t, err, want)
		_, err = c.KeepDerived(t.Context(), nil)
		require.ErrorIs(t, err, want)
		require.ErrorIs(t, c.DropDerived(t.Context(), "x", nil), want)
		_, err = c.Verify(t.Context(), nil)
		require.ErrorIs(t, err, want)
	}
}

func TestGetMindsTheContext(t *testing.T) {
	c := NewCache(storetest.NewMemory(), 5).(*cache)
	id := putCase(t, c, 1, 0, "x")
	textOf(t, c, id)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Get(ctx, id)
	require.ErrorIs(t, err, context.Canceled)
}

// BenchmarkGet compares a node in the cache with the same node in the store below.
func BenchmarkGet(b *testing.B) {
	m := storetest.NewMemory()
	c := NewCache(m, 1000).(*cache)
	id := putCase(b, c, 1, 0, "a description of some length")
	for name, s := range map[string]store.Store{"hot": c, "below": m} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Get(b.Context(), id); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("hot, all processors", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := c.Get(b.Context(), id); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

// A copy can be changed; a shared node remains unchanged.
func TestSharedIsKept(t *testing.T) {
	c := NewCache(storetest.NewMemory(), 10).(*cache)
	id := putCase(t, c, 1, 0, "old")
	n, err := c.Get(t.Context(), id)
	require.NoError(t, err)
	n.Content.AppliesWhen[0] = "another"
	for range 2 {
		s, err := c.Shared(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, "a total is shown", s.Content.AppliesWhen[0])
	}
	_, err = c.Shared(t.Context(), "c_none")
	require.ErrorIs(t, err, tree.ErrNotFound)
	require.NoError(t, c.Close())
	_, err = c.Shared(t.Context(), id)
	require.ErrorIs(t, err, store.ErrClosed)
}
