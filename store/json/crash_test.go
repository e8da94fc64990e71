package jsonstore_test

import (
	"context"
	"os"
	"strconv"
	"testing"

	"github.com/spf13/afero"

	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

// onFS opens a store that writes snapshots at every chance, or never.
func onFS(limit int64) storetest.OnFS {
	return func(fs afero.Fs) (tree.Store, error) {
		return jsonstore.Open(context.Background(), fs, "/store", jsonstore.Options{JournalLimit: limit, Origin: tree.Origin{ID: "o_test"}})
	}
}

// setting returns a number from the environment, for longer runs than the usual.
func setting(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

func TestCrash(t *testing.T) {
	states, seed := setting("MEMTREE_CRASH_STATES", 600), setting("MEMTREE_SEED", 1)
	for name, limit := range map[string]int64{"journal": 1 << 30, "snapshots": 1} {
		t.Run(name, func(t *testing.T) { storetest.Crash(t, onFS(limit), states, uint64(seed)) })
	}
}

func TestFaults(t *testing.T) {
	histories, seed := setting("MEMTREE_FAULT_HISTORIES", 1), setting("MEMTREE_SEED", 1)
	for name, limit := range map[string]int64{"journal": 1 << 30, "snapshots": 1} {
		t.Run(name, func(t *testing.T) { storetest.Faults(t, onFS(limit), histories, uint64(seed)) })
	}
}
