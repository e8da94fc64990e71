package jsonstore

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

// configuration is one way to run the store.
type configuration struct {
	name string
	open func(fs afero.Fs) (store.Store, error)
}

// configurations returns the ways to run the store. All of them must behave alike.
func configurations() []configuration {
	open := func(limit int64, wrap func(*Store, afero.Fs) store.Store) storetest.OnFS {
		return func(fs afero.Fs) (store.Store, error) {
			s, err := Open(context.Background(), fs, "store", Options{JournalLimit: limit, Origin: tree.Origin{ID: "o_test"}})
			if err != nil {
				return nil, err
			}
			return wrap(s, fs), nil
		}
	}
	bare := func(s *Store, _ afero.Fs) store.Store { return s }
	return []configuration{
		{"journal only", open(1<<30, bare)},
		{"snapshots at every chance", open(1, bare)},
		{"compacted and read beside", open(1<<30, func(s *Store,
			fs afero.Fs) store.Store {
			return &restless{Store: s, fs: fs}
		})},
		{"smallest cache", open(1, func(s *Store, _ afero.Fs) store.Store { return core.NewCache(s, 0) })},
		{"large cache", open(1<<30, func(s *Store, _ afero.Fs) store.Store { return core.NewCache(s, 1000) })},
	}
}

// restless is a store that compacts between writes. Another process's reader reads it in between, and must see every
// commit.
type restless struct {
	*Store
	fs     afero.Fs
	writes int
}

func (r *restless) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	v, err := r.Store.Commit(ctx, b)
	if err != nil {
		return v, err
	}
	r.writes++
	if r.writes%5 == 0 {
		if err := r.Compact(ctx); err != nil {
			return v, err
		}
	}
	if r.writes%7 == 0 {
		return v, r.compare(ctx)
	}
	return v, nil
}

// compare opens the store a second time, for reading only, while the writer has it open.
func (r *restless) compare(ctx context.Context) error {
	beside, err := Open(ctx, r.fs, "store", Options{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("beside the writer: %w", err)
	}
	defer func() { _ = beside.Close() }() // it wrote nothing
	mine, err := r.nodes(ctx)
	if err != nil {
		return err
	}
	theirs, err := (&restless{Store: beside}).nodes(ctx)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(mine, theirs, func(a, b tree.Node) bool { return reflect.DeepEqual(a, b) }) {
		return fmt.Errorf("a reader sees %d other nodes than the writer's %d", len(theirs), len(mine))
	}
	return nil
}

func (r *restless) nodes(ctx context.Context) ([]tree.Node, error) {
	var out []tree.Node
	for n, err := range r.Scan(ctx, store.Filter{}) {
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// agreeing is the number of operations of one history. Longer histories find little more, because only the ledger
// grows.
const agreeing = 100

// agree runs histories of random operations. Each runs on a store in every configuration and on
// the model. It returns the number of operations.
func agree(t testing.TB, histories int, seed uint64) int {
	t.Helper()
	for i := range histories {
		for _, c := range configurations() {
			storetest.Agree(quiet{t}, func(testing.TB) func() (store.Store, error) {
				fs := afero.NewMemMapFs()
				return func() (store.Store, error) { return c.open(fs) }
			}, agreeing, seed+uint64(i)) //nolint:gosec // a count
		}
	}
	return histories * agreeing
}

// quiet is a test that prints only failures.
type quiet struct{ testing.TB }

func (quiet) Logf(string, ...any) {}

func TestAgree(t *testing.T) {
	require.Equal(t, 500, agree(t, 5, 1))
}
