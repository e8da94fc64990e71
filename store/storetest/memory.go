package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// MapStore is a store.Store in memory: maps behind one lock. It is the model with which other stores are compared, and
// a store for tests of other packages. It has no purge. Its content is lost with the process; Reopen simulates a
// restart.
type MapStore struct {
	mu     sync.Mutex
	closed bool
	leased map[uint64]bool // arrivals in the outbox that are leased
	content
}

// content is the part of a MapStore that survives a restart. Copies share the byte slices, which never change.
type content struct {
	version  uint64
	nodes    map[string]storedNode
	known    map[string]seenKey
	outbox   []queuedEvaluation
	arrivals uint64
	ledger   [][]byte // JSON of entries
	dead     [][]byte // JSON of dead letters
	commits  []versionChanges
}

// storedNode is a node as JSON, with its revision and the key of its last change.
type storedNode struct {
	json     []byte
	revision int
	change   string
}

// seenKey is the record of an accepted key. before is the digest of the evaluation that was accepted without a label,
// if one with a label came later.
type seenKey struct {
	digest, before string
	labelled       bool
}

// queuedEvaluation is an evaluation in the outbox; n counts arrivals.
type queuedEvaluation struct {
	n    uint64
	key  string
	json []byte
}

// versionChanges holds the changes of one version, as JSON.
type versionChanges struct {
	version uint64
	changes [][]byte
}

// NewMemory returns an empty MapStore.
func NewMemory() *MapStore {
	return &MapStore{leased: map[uint64]bool{}, content: content{nodes: map[string]storedNode{},
		known: map[string]seenKey{}}}
}

var _ store.Store = (*MapStore)(nil)

// Reopen closes m and returns a store with the same content and no leases.
func (m *MapStore) Reopen() *MapStore {
	next := m.restarted()
	_ = m.Close() // cannot fail
	return next
}

// fork returns a copy of m with its leases; the two do not affect each other.
func (m *MapStore) fork() *MapStore {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &MapStore{closed: m.closed, leased: maps.Clone(m.leased), content: m.copy()}
}

// restarted returns m after a restart. It does not affect m.
func (m *MapStore) restarted() *MapStore {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &MapStore{leased: map[uint64]bool{}, content: m.copy()}
}

func (c *content) copy() content {
	next := *c
	next.nodes, next.known = maps.Clone(c.nodes), maps.Clone(c.known)
	next.outbox, next.ledger = slices.Clone(c.outbox), slices.Clone(c.ledger)
	next.dead, next.commits = slices.Clone(c.dead), slices.Clone(c.commits)
	return next
}

// lock locks m and returns an error if it cannot be used. The caller unlocks in either case.
func (m *MapStore) lock(ctx context.Context) error {
	m.mu.Lock()
	if m.closed {
		return store.ErrClosed
	}
	return ctx.Err()
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

func decode[V any](b []byte) (v V, err error) {
	err = json.Unmarshal(b, &v)
	return v, err
}

// Get returns the node with an id. See store.Store.
func (m *MapStore) Get(ctx context.Context, id string) (tree.Node, error) {
	err := m.lock(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return tree.Node{}, err
	}
	n, ok := m.nodes[id]
	if !ok {
		return tree.Node{}, fmt.Errorf("get %s: %w", id, tree.ErrNotFound)
	}
	return decode[tree.Node](n.json)
}

// Scan yields the nodes that f selects, sorted by id. See store.Store.
func (m *MapStore) Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		err := m.lock(ctx)
		nodes := maps.Clone(m.nodes)
		m.mu.Unlock()
		if err != nil {
			yield(tree.Node{}, err)
			return
		}
		for _, id := range sortedKeys(nodes) {
			n, err := decode[tree.Node](nodes[id].json)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(tree.Node{}, err)
				return
			}
			if f.Match(&n) && !yield(n, nil) {
				return
			}
		}
	}
}

// Commit writes the batch b, all of it or nothing. It ignores b.Purge. See store.Store.
func (m *MapStore) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	err := m.lock(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return 0, err
	}
	next := m.copy()
	done, err := next.commit(&b)
	if err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	m.content = next
	for _, n := range done {
		delete(m.leased, n)
	}
	return m.version, nil
}

// commit performs a batch on c and returns the arrivals that are done. After an error the caller discards c.
func (c *content) commit(b *store.Batch) (done []uint64, err error) {
	next := versionChanges{version: c.version + 1}
	for i := range b.Changes {
		raw, err := c.change(&b.Changes[i])
		if err != nil {
			return nil, err
		}
		if raw != nil {
			next.changes = append(next.changes, raw)
		}
	}
	keys := slices.Clone(b.Done)
	for i := range b.Dead {
		keys = append(keys, b.Dead[i].Evaluation.Key())
		raw, err := encode(b.Dead[i])
		if err != nil {
			return nil, err
		}
		c.dead = append(c.dead, raw)
	}
	for _, key := range keys {
		i := slices.IndexFunc(c.outbox, func(a queuedEvaluation) bool { return a.key == key })
		if i < 0 {
			return nil, fmt.Errorf("%w: evaluation %s is not in the outbox", store.ErrConflict, key)
		}
		done = append(done, c.outbox[i].n)
		c.outbox = slices.Delete(c.outbox, i, i+1)
	}
	for _, e := range b.Entries {
		e.Seq = uint64(len(c.ledger) + 1)
		raw, err := encode(e)
		if err != nil {
			return nil, err
		}
		c.ledger = append(c.ledger, raw)
	}
	if len(next.changes)+len(keys)+len(b.Entries) > 0 {
		c.version++
	}
	if len(next.changes) > 0 {
		c.commits = append(c.commits, next)
	}
	return done, nil
}

// change performs one change and returns its JSON, nil if it had been applied before.
func (c *content) change(ch *tree.Change) ([]byte, error) {
	now, ok := c.nodes[ch.Node.ID]
	if ok && ch.Key != "" && now.change == ch.Key {
		return nil, nil
	}
	if _, ok := ch.Basis[ch.Node.ID]; !ok {
		return nil, fmt.Errorf("%w: %s is not in its basis", store.ErrConflict, ch.Node.ID)
	}
	for id, revision := range ch.Basis {
		if c.nodes[id].revision != revision {
			return nil, fmt.Errorf("%w: %s", store.ErrConflict, id)
		}
	}
	node, err := encode(ch.Node)
	if err != nil {
		return nil, err
	}
	c.nodes[ch.Node.ID] = storedNode{json: node, revision: ch.Node.Revision, change: ch.Key}
	return encode(ch)
}

// Accept adds evaluations to the outbox. See store.Store.
func (m *MapStore) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	err := m.lock(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	next := m.copy()
	receipts := make([]store.Receipt, 0, len(es))
	for i := range es {
		r, err := next.accept(&es[i])
		if err != nil {
			return nil, fmt.Errorf("accept: %w", err)
		}
		receipts = append(receipts, r)
	}
	m.content = next
	return receipts, nil
}

// accept adds one evaluation, unless it repeats or contradicts an earlier one.
func (c *content) accept(e *tree.Evaluation) (store.Receipt, error) {
	r := store.Receipt{Key: e.Key(), Status: store.Accepted}
	digest := e.Digest()
	was, ok := c.known[r.Key]
	switch {
	case ok && (digest == was.digest || digest == was.before):
		r.Status = store.Duplicate
		return r, nil
	case ok && (was.labelled || !e.Labelled()):
		r.Status = store.Contradiction
		return r, nil
	}
	if err := e.Check(); err != nil {
		return r, err
	}
	raw, err := encode(e)
	if err != nil {
		return r, err
	}
	c.known[r.Key] = seenKey{digest: digest, before: was.digest, labelled: e.Labelled()}
	c.arrivals++
	c.outbox = append(c.outbox, queuedEvaluation{n: c.arrivals, key: r.Key, json: raw})
	return r, nil
}

// Lease returns up to n evaluations of the outbox and leases them to the caller. If an evaluation arrived without a
// label and again with one, the second waits until the first is done. See store.Store.
func (m *MapStore) Lease(ctx context.Context, n int) ([]tree.Evaluation, error) {
	err := m.lock(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	var out []tree.Evaluation
	seen := map[string]bool{}
	for _, a := range m.outbox {
		if len(out) >= n {
			break
		}
		first := !seen[a.key]
		seen[a.key] = true
		if !first || m.leased[a.n] {
			continue
		}
		e, err := decode[tree.Evaluation](a.json)
		if err != nil {
			return nil, err
		}
		m.leased[a.n] = true
		out = append(out, e)
	}
	return out, nil
}

// Release ends leases. See store.Store.
func (m *MapStore) Release(ctx context.Context, keys []string) error {
	err := m.lock(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	for _, a := range m.outbox {
		if slices.Contains(keys, a.key) {
			delete(m.leased, a.n)
		}
	}
	return nil
}

// Ledger yields the entries of the ledger after a sequence number, 0 for all. See store.Store.
func (m *MapStore) Ledger(ctx context.Context, after uint64) iter.Seq2[ledger.Entry, error] {
	return decodeAll[ledger.Entry](ctx, m, func() [][]byte { return m.ledger[min(after, uint64(len(m.ledger))):] })
}

// DeadLetters yields the evaluations that could not be formed into memories. See store.Store.
func (m *MapStore) DeadLetters(ctx context.Context) iter.Seq2[store.DeadLetter, error] {
	return decodeAll[store.DeadLetter](ctx, m, func() [][]byte { return m.dead })
}

// decodeAll decodes and yields the lines that get returns under the lock. Lists only grow, so
// they can be read without it.
func decodeAll[V any](ctx context.Context, m *MapStore, get func() [][]byte) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		err := m.lock(ctx)
		list := get()
		m.mu.Unlock()
		var none V
		if err != nil {
			yield(none, err)
			return
		}
		for _, raw := range list {
			v, err := decode[V](raw)
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// Changes yields the commits that changed nodes, after a version. A MapStore never drops any. See store.Store.
func (m *MapStore) Changes(ctx context.Context, after uint64) iter.Seq2[store.Commit, error] {
	return func(yield func(store.Commit, error) bool) {
		err := m.lock(ctx)
		commits := m.commits
		m.mu.Unlock()
		if err != nil {
			yield(store.Commit{}, err)
			return
		}
		for _, c := range commits {
			if c.version <= after {
				continue
			}
			out := store.Commit{Version: c.version}
			for _, raw := range c.changes {
				ch, err := decode[tree.Change](raw)
				if err != nil {
					yield(store.Commit{}, err)
					return
				}
				out.Changes = append(out.Changes, ch)
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// Info returns version and counts of the store. See store.Store.
func (m *MapStore) Info(ctx context.Context) (store.Info, error) {
	err := m.lock(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return store.Info{}, err
	}
	return store.Info{
		Version: m.version, Format: "memory", Nodes: len(m.nodes), Evaluations: len(m.known),
		Outbox: len(m.outbox), Dead: len(m.dead), Entries: uint64(len(m.ledger)),
	}, nil
}

// Knows reports which keys were accepted. See store.Knower.
func (m *MapStore) Knows(ctx context.Context, keys []string) ([]bool, error) {
	err := m.lock(ctx)
	defer m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(keys))
	for i, key := range keys {
		_, out[i] = m.known[key]
	}
	return out, nil
}

// Close closes the store; all other methods then fail. See store.Store.
func (m *MapStore) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
