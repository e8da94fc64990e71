package jsonstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Commit writes the batch b, all of it or nothing, and returns the new version. See store.Store.
func (s *Store) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	p, err := prepare(&b)
	if err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	var version uint64
	err = s.write(ctx, func(st *state) ([]byte, error) {
		line, err := p.line(st)
		if version = st.Version; line != nil {
			version++
		}
		return line, err
	})
	if err == nil && b.Purge != nil {
		err = s.finishPurge(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	return version, nil
}

// prepared is a batch as JSON. The goroutine of the caller encodes it, so that the writer only compares and copies.
type prepared struct {
	batch   *store.Batch
	changes [][]byte
	dead    [][]byte
	entries [][]byte
	purge   []byte
}

// prepare checks and encodes a batch.
func prepare(b *store.Batch) (*prepared, error) {
	p := &prepared{batch: b}
	for i := range b.Changes {
		raw, err := encodeChange(&b.Changes[i])
		if err != nil {
			return nil, fmt.Errorf("change %d: %w", i+1, err)
		}
		p.changes = append(p.changes, raw)
	}
	for i := range b.Dead {
		d := &b.Dead[i]
		if err := d.Evaluation.Check(); err != nil {
			return nil, fmt.Errorf("dead letter %d: %w", i+1, err)
		}
		raw, err := encode(struct {
			Key        string           `json:"key"`
			Why        string           `json:"why"`
			Evaluation *tree.Evaluation `json:"evaluation"`
		}{d.Evaluation.Key(), d.Why, &d.Evaluation})
		if err != nil {
			return nil, fmt.Errorf("dead letter %d: %w", i+1, err)
		}
		p.dead = append(p.dead, raw)
	}
	for i := range b.Entries {
		e := b.Entries[i]
		e.Seq = 0 // the store sets it
		raw, err := encode(&e)
		if err != nil {
			return nil, fmt.Errorf("ledger entry %d: %w", i+1, err)
		}
		p.entries = append(p.entries, raw)
	}
	if b.Purge != nil {
		var err error
		if p.purge, err = encode(b.Purge); err != nil {
			return nil, fmt.Errorf("purge: %w", err)
		}
	}
	return p, nil
}

// encodeChange checks the laws that the store relies on and encodes a change, the node last.
func encodeChange(c *tree.Change) ([]byte, error) {
	n := &c.Node
	switch {
	case !safeID(n.ID):
		return nil, &tree.LawError{Node: n.ID, Law: "its id is 1 to 64 letters, digits and _",
			Got: "it is " + strconv.Quote(n.ID)}
	case !slug(n.ErrorType):
		return nil, &tree.LawError{Node: n.ID, Law: "its error type is a lower-case name with _",
			Got: "it is " + strconv.Quote(n.ErrorType)}
	}
	if basis, ok := c.Basis[n.ID]; ok && n.Revision != basis+1 {
		return nil, &tree.LawError{
			Node: n.ID, Law: "its revision is one more than the one it was planned on",
			Got: fmt.Sprintf("it is %d after %d", n.Revision, basis),
		}
	}
	raw, err := encode(n)
	if err != nil {
		return nil, err
	}
	b, err := encode(struct {
		Op    tree.Op        `json:"op"`
		Why   string         `json:"why"`
		By    string         `json:"by"`
		Basis map[string]int `json:"basis,omitempty"`
		Key   string         `json:"key"`
	}{c.Op, c.Why, c.By, c.Basis, c.Key})
	if err != nil {
		return nil, err
	}
	b = append(b[:len(b)-1], `,"node":`...)
	return append(append(b, raw...), '}'), nil
}

// head is the part of a node that the basis of a change is compared with.
type head struct {
	revision uint32
	change   store.Hash
}

// line returns the JSON of the batch as it applies to st, nil if it changes nothing.
func (p *prepared) line(st *state) ([]byte, error) {
	changes, err := p.effective(st)
	if err != nil {
		return nil, err
	}
	if err := p.outbox(st); err != nil {
		return nil, err
	}
	if len(changes)+len(p.batch.Done)+len(p.dead)+len(p.entries)+len(p.purge) == 0 {
		return nil, nil
	}
	b := strconv.AppendUint([]byte(`{"version":`), st.Version+1, 10)
	if p.purge != nil {
		b = append(append(b, `,"purge":`...), p.purge...)
	}
	b = appendList(b, "changes", changes)
	var done [][]byte
	for _, key := range p.batch.Done {
		k, err := encode(key)
		if err != nil {
			return nil, err
		}
		done = append(done, k)
	}
	b = appendList(b, "done", done)
	b = appendList(b, "dead", p.dead)
	var entries [][]byte
	for i, e := range p.entries {
		seq := strconv.AppendUint([]byte(`{"seq":`), st.Entries+uint64(i)+1, 10) //nolint:gosec // an index
		entries = append(entries, append(append(seq, ','), e[1:]...))
	}
	b = appendList(b, "entries", entries)
	return append(b, '}'), nil
}

// effective returns the changes that are not applied yet, or ErrConflict.
func (p *prepared) effective(st *state) ([][]byte, error) {
	var out [][]byte
	made := map[string]head{} // by earlier changes of the batch
	look := func(id string) (head, error) {
		if h, ok := made[id]; ok {
			return h, nil
		}
		revision, change, err := st.headOf(id)
		return head{revision, change}, err
	}
	for i := range p.batch.Changes {
		c := &p.batch.Changes[i]
		now, err := look(c.Node.ID)
		if err != nil {
			return nil, err
		}
		key := store.HashOf(c.Key)
		// The last change of the node is this one: it was applied before.
		if c.Key != "" && now.revision > 0 && now.change == key {
			continue
		}
		if _, ok := c.Basis[c.Node.ID]; !ok {
			return nil, fmt.Errorf("%w: its basis does not name %s", store.ErrConflict, c.Node.ID)
		}
		for id, basis := range c.Basis {
			h, err := look(id)
			if err != nil {
				return nil, err
			}
			if int64(basis) != int64(h.revision) {
				return nil, fmt.Errorf("%w: %s was at revision %d and is at %d", store.ErrConflict, id, basis, h.revision)
			}
		}
		made[c.Node.ID] = head{uint32(c.Node.Revision), key} //nolint:gosec // basis+1, and the basis is one of ours
		out = append(out, p.changes[i])
	}
	return out, nil
}

// outbox returns ErrConflict if the batch finishes an evaluation that is not in the outbox.
func (p *prepared) outbox(st *state) error {
	byKey := st.byKey
	take := func(key string) error {
		h := store.HashOf(key)
		t := byKey.cursor(string(h[:])).next()
		if t == nil || t.key[:len(h)] != string(h[:]) {
			return fmt.Errorf("%w: evaluation %q is not in the outbox", store.ErrConflict, key)
		}
		byKey = byKey.del(t.key)
		return nil
	}
	for _, key := range p.batch.Done {
		if err := take(key); err != nil {
			return err
		}
	}
	for i := range p.batch.Dead {
		if err := take(p.batch.Dead[i].Evaluation.Key()); err != nil {
			return err
		}
	}
	return nil
}

// appendList appends the member name with an array as its value, after a comma.
func appendList(b []byte, name string, list [][]byte) []byte {
	if len(list) == 0 {
		return b
	}
	size := len(name) + 6
	for _, v := range list {
		size += len(v) + 1
	}
	b = append(append(append(slices.Grow(b, size), `,"`...), name...), `":[`...)
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}
