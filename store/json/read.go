package jsonstore

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Get returns the node with an id. See store.Store.
func (s *Store) Get(ctx context.Context, id string) (tree.Node, error) {
	n, err := s.get(ctx, id)
	if err != nil {
		return tree.Node{}, fmt.Errorf("get %s: %w", clipName(id), err)
	}
	return n, nil
}

func (s *Store) get(ctx context.Context, id string) (n tree.Node, err error) {
	st, err := s.view(ctx)
	if err != nil {
		return n, err
	}
	defer st.base.release()
	raw, err := st.node(id)
	if err != nil {
		return n, err
	}
	return n, decode(raw, &n)
}

// node returns the JSON of a node.
func (st *state) node(id string) ([]byte, error) {
	if n, ok := st.overlay(id); ok {
		return n.at.read()
	}
	b, l, ok, err := st.base.find(id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, tree.ErrNotFound
	}
	return st.base.read(&b.linesRef, l.place)
}

// Scan yields the nodes that f selects, sorted by id. See store.Store.
func (s *Store) Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		st, err := s.view(ctx)
		if err != nil {
			yield(tree.Node{}, fmt.Errorf("scan: %w", err))
			return
		}
		defer st.base.release()
		nodes := st.nodesAfter(f.ErrorType, filterOf(f), f.After)
		for {
			n, ok, err := nodes.decode(ctx, f)
			if err != nil {
				yield(tree.Node{}, fmt.Errorf("scan: %w", err))
				return
			}
			if !ok || !yield(n, nil) {
				return
			}
		}
	}
}

// decode returns the next node that f selects, false after the last.
func (m *merged) decode(ctx context.Context, f store.Filter) (n tree.Node, ok bool, err error) {
	for !ok {
		if err := ctx.Err(); err != nil {
			return n, false, err
		}
		e, err := m.next()
		if e == nil || err != nil {
			return n, false, err
		}
		m.node = tree.Node{} // decoded in place, because what is decoded lives on the heap
		if err = decodeNode(e.raw, e.id, &m.node, f); err != nil {
			return n, false, err
		}
		ok = f.Match(&m.node)
	}
	return m.node, true, nil
}

// Ledger yields the entries of the ledger after a sequence number, 0 for all. See store.Store.
func (s *Store) Ledger(ctx context.Context, after uint64) iter.Seq2[ledger.Entry, error] {
	read := plainOf(reflect.TypeFor[ledger.Entry]())
	return stored(ctx, s, "read the ledger", after, read, (*store.Purge).Clean, func(st *state) ([]linesRef, []record) {
		return st.base.Ledger, st.entries
	})
}

// DeadLetters yields the evaluations that could not be formed into memories. See store.Store.
func (s *Store) DeadLetters(ctx context.Context) iter.Seq2[store.DeadLetter, error] {
	read := plainOf(reflect.TypeFor[store.DeadLetter]())
	clean := (*store.Purge).CleanLetter
	return stored(ctx, s, "read the dead letters", 0, read, clean, func(st *state) ([]linesRef, []record) {
		return st.base.Dead, st.dead
	})
}

// stored yields the lines after a number, decoded by read: first those in files of the base, then those in
// journals. clean removes from them what was purged and is still in the files.
func stored[T any](ctx context.Context, s *Store, doing string, after uint64, read plain,
	clean func(*store.Purge, *T) bool, of func(*state) ([]linesRef, []record)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		st, err := s.view(ctx)
		if err != nil {
			var none T
			yield(none, fmt.Errorf("%s: %w", doing, err))
			return
		}
		defer st.base.release()
		files, records := of(st)
		for raw, err := range st.base.linesAfter(files, records, after) {
			var v T
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = decodeBy(read, raw, &v)
			}
			if err != nil {
				yield(v, fmt.Errorf("%s: %w", doing, err))
				return
			}
			if st.purge != nil {
				clean(st.purge, &v)
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// linesAfter yields the lines of files, and then of records, with numbers above after.
func (g *generation) linesAfter(files []linesRef, records []record, after uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i := range files {
			if files[i].Last <= after {
				continue
			}
			r := blockReader{gen: g, ref: &files[i]}
			for {
				at, ok, err := r.index()
				if !ok && err == nil {
					break
				}
				var raw []byte
				if err == nil && at.num > after {
					raw, err = r.read(at.place)
				}
				if (raw != nil || err != nil) && (!yield(raw, err) || err != nil) {
					return
				}
			}
		}
		for _, r := range records {
			if r.seq <= after {
				continue
			}
			raw, err := r.at.read()
			if !yield(raw, err) || err != nil {
				return
			}
		}
	}
}

// Changes yields the commits that changed nodes, after a version. See store.Store.
func (s *Store) Changes(ctx context.Context, after uint64) iter.Seq2[store.Commit, error] {
	return func(yield func(store.Commit, error) bool) {
		st, err := s.view(ctx)
		if err != nil {
			yield(store.Commit{}, fmt.Errorf("changes after %d: %w", after, err))
			return
		}
		defer st.base.release()
		if after < st.base.Counts.Changed {
			yield(store.Commit{}, fmt.Errorf("changes after %d: %w", after, store.ErrCompacted))
			return
		}
		for _, c := range st.commits {
			if c.version <= after {
				continue
			}
			out, err := c.decode()
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(store.Commit{}, fmt.Errorf("changes after %d: %w", after, err))
				return
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

func (c *commit) decode() (store.Commit, error) {
	out := store.Commit{Version: c.version, Changes: make([]tree.Change, len(c.changes))}
	for i, at := range c.changes {
		raw, err := c.journal.value(at)
		if err == nil {
			err = decode(raw, &out.Changes[i])
		}
		if err != nil {
			return store.Commit{}, err
		}
	}
	return out, nil
}

// clipName returns a name from outside for an error message, clipped and quoted if necessary.
func clipName(s string) string {
	if len(s) > 64 {
		return fmt.Sprintf("%q…", s[:64])
	}
	if !safeID(s) {
		return fmt.Sprintf("%q", s)
	}
	return s
}
