package jsonstore

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
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

// apply returns the state after a journal line with the given JSON, which stands
// at a piece of a journal. The state keeps places in it and no part of b.
// Writing and recovery both come through here.
func (st *state) apply(b []byte, in piece) (*state, error) {
	next := *st
	var problem error
	err := members(b, func(key string, v []byte, at int) bool {
		each := func(f func([]byte, piece) error) error {
			return elements(v, func(e []byte, i int) error { return f(e, in.part(at+i, e)) })
		}
		switch key {
		case "version":
			next.Version, problem = number(v)
		case "changes":
			problem = next.applyChanges(in.journal, each)
		case "done":
			problem = each(func(k []byte, _ piece) error {
				key, err := unquote(k)
				if err != nil {
					return err
				}
				return next.finish(hashOf(key))
			})
		case "dead":
			problem = each(next.applyDead)
		case "entries":
			problem = each(next.applyEntry)
		case "accept":
			problem = each(next.applyAccept)
		}
		return problem == nil
	})
	if problem == nil {
		problem = err
	}
	if problem != nil {
		return nil, fmt.Errorf("apply a batch: %w", problem)
	}
	return &next, nil
}

func (st *state) applyChanges(journal *handle, each func(func([]byte, piece) error) error) error {
	c := commit{version: st.Version, journal: journal}
	err := each(func(change []byte, in piece) error {
		n, err := parseChange(change, in)
		if err != nil {
			return err
		}
		if n.meta.revision == 1 {
			st.Nodes++
		}
		st.top.nodes = st.top.nodes.put(n.id, n)
		c.changes = append(c.changes, in.place)
		return nil
	})
	if len(c.changes) > 0 {
		st.Changed = st.Version
		st.commits = append(st.commits, c)
	}
	return err
}

// parseChange reads of a change's JSON what the store needs.
func parseChange(change []byte, in piece) (*nodeEntry, error) {
	var node []byte
	var stands piece
	var key string
	var problem error
	err := members(change, func(k string, v []byte, at int) bool {
		switch k {
		case "node":
			node, stands = v, in.part(at, v)
		case "key":
			key, problem = unquote(v)
		}
		return problem == nil
	})
	if err == nil {
		err = problem
	}
	if err != nil {
		return nil, err
	}
	n, err := parseNode(node)
	if err != nil {
		return nil, err
	}
	n.at, n.change = stands, hashOf(key)
	return n, nil
}

// parseNode reads of a node's JSON what the store needs, its place and last
// change aside.
func parseNode(raw []byte) (*nodeEntry, error) {
	n, branch := &nodeEntry{}, ""
	var problem error
	err := members(raw, func(k string, v []byte, _ int) bool {
		var u uint64
		var s string
		switch k {
		case "id":
			n.id, problem = unquote(v)
		case "errorType":
			branch, problem = unquote(v)
		case "revision":
			u, problem = number(v)
			n.meta.revision = uint32(min(u, 1<<32-1)) //nolint:gosec // bounded
		case "level":
			u, problem = number(v)
			n.meta.level = uint8(min(u, 255)) //nolint:gosec // bounded
		case "status":
			s, problem = unquote(v)
			n.meta.status = code(statuses(), s)
		case "direction":
			s, problem = unquote(v)
			n.meta.direction = code(directions(), s)
		}
		return problem == nil
	})
	if err == nil {
		err = problem
	}
	if err == nil && (!safeID(n.id) || !slug(branch)) {
		err = fmt.Errorf("node %q of error type %q cannot be kept: %w", n.id, branch, errJSON)
	}
	n.branch = unique.Make(branch)
	return n, err
}

func (st *state) finish(key fingerprint) error {
	at, ok := st.pending(key)
	if !ok {
		return fmt.Errorf("%w: what is done is not in the outbox", errJSON)
	}
	st.finished = append(st.finished, at)
	st.outbox = st.outbox.del(at)
	st.byKey = st.byKey.del(string(key[:]) + at)
	return nil
}

func (st *state) applyDead(letter []byte, at piece) error {
	var key string
	var problem error
	err := members(letter, func(k string, v []byte, _ int) bool {
		if k == "key" {
			key, problem = unquote(v)
		}
		return problem == nil
	})
	if err == nil {
		err = problem
	}
	if err != nil {
		return err
	}
	st.Dead++
	st.dead = append(st.dead, record{seq: uint64(st.Dead), at: at}) //nolint:gosec // a count
	return st.finish(hashOf(key))
}

func (st *state) applyEntry(_ []byte, at piece) error {
	st.Entries++
	st.entries = append(st.entries, record{seq: st.Entries, at: at})
	return nil
}

func (st *state) applyAccept(accepted []byte, in piece) error {
	var key string
	var k knownEntry
	var stands piece
	var problem error
	again := false
	err := members(accepted, func(name string, v []byte, at int) bool {
		switch name {
		case "key":
			key, problem = unquote(v)
		case "digest":
			problem = hexDigest(&k.digest, v)
		case "before":
			again = true
			problem = hexDigest(&k.before, v)
		case "labelled":
			k.labelled = string(v) == "true"
		case "evaluation":
			stands = in.part(at, v)
		}
		return problem == nil
	})
	if err == nil {
		err = problem
	}
	if err != nil {
		return err
	}
	h := hashOf(key)
	if !again {
		st.Evaluations++
	}
	st.Arrivals++
	at := order(st.Arrivals)
	st.top.known = st.top.known.put(string(h[:]), k)
	st.outbox = st.outbox.put(at, item{key: h, at: stands})
	st.byKey = st.byKey.put(string(h[:])+at, none{})
	return nil
}

func hexDigest(d *digest, v []byte) error {
	s, err := unquote(v)
	if err != nil {
		return err
	}
	if !fixedHex(d[:], []byte(s)) {
		return errJSON
	}
	return nil
}

func (d digest) String() string { return hex.EncodeToString(d[:]) }

func number(v []byte) (uint64, error) {
	n, err := strconv.ParseUint(string(v), 10, 64)
	if err != nil {
		return 0, errJSON
	}
	return n, nil
}
