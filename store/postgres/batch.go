package postgres

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// batch is a store.Batch as it is sent: encoded, and independent of the caller's.
type batch struct {
	op      string
	changes []change
	out     []store.Hash // keys that leave the outbox
	dead    [][]byte
	entries [][]byte // without their numbers
	purge   *store.Purge
	read    uint64          // see store.Batch.Read
	judged  map[string]bool // see store.Batch.Judged
}

// change is a tree.Change with its JSON and that of its node.
type change struct {
	id, key, status      string
	errorType, direction string
	level, revision      int
	basis                map[string]int
	raw, node            []byte
}

// encode returns v as JSON; equal values give equal bytes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// newBatch encodes a batch.
func newBatch(b *store.Batch) (*batch, error) {
	out := &batch{op: b.Op, purge: b.Purge, read: b.Read, judged: b.Judged()}
	for i := range b.Changes {
		c, err := newChange(&b.Changes[i])
		if err != nil {
			return nil, err
		}
		out.changes = append(out.changes, c)
	}
	for _, key := range b.Done {
		out.out = append(out.out, store.HashOf(key))
	}
	for i := range b.Dead {
		raw, err := encode(b.Dead[i])
		if err != nil {
			return nil, err
		}
		out.out, out.dead = append(out.out, store.HashOf(b.Dead[i].Evaluation.Key())), append(out.dead, raw)
	}
	for _, e := range b.Entries {
		e.Seq = 0
		raw, err := encode(e)
		if err != nil {
			return nil, err
		}
		out.entries = append(out.entries, raw)
	}
	return out, nil
}

func newChange(c *tree.Change) (change, error) {
	n := &c.Node
	if !storable(n.ID) {
		return change{}, &tree.FieldError{Field: "id", Problem: fmt.Sprintf("is %q, which is no id of a node", n.ID)}
	}
	out := change{
		id: n.ID, key: c.Key, status: string(n.Status), errorType: n.ErrorType, direction: string(n.Direction),
		level: n.Level, revision: n.Revision, basis: maps.Clone(c.Basis),
	}
	for _, text := range []*string{&out.key, &out.status, &out.errorType, &out.direction} {
		*text = strings.ReplaceAll(strings.ToValidUTF8(*text, "�"), "\x00", "�")
	}
	var err error
	if out.raw, err = encode(c); err != nil {
		return change{}, err
	}
	out.node, err = encode(n)
	return out, err
}

// storable reports whether a text can be a value of type text.
func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// ids returns the ids of all nodes that the batch depends on.
func (b *batch) ids() []string {
	ids := map[string]bool{}
	for i := range b.changes {
		ids[b.changes[i].id] = true
		for id := range b.changes[i].basis {
			if storable(id) {
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// keys returns the keys that leave the outbox, as a parameter.
func (b *batch) keys() [][]byte {
	out := make([][]byte, len(b.out))
	for i := range b.out {
		out[i] = b.out[i][:]
	}
	return out
}

// numbered returns an entry of the ledger with its number, which is the first member of its JSON.
func numbered(entry []byte, seq int64) []byte {
	b := append(strconv.AppendInt([]byte(`{"seq":`), seq, 10), ',')
	return append(b, entry[1:]...)
}

// link returns the hash of a commit, which covers the commit before it and everything that this one writes.
func link(prev []byte, rev int64, op string, parts ...[]byte) []byte {
	h := sha256.New()
	write := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	write(prev)
	write(strconv.AppendInt(nil, rev, 10))
	write([]byte(op))
	for _, p := range parts {
		write(p)
	}
	return h.Sum(nil)
}
