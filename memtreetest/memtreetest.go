// Package memtreetest connects memtree with go test. It has two uses:
//
//   - [Run] runs an agent on a table of test cases, each as a subtest with the guidance of memory, and records its
//     judgments. An error of the memory is logged and fails no test.
//   - [Seed], [Told] and [NotTold] test the guidance itself, such as for an overlay of checks. There an error fails
//     the test.
//
// go test runs packages in parallel processes, and a store has one writer. If another process writes the store, Run
// only reads it, records no trials, and records the judgments if the other process is done within 20 seconds.
package memtreetest

import (
	"cmp"
	"context"
	"os"
	"testing"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/ingest"
)

// StoreVariable is the environment variable that names the folder of the store.
const StoreVariable = "MEMTREE_STORE"

// patient is the longest time that a test waits for guidance. A shorter deadline would make the guidance depend on
// the load of the machine.
const patient = 30 * time.Second

// Open opens the memory in a folder and closes it when the test ends. If dir is "" it is the value of MEMTREE_STORE,
// or a temporary folder if that is not set. An error fails the test. For runs that must continue without memory, use
// [Run], or memtree.Open and memtree.Wrap.
func Open(t testing.TB, dir string) *memtree.Memory {
	t.Helper()
	if dir = cmp.Or(dir, os.Getenv(StoreVariable)); dir == "" {
		dir = t.TempDir()
	}
	return open(t, dir, &memtree.Options{Deadline: patient})
}

// Seed opens a store in memory that contains the given judged runs. When it returns they are formed into cases; call
// Evolve for lessons. No run is held out for comparison.
func Seed(t testing.TB, runs ...memtree.Evaluation) *memtree.Memory {
	t.Helper()
	m := open(t, "", &memtree.Options{InMemory: true, Deadline: patient, Holdout: new(effect.Fixed(0))})
	if _, err := m.RecordAll(t.Context(), runs); err != nil {
		t.Fatalf("memtreetest: seed: %v", err)
	}
	if err := m.Wait(t.Context()); err != nil {
		t.Fatalf("memtreetest: seed: %v", err)
	}
	return m
}

// Read reads judged runs from a file of JSON Lines, such as testdata/runs.jsonl, in any form that memtree record
// accepts. An invalid line fails the test.
func Read(t testing.TB, name string) []memtree.Evaluation {
	t.Helper()
	f, err := os.Open(name) //nolint:gosec // a file of the test's own
	if err != nil {
		t.Fatalf("memtreetest: %v", err)
	}
	defer f.Close() //nolint:errcheck // only read
	var out []memtree.Evaluation
	for e, err := range ingest.Read(name, f) {
		if err != nil {
			t.Fatalf("memtreetest: %v", err)
		}
		out = append(out, e)
	}
	return out
}

// open opens a memory until the test ends.
func open(t testing.TB, dir string, o *memtree.Options) *memtree.Memory {
	t.Helper()
	m, err := memtree.Open(context.WithoutCancel(t.Context()), dir, o)
	if err != nil {
		t.Fatalf("memtreetest: %v", err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Errorf("memtreetest: %v", err)
		}
	})
	return m
}
