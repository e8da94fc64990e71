package jsonstore

import (
	"errors"

	"github.com/memtree/memtree/store"
)

// known writes the keys of all evaluations ever accepted, in a few sorted tables. Each snapshot adds a table with the
// new keys and merges into it the newest tables that are at most twice as large. So there are few tables, and each key
// is rewritten only a logarithmic number of times (O'Neil and others, The Log-Structured Merge-Tree, Acta Informatica
// 33, 1996).
func (w *snapshotter) known() error {
	base := w.from.base
	count, merge := w.from.top.known.n, 0
	if count == 0 {
		w.out.Known = base.Known
		return nil
	}
	for merge < len(base.Known) && base.Known[merge].Count <= 2*count {
		count += base.Known[merge].Count
		merge++
	}
	out, err := w.create("known.table")
	if err != nil {
		return err
	}
	n, err := w.mergeKnown(out, base.Known[:merge])
	if err != nil {
		return errors.Join(err, out.file.Close())
	}
	ref, err := out.finish()
	w.out.Known = append([]tableRef{{Count: n, Table: ref}}, base.Known[merge:]...)
	return err
}

// mergeKnown merges the new keys with those of the older tables and returns their number. The newest record of a key is
// used.
func (w *snapshotter) mergeKnown(out *output, older []tableRef) (int, error) {
	sources := []func() ([]byte, error){newKeys(w.from.top.known)}
	for _, ref := range older {
		sources = append(sources, w.from.base.oldKeys(ref))
	}
	t := newTable(out, knownSize)
	if err := mergeRecords(sources, t.add); err != nil {
		return 0, err
	}
	return t.count, t.flush()
}

// newKeys returns a function that returns the records of keys in memory one by one, nil at the end.
func newKeys(known sorted[store.Known]) func() ([]byte, error) {
	c := known.cursor("")
	return func() ([]byte, error) {
		t := c.next()
		if t == nil {
			return nil, nil
		}
		return knownRecord([16]byte([]byte(t.key)), &t.val), nil
	}
}

// oldKeys returns a function that returns the records of a table one by one, nil at the end.
func (g *generation) oldKeys(ref tableRef) func() ([]byte, error) {
	t := table{from: g.handles[ref.Table.Name], size: knownSize, count: ref.Count}
	var page []byte
	n := 0
	return func() ([]byte, error) {
		if len(page) == 0 {
			if n == pages(t.count, t.size) {
				return nil, nil
			}
			var err error
			if page, err = t.page(n); err != nil {
				return nil, damaged(ref.Table, int64(n)*pageSize, err)
			}
			n++
		}
		rec := page[:t.size]
		page = page[t.size:]
		return rec, nil
	}
}
