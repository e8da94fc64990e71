package jsonstore_test

import (
	"testing"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/storetest"
)

func TestStore(t *testing.T) {
	for name, o := range map[string]jsonstore.Options{"": {}, " with many snapshots": {JournalLimit: 1}} {
		if name == "" {
			t.Run("on disk", func(t *testing.T) {
				storetest.Run(t, func(tb testing.TB) func() (store.Store, error) {
					dir := tb.TempDir()
					return func() (store.Store, error) { return jsonstore.OpenDir(tb.Context(), dir, o) }
				})
			})
		}
		t.Run("in memory"+name, func(t *testing.T) {
			storetest.Run(t, func(tb testing.TB) func() (store.Store, error) {
				fs := afero.NewMemMapFs()
				return func() (store.Store, error) { return jsonstore.Open(tb.Context(), fs, "store", o) }
			})
		})
	}
}
