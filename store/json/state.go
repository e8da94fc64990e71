package jsonstore

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"unique"

	"github.com/memtree/memtree/tree"
)

// state is all that a store holds at one moment. It never changes: a batch
// makes the next state, which shares what is equal, and publishing it is one
// pointer. It holds no JSON: what is in the base is found through the base's
// indexes, what the journals added since is known here by its place in them.
type state struct {
	base    *generation
	frozen  layer        // what a snapshot under way is writing; empty otherwise
	top     layer        // what came after that
	outbox  sorted[item] // by order of arrival, see order
	byKey   sorted[none] // hash of the key, then order
	entries []record     // of the ledger, after those in the base
	dead    []record     // likewise
	commits []commit     // since the base, those with changes
	counts

	journaled int64    // bytes of the journals since the base
	finished  []string // what left the outbox in the last group, by order
}

type none struct{}

// counts are the totals of a state; a manifest keeps them.
type counts struct {
	Version     uint64 `json:"version"`     // of the last commit
	Changed     uint64 `json:"changed"`     // of the last commit that had changes
	Arrivals    uint64 `json:"arrivals"`    // evaluations ever put into the outbox
	Entries     uint64 `json:"entries"`     // of the ledger; also the last one's seq
	Nodes       int    `json:"nodes"`       //
	Evaluations int    `json:"evaluations"` // keys known
	Dead        int    `json:"dead"`        //
}

// layer is what the journal added to the base.
type layer struct {
	nodes sorted[*nodeEntry]
	known sorted[knownEntry] // by hash of the key
}

// nodeEntry is what can be asked of a node without reading it, and where it
// stands.
type nodeEntry struct {
	at     piece // in a journal; nowhere for a node of the base
	id     string
	branch unique.Handle[string] // its error type, of which there are few
	meta   meta
	change fingerprint // of the key of its last change
}

// meta is what a filter and a basis ask of a node.
type meta struct {
	revision                 uint32
	level, status, direction uint8
}

// fingerprint is the first 16 bytes of a SHA-256.
type fingerprint [16]byte

func hashOf(s string) fingerprint {
	h := sha256.Sum256([]byte(s))
	return fingerprint(h[:16])
}

// knownEntry remembers an evaluation for ever: the digests of what it said, and
// of what it said before it was labelled.
type knownEntry struct {
	digest, before digest
	labelled       bool
}

// digest is the first 8 bytes of the SHA-256 of an evaluation's Digest.
type digest [8]byte

func digestOf(e *tree.Evaluation) digest {
	h := sha256.Sum256([]byte(e.Digest()))
	return digest(h[:8])
}

// item is one evaluation in the outbox.
type item struct {
	key fingerprint
	at  piece // without a journal: in the base's outbox file
}

// record is one line of the ledger or of the dead letters.
type record struct {
	seq uint64
	at  piece
}

// commit is a version with the places of its changes.
type commit struct {
	version uint64
	journal *handle
	changes []place
}

// order spells n so that text sorts as numbers do.
func order(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

func fromOrder(s string) uint64 { return binary.BigEndian.Uint64([]byte(s)) }

// fresh returns st as the start of a group.
func (st *state) fresh() *state {
	next := *st
	next.finished = nil
	return &next
}

// raw returns the JSON of an item of the outbox.
func (st *state) raw(it item) ([]byte, error) {
	if it.at.journal != nil {
		return it.at.read()
	}
	if st.base.Outbox == nil {
		return nil, fmt.Errorf("read the outbox: %w", errJSON)
	}
	return st.base.read(st.base.Outbox, it.at.place)
}

// pending returns the order of the oldest evaluation of the outbox with the key.
func (st *state) pending(key fingerprint) (string, bool) {
	prefix := string(key[:])
	t := st.byKey.cursor(prefix).next()
	if t == nil || t.key[:len(prefix)] != prefix {
		return "", false
	}
	return t.key[len(prefix):], true
}

// wait puts an evaluation into the outbox.
func (st *state) wait(at string, key fingerprint, in piece) {
	st.outbox = st.outbox.put(at, item{key: key, at: in})
	st.byKey = st.byKey.put(string(key[:])+at, none{})
}

// leave takes the oldest evaluation with a key out of the outbox and returns its
// order; false when none waits.
func (st *state) leave(key fingerprint) (at string, ok bool) {
	if at, ok = st.pending(key); ok {
		st.outbox = st.outbox.del(at)
		st.byKey = st.byKey.del(string(key[:]) + at)
	}
	return at, ok
}

func (st *state) overlay(id string) (*nodeEntry, bool) {
	if n, ok := st.top.nodes.get(id); ok {
		return n, true
	}
	return st.frozen.nodes.get(id)
}

// head returns the revision and last change of a node; zero when it is absent.
func (st *state) head(id string) (uint32, fingerprint, error) {
	if n, ok := st.overlay(id); ok {
		return n.meta.revision, n.change, nil
	}
	_, l, ok, err := st.base.find(id)
	if !ok || err != nil {
		return 0, fingerprint{}, err
	}
	return l.meta().revision, l.tag, nil
}

func (st *state) knows(key fingerprint) (knownEntry, bool, error) {
	for _, l := range []layer{st.top, st.frozen} {
		if k, ok := l.known.get(string(key[:])); ok {
			return k, true, nil
		}
	}
	return st.base.knows(key)
}
