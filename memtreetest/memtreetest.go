// Package memtreetest brings memory to go test. There are two uses:
//
//   - [Run] runs an agent on a table of test cases, each as a subtest with the guidance of memory,
//     and records what it judged. Whatever fails in memory is a line in the log and no failed test.
//   - [Seed], [Told] and [NotTold] hold in a team's own tests what memory says and when it is
//     silent, such as for an overlay of checks. There an error fails the test.
//
// Packages are tested in processes of their own that run at once, and a store has one writer. A Run that finds the
// store taken asks it all the same, leaves no trial, and records when the other is done.
package memtreetest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/ingest"
)

// StoreVariable names the environment variable with the folder of the store.
const StoreVariable = "MEMTREE_STORE"

// patient is the longest time a test waits for guidance: on a machine that is busy with the tests of
// other packages the deadline of a harness would decide what is told.
const patient = 30 * time.Second

// Open opens the memory in a folder and closes it when the test ends. The folder "" is that of
// MEMTREE_STORE, or one of the test's own if that is not set. An error fails the test: where a run
// must go on without memory, use [Run], or memtree.Open and memtree.Wrap.
func Open(t testing.TB, dir string) *memtree.Memory {
	t.Helper()
	if dir == "" {
		dir = os.Getenv(StoreVariable)
	}
	if dir == "" {
		dir = t.TempDir()
	}
	return open(t, dir, &memtree.Options{Deadline: patient})
}

// Seed opens a memory that knows these judged runs and nothing else, and leaves nothing behind. They are cases when
// it returns, and no lessons: for these call Evolve. Chance holds nothing out.
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
// takes. A line that cannot be used fails the test.
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
