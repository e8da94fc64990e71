package jsonstore

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/memtree/memtree/tree"
)

// Get returns a node; see tree.Store.
func (s *Store) Get(ctx context.Context, id string) (tree.Node, error) {
	n, err := s.get(ctx, id)
	if err != nil {
		return tree.Node{}, fmt.Errorf("get %s: %w", clip(id), err)
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
	return n, json.Unmarshal(raw, &n)
}

// node returns the JSON of a node.
func (st *state) node(id string) ([]byte, error) {
	if n, ok := st.overlay(id); ok {
		return n.raw, nil
	}
	return nil, tree.ErrNotFound
}

// Scan yields nodes; see tree.Store.
func (s *Store) Scan(ctx context.Context, f tree.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		st, err := s.view(ctx)
		if err != nil {
			yield(tree.Node{}, fmt.Errorf("scan: %w", err))
			return
		}
		defer st.base.release()
		for _, e := range st.top.nodes.from("") {
			var n tree.Node
			err := ctx.Err()
			if err == nil {
				err = json.Unmarshal(e.raw, &n)
			}
			if err != nil {
				yield(tree.Node{}, fmt.Errorf("scan: %w", err))
				return
			}
			if f.Match(&n) && !yield(n, nil) {
				return
			}
		}
	}
}

// Ledger yields the entries after a sequence number; see tree.Store.
func (s *Store) Ledger(ctx context.Context, after uint64) iter.Seq2[tree.Entry, error] {
	return records[tree.Entry](s, ctx, "ledger", after, func(st *state) []record { return st.entries })
}

// DeadLetters yields what could not be formed; see tree.Store.
func (s *Store) DeadLetters(ctx context.Context) iter.Seq2[tree.DeadLetter, error] {
	return records[tree.DeadLetter](s, ctx, "dead letters", 0, func(st *state) []record { return st.dead })
}

func records[T any](s *Store, ctx context.Context, what string, after uint64, of func(*state) []record) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		st, err := s.view(ctx)
		if err != nil {
			yield(none, fmt.Errorf("read %s: %w", what, err))
			return
		}
		defer st.base.release()
		for _, r := range of(st) {
			if r.seq <= after {
				continue
			}
			var v T
			err := ctx.Err()
			if err == nil {
				err = json.Unmarshal(r.raw, &v)
			}
			if err != nil {
				yield(none, fmt.Errorf("read %s: %w", what, err))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// Changes yields the commits after a version that changed nodes; see tree.Store.
func (s *Store) Changes(ctx context.Context, after uint64) iter.Seq2[tree.Commit, error] {
	return func(yield func(tree.Commit, error) bool) {
		st, err := s.view(ctx)
		if err != nil {
			yield(tree.Commit{}, fmt.Errorf("changes after %d: %w", after, err))
			return
		}
		defer st.base.release()
		for _, c := range st.commits {
			if c.version <= after {
				continue
			}
			out, err := c.decode()
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(tree.Commit{}, fmt.Errorf("changes after %d: %w", after, err))
				return
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

func (c *commit) decode() (tree.Commit, error) {
	out := tree.Commit{Version: c.version, Changes: make([]tree.Change, len(c.changes))}
	for i, raw := range c.changes {
		if err := json.Unmarshal(raw, &out.Changes[i]); err != nil {
			return tree.Commit{}, err
		}
	}
	return out, nil
}

// clip bounds what an error repeats of a name from outside.
func clip(s string) string {
	if len(s) > 64 {
		return fmt.Sprintf("%q…", s[:64])
	}
	if !safeID(s) {
		return fmt.Sprintf("%q", s)
	}
	return s
}
