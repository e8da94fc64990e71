package jsonstore_test

import (
	"context"
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

func TestCrash(t *testing.T) {
	for name, limit := range map[string]int64{"journal": 1 << 30, "snapshots": 1} {
		t.Run(name, func(t *testing.T) { storetest.Crash(t, onFS(limit), 3000, 1) })
	}
}

func TestFaults(t *testing.T) {
	for name, limit := range map[string]int64{"journal": 1 << 30, "snapshots": 1} {
		t.Run(name, func(t *testing.T) { storetest.Faults(t, onFS(limit), 1, 1) })
	}
}
