package jsonstore

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

// TestMutants switches on one mistake of the protocol at a time. The crash and
// fault tests must see each.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute with the race detector")
	}
	for name, h := range map[string]hooks{
		"ack before sync":             {ackBeforeSync: true},
		"no directory sync":           {noDirSync: true},
		"no file sync before rename":  {noFileSync: true},
		"a failed sync is ignored":    {ignoreSyncError: true},
		"a failed sync is retried":    {retrySyncError: true},
		"a snapshot without outbox":   {snapshotNoOutbox: true},
		"remove before commit":        {removeFirst: true},
		"no checksum of journal line": {noCRC: true},
	} {
		t.Run(name, func(t *testing.T) {
			open := func(limit int64) storetest.OnFS {
				return func(fs afero.Fs) (tree.Store, error) {
					return openOn(context.Background(), fs, "/store", Options{JournalLimit: limit, Origin: tree.Origin{ID: "o_test"}}, h)
				}
			}
			killed := try(t, func(tb testing.TB) { storetest.Faults(tb, open(1<<30), 2, 1) }) ||
				try(t, func(tb testing.TB) { storetest.Crash(tb, open(1<<30), 2000, 1) }) ||
				try(t, func(tb testing.TB) { storetest.Crash(tb, open(1), 3000, 1) })
			require.True(t, killed, "survived")
		})
	}
}

// try reports whether a test fails.
func try(t *testing.T, test func(testing.TB)) bool {
	f := &failing{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(f)
	}()
	<-done
	return f.failed
}

// failing is a test that may fail without failing the one it is part of.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Logf(string, ...any)   {}
func (f *failing) Error(...any)          { f.failed = true }
func (f *failing) Errorf(string, ...any) { f.failed = true }
func (f *failing) FailNow()              { f.failed = true; runtime.Goexit() }
func (f *failing) Fatal(args ...any)     { f.FailNow() }
func (f *failing) Fatalf(format string, args ...any) {
	_ = fmt.Sprintf(format, args...)
	f.FailNow()
}
func (f *failing) Failed() bool { return f.failed }
