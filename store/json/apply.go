package jsonstore

import (
	"fmt"
	"strconv"
	"unique"

	"github.com/memtree/memtree/store"
)

// applier applies the content of journal lines. A state applies every line in order; a repair applies the readable
// lines.
type applier interface {
	applyVersion(v uint64)
	applyChanges(journal *handle, list []changed)
	applyDone(key store.Hash) error
	applyDead(key store.Hash, letter []byte, at piece) error
	applyEntry(entry []byte, at piece) error
	applyAccept(a acceptance)
}

// changed is a node after a change, and the place of the change.
type changed struct {
	node *nodeEntry
	at   place
}

// acceptance is an evaluation put into the outbox, and its place.
type acceptance struct {
	key   store.Hash
	known store.Known
	again bool // an evaluation without a label was known before
	at    piece
}

// applyLine passes the content of a journal line to an applier, in order, and stops at the first invalid part. b is the
// JSON of the line and in its place in a journal; the applier keeps places and no part of b. Writing, recovery and
// repair all use this function, so they cannot disagree.
func applyLine(b []byte, in piece, to applier) error {
	var problem error
	err := members(b, func(key string, v []byte, at int) bool {
		each := func(f func([]byte, piece) error) {
			problem = elements(v, func(e []byte, i int) error { return f(e, in.part(at+i, e)) })
		}
		switch key {
		case "version":
			var version uint64
			if version, problem = number(v); problem == nil {
				to.applyVersion(version)
			}
		case "purge":
			if p, ok := to.(interface{ applyPurge(b []byte) error }); ok {
				problem = p.applyPurge(v)
			}
		case "changes":
			var list []changed
			each(func(change []byte, in piece) error {
				n, err := parseChange(change, in)
				if err == nil {
					list = append(list, changed{n, in.place})
				}
				return err
			})
			to.applyChanges(in.journal, list)
		case "done":
			each(func(k []byte, _ piece) error {
				key, err := unquote(k)
				if err == nil {
					err = to.applyDone(store.HashOf(key))
				}
				return err
			})
		case "dead":
			each(func(letter []byte, in piece) error {
				key, err := keyOf(letter)
				if err == nil {
					err = to.applyDead(store.HashOf(key), letter, in)
				}
				return err
			})
		case "entries":
			each(to.applyEntry)
		case "accept":
			each(func(accepted []byte, in piece) error {
				a, err := parseAccept(accepted, in)
				if err == nil {
					to.applyAccept(a)
				}
				return err
			})
		}
		return problem == nil
	})
	if problem != nil {
		return problem
	}
	return err
}

// apply returns the state after a journal line and leaves st as it is; see applyLine.
func (st *state) apply(b []byte, in piece) (*state, error) {
	next := *st
	if err := applyLine(b, in, &next); err != nil {
		return nil, fmt.Errorf("apply a batch: %w", err)
	}
	return &next, nil
}

func (st *state) applyVersion(v uint64) { st.Version = v }

// applyChanges records changed nodes in the top layer, and the commit for followers.
func (st *state) applyChanges(journal *handle, list []changed) {
	if len(list) == 0 {
		return
	}
	c := commit{version: st.Version, journal: journal}
	for _, l := range list {
		if l.node.meta.revision == 1 {
			st.Nodes++
		}
		st.top.nodes = st.top.nodes.put(l.node.id, l.node)
		c.changes = append(c.changes, l.at)
	}
	st.Changed = st.Version
	st.commits = append(st.commits, c)
}

// applyDone removes an evaluation from the outbox. It must be there.
func (st *state) applyDone(key store.Hash) error {
	at, ok := st.leaveOutbox(key)
	if !ok {
		return fmt.Errorf("%w: what is done is not in the outbox", errJSON)
	}
	st.finished = append(st.finished, at)
	return nil
}

// applyDead records a dead letter and removes its evaluation from the outbox.
func (st *state) applyDead(key store.Hash, _ []byte, at piece) error {
	st.Dead++
	st.dead = append(st.dead, record{seq: uint64(st.Dead), at: at}) //nolint:gosec // a count
	return st.applyDone(key)
}

// applyEntry records a ledger entry; entries are numbered without gaps.
func (st *state) applyEntry(_ []byte, at piece) error {
	st.Entries++
	st.entries = append(st.entries, record{seq: st.Entries, at: at})
	return nil
}

// applyAccept records an evaluation as known and adds it to the outbox.
func (st *state) applyAccept(a acceptance) {
	if !a.again {
		st.Evaluations++
	}
	st.Arrivals++
	st.top.known = st.top.known.put(string(a.key[:]), a.known)
	st.enterOutbox(order(st.Arrivals), a.key, a.at)
}

// parseChange reads the part of a change that the store needs.
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
	n.at, n.change = stands, store.HashOf(key)
	return n, nil
}

// parseNode reads the part of a node that the store needs. It leaves the place and the
// last change empty.
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
			n.meta.status = codeOf(statuses(), s)
		case "direction":
			s, problem = unquote(v)
			n.meta.direction = codeOf(directions(), s)
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

// parseAccept reads the part of an accepted evaluation that the store needs.
func parseAccept(accepted []byte, in piece) (acceptance, error) {
	var a acceptance
	var key string
	var problem error
	err := members(accepted, func(name string, v []byte, at int) bool {
		switch name {
		case "key":
			key, problem = unquote(v)
		case "digest":
			problem = hexDigest(&a.known.Digest, v)
		case "before":
			a.again = true
			problem = hexDigest(&a.known.Before, v)
		case "labelled":
			a.known.Labelled = string(v) == "true"
		case "evaluation":
			a.at = in.part(at, v)
		}
		return problem == nil
	})
	if err == nil {
		err = problem
	}
	a.key = store.HashOf(key)
	return a, err
}

// keyOf reads the key of the evaluation from a dead letter.
func keyOf(letter []byte) (key string, err error) {
	var problem error
	err = members(letter, func(k string, v []byte, _ int) bool {
		if k == "key" {
			key, problem = unquote(v)
		}
		return problem == nil
	})
	if err == nil {
		err = problem
	}
	return key, err
}

// hexDigest reads a digest written in hex.
func hexDigest(d *[8]byte, v []byte) error {
	s, err := unquote(v)
	if err != nil {
		return err
	}
	if !fixedHex(d[:], []byte(s)) {
		return errJSON
	}
	return nil
}

// number reads an unsigned JSON number.
func number(v []byte) (uint64, error) {
	n, err := strconv.ParseUint(string(v), 10, 64)
	if err != nil {
		return 0, errJSON
	}
	return n, nil
}
