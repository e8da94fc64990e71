package jsonstore

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

var _ store.Movable = (*Store)(nil)

// Outbox yields the evaluations in the outbox, oldest first. See store.Movable.
func (s *Store) Outbox(ctx context.Context) iter.Seq2[tree.Evaluation, error] {
	return func(yield func(tree.Evaluation, error) bool) {
		st, err := s.view(ctx)
		if err != nil {
			yield(tree.Evaluation{}, fmt.Errorf("read the outbox: %w", err))
			return
		}
		defer st.base.release()
		for _, it := range st.outbox.from("") {
			e, err := st.evaluation(it)
			if err != nil {
				err = fmt.Errorf("read the outbox: %w", err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Beside returns the names of the derived data that cannot be built again, sorted. See store.Movable.
func (s *Store) Beside(ctx context.Context) ([]string, error) {
	if err := s.usable(ctx); err != nil {
		return nil, fmt.Errorf("list what is held beside the tree: %w", err)
	}
	files, err := s.disk.names(derivedFolder)
	if err != nil {
		return nil, fmt.Errorf("list what is held beside the tree: %w", err)
	}
	var out []string
	for _, file := range files {
		if name, _, ok := derivedFile(file); ok && store.HeldBeside(name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Known yields what the store remembers of every accepted key. A store that is open for writing is compacted first. See
// store.Movable.
func (s *Store) Known(ctx context.Context) iter.Seq2[store.KnownKey, error] {
	return func(yield func(store.KnownKey, error) bool) {
		if !s.readOnly {
			if err := s.Compact(ctx); err != nil {
				yield(store.KnownKey{}, fmt.Errorf("read the known keys: %w", err))
				return
			}
		}
		st, err := s.view(ctx)
		if err != nil {
			yield(store.KnownKey{}, fmt.Errorf("read the known keys: %w", err))
			return
		}
		defer st.base.release()
		left := false
		err = mergeRecords(st.knownSources(), func(rec []byte) error {
			key := store.KnownKey{Key: [16]byte(rec), Known: parseKnown(rec)}
			if err := ctx.Err(); err != nil || left {
				return err
			}
			left = !yield(key, nil)
			return nil
		})
		if err != nil && !left {
			yield(store.KnownKey{}, fmt.Errorf("read the known keys: %w", err))
		}
	}
}

// knownSources returns the records of keys in all layers, the newest first; see oldKeys.
func (st *state) knownSources() []func() ([]byte, error) {
	var sources []func() ([]byte, error)
	for _, l := range []journalLayer{st.top, st.frozen} {
		sources = append(sources, newKeys(l.known))
	}
	for _, ref := range st.base.Known {
		sources = append(sources, st.base.oldKeys(ref))
	}
	return sources
}

// mergeRecords calls add with each key's newest record, sorted by key. The first source with a key has the newest.
func mergeRecords(sources []func() ([]byte, error), add func([]byte) error) error {
	heads := make([][]byte, len(sources))
	for i := range sources {
		var err error
		if heads[i], err = sources[i](); err != nil {
			return err
		}
	}
	for {
		least := -1
		for i, h := range heads {
			if h != nil && (least < 0 || bytes.Compare(h[:16], heads[least][:16]) < 0) {
				least = i
			}
		}
		if least < 0 {
			return nil
		}
		rec := heads[least]
		if err := add(rec); err != nil {
			return err
		}
		for i, h := range heads {
			if h == nil || !bytes.Equal(h[:16], rec[:16]) {
				continue
			}
			var err error
			if heads[i], err = sources[i](); err != nil {
				return err
			}
		}
	}
}

// importKnown adds records of keys that were accepted in another store, or replaces those here. No evaluation comes
// with them. They are durable once a later Compact or Close has returned, so a new store that is filled by a move gets
// them last.
func (s *Store) importKnown(ctx context.Context, keys []store.KnownKey) error {
	keys = slices.Clone(keys)
	err := s.write(ctx, func(st *state) ([]byte, error) {
		next := *st
		for _, k := range keys {
			_, known, err := next.knows(k.Key)
			if err != nil {
				return nil, err
			}
			if !known {
				next.Evaluations++
			}
			next.top.known = next.top.known.put(string(k.Key[:]), k.Known)
		}
		*st = next
		return append(strconv.AppendUint([]byte(`{"version":`), st.Version+1, 10), '}'), nil
	})
	if err != nil {
		return fmt.Errorf("import known keys: %w", err)
	}
	return nil
}
