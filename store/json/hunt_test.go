package jsonstore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/storetest"
)

const survived = "NOBODY"

// hunter runs the suites on this store, which contains one mistake.
type hunter struct {
	states atomic.Int64 // stores opened so far
}

// suite is a part of the proof, and its amount.
type suite struct {
	name string
	run  func(testing.TB)
}

func (h *hunter) suites() []suite {
	seed := uint64(setting("MEMTREE_SEED", 1)) //nolint:gosec // any number does
	return []suite{
		{"agree", func(t testing.TB) { h.agree(t, seed) }},
		{"at once", h.atOnce},
		{"absence", h.absent},
		{"damage", h.damage},
		{"crashes", func(t testing.TB) { storetest.Crash(t, h.open(1<<30), 2000, seed) }},
		{"faults", func(t testing.TB) { storetest.Faults(t, h.open(1<<30), 2, seed) }},
		{"crashes", func(t testing.TB) { storetest.Crash(t, h.open(1), 3000, seed) }},
		{"faults", func(t testing.TB) { storetest.Faults(t, h.open(1), 2, seed) }},
		{"crashes", func(t testing.TB) { storetest.Crash(t, h.open(1), 30_000, seed+apart) }},
	}
}

// hunt runs the suites in order until one fails.
func (h *hunter) hunt(t *testing.T) hunted {
	t.Helper()
	for _, s := range h.suites() {
		if try(t, s.run) {
			return hunted{s.name, h.states.Load()}
		}
	}
	return hunted{survived, h.states.Load()}
}

func (h *hunter) open(limit int64) storetest.OnFS {
	below := onFS(limit)
	return func(fs afero.Fs) (store.Store, error) {
		h.states.Add(1)
		return below(fs)
	}
}

func (h *hunter) agree(t testing.TB, seed uint64) {
	for i := range uint64(5) {
		h.states.Add(int64(len(configurations())))
		agree(t, 1, seed+i)
	}
}

func (h *hunter) damage(t testing.TB) {
	f := closedStore(t, 4)
	ways := append(f.lineDamages(), some(f.damages(extent{1, 1, 1, true}), 1000, 1)...)
	found, tried := unfinished(t)
	h.states.Add(int64(tried))
	require.Empty(t, found)
	for len(ways) > 0 {
		n := min(len(ways), 50)
		h.states.Add(int64(2 * n))
		if found := f.harmless(ways[:n]); len(found) > 0 {
			t.Fatal(found[0])
		}
		ways = ways[n:]
	}
}

func (h *hunter) absent(t testing.TB) {
	found, denied := absent(t)
	h.states.Add(int64(denied))
	require.Empty(t, found)
}

// atOnce saves several pieces of derived data concurrently, each of them slowly.
func (h *hunter) atOnce(t testing.TB) {
	h.states.Add(1)
	ctx := context.Background()
	s, err := Open(ctx, storetest.NewCrashFS(), "/store", Options{})
	require.NoError(t, err)
	names := []string{"index", "risk", "words"}
	data := func(name string) []byte { return bytes.Repeat([]byte(name+" "), 20_000) }
	var all sync.WaitGroup
	errs := make([]error, len(names))
	for i, name := range names {
		all.Go(func() {
			errs[i] = s.SaveDerived(ctx, name, 1, func(w io.Writer) error {
				for b := data(name); len(b) > 0; b = b[min(len(b), 10_000):] {
					if _, err := w.Write(b[:min(len(b), 10_000)]); err != nil {
						return err
					}
					time.Sleep(100 * time.Microsecond)
				}
				return nil
			})
		})
	}
	all.Wait()
	for i, name := range names {
		require.NoError(t, errs[i])
		d, err := s.OpenDerived(ctx, name)
		require.NoError(t, err)
		b, err := io.ReadAll(io.NewSectionReader(d, 0, d.Size))
		require.NoError(t, err)
		require.True(t, bytes.Equal(data(name), b), "%s is another's", name)
		require.NoError(t, d.Closer.Close())
	}
	require.NoError(t, s.Close())
}

// try reports whether a test fails.
func try(t *testing.T, test func(testing.TB)) bool {
	t.Helper()
	f := &failing{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if recover() != nil { // a test that panics has failed too
				f.failed = true
			}
		}()
		test(f)
	}()
	<-done
	return f.failed
}

// failing is a test that may fail without failing the test it is part of.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Logf(string, ...any)   {}
func (f *failing) Error(...any)          { f.failed = true }
func (f *failing) Errorf(string, ...any) { f.failed = true }
func (f *failing) FailNow()              { f.failed = true; runtime.Goexit() }
func (f *failing) Fatal(...any)          { f.FailNow() }
func (f *failing) Fatalf(format string, args ...any) {
	_ = fmt.Sprintf(format, args...) // as the real one would
	f.FailNow()
}
func (f *failing) Failed() bool { return f.failed }
