package jsonstore

import (
	"encoding/binary"
	"fmt"
	"unique"

	"github.com/memtree/memtree/store"
)

// state is the content of a store at one moment. It is immutable. A batch makes the next state, which shares the equal
// parts; publishing it swaps one pointer. A state holds no JSON: it finds the content of the base through the indexes
// of the base, and the content of the journals by its place in them.
type state struct {
	base    *generation
	frozen  journalLayer // what a snapshot in progress is writing; else empty
	top     journalLayer // what has changed since
	outbox  sorted[item] // by order of arrival, see order
	byKey   sorted[none] // the outbox by hash of the key, followed by order
	entries []record     // of the ledger, since the base
	dead    []record     // dead letters, since the base
	commits []commit     // since the base, those with changes of nodes
	purge   *store.Purge // what the next snapshot has to remove; nil: nothing
	counts

	journaled int64    // bytes of the journals since the base
	finished  []string // evaluations that left the outbox in the last group, by order of arrival
}

type none struct{}

// counts are the totals of a state. They are stored in a manifest.
type counts struct {
	Version     uint64 `json:"version"`     // of the last commit
	Changed     uint64 `json:"changed"`     // of the last commit that had changes
	Arrivals    uint64 `json:"arrivals"`    // evaluations ever put into the outbox
	Entries     uint64 `json:"entries"`     // of the ledger; also the seq of the last one
	Nodes       int    `json:"nodes"`       // archived ones included
	Evaluations int    `json:"evaluations"` // keys that are known
	Dead        int    `json:"dead"`        // letters
}

// journalLayer holds what the journals have added to the base.
type journalLayer struct {
	nodes sorted[*nodeEntry]
	known sorted[store.Known] // by hash of the key
}

// nodeEntry holds the fields of a node that are known without reading it, and its place.
type nodeEntry struct {
	at     piece // in a journal; zero for a node of the base
	id     string
	branch unique.Handle[string] // its error type; unique, because there are few
	meta   meta
	change store.Hash // hash of the key of its last change
}

// meta is the part of a node that filters and bases of changes refer to.
type meta struct {
	revision                 uint32
	level, status, direction uint8
}

// item is one evaluation in the outbox.
type item struct {
	key store.Hash
	at  piece // without a journal: a place in the outbox file of the base
}

// record is one line of the ledger or of the dead letters.
type record struct {
	seq uint64
	at  piece
}

// commit is a version, with the places of its changes.
type commit struct {
	version uint64
	journal *handle
	changes []place
}

// order returns n as a string; strings sort like their numbers.
func order(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

func fromOrder(s string) uint64 { return binary.BigEndian.Uint64([]byte(s)) }

// nextGroup returns a copy of st to start a group with.
func (st *state) nextGroup() *state {
	next := *st
	next.finished = nil
	return &next
}

// raw returns the JSON of an evaluation in the outbox.
func (st *state) raw(it item) ([]byte, error) {
	if it.at.journal != nil {
		return it.at.read()
	}
	if st.base.Outbox == nil {
		return nil, fmt.Errorf("read the outbox: %w", errJSON)
	}
	return st.base.read(st.base.Outbox, it.at.place)
}

// pending returns the order of arrival of the oldest evaluation with the key in the outbox.
func (st *state) pending(key store.Hash) (string, bool) {
	prefix := string(key[:])
	t := st.byKey.cursor(prefix).next()
	if t == nil || t.key[:len(prefix)] != prefix {
		return "", false
	}
	return t.key[len(prefix):], true
}

// enterOutbox adds an evaluation to the outbox.
func (st *state) enterOutbox(at string, key store.Hash, in piece) {
	st.outbox = st.outbox.put(at, item{key: key, at: in})
	st.byKey = st.byKey.put(string(key[:])+at, none{})
}

// leaveOutbox removes the oldest evaluation with a key from the outbox and returns its order of
// arrival, false if there is none.
func (st *state) leaveOutbox(key store.Hash) (at string, ok bool) {
	if at, ok = st.pending(key); ok {
		st.outbox = st.outbox.del(at)
		st.byKey = st.byKey.del(string(key[:]) + at)
	}
	return at, ok
}

// overlay returns a node that has changed since the base, false if it has not.
func (st *state) overlay(id string) (*nodeEntry, bool) {
	if n, ok := st.top.nodes.get(id); ok {
		return n, true
	}
	return st.frozen.nodes.get(id)
}

// headOf returns the revision and the hash of the last change's key of a node, zero if it is
// absent.
func (st *state) headOf(id string) (uint32, store.Hash, error) {
	if n, ok := st.overlay(id); ok {
		return n.meta.revision, n.change, nil
	}
	_, l, ok, err := st.base.find(id)
	if !ok || err != nil {
		return 0, store.Hash{}, err
	}
	return l.meta().revision, l.tag, nil
}

// knows returns the record of an evaluation, false for none.
func (st *state) knows(key store.Hash) (store.Known, bool, error) {
	for _, l := range []journalLayer{st.top, st.frozen} {
		if k, ok := l.known.get(string(key[:])); ok {
			return k, true, nil
		}
	}
	return st.base.knows(key)
}
