package retrieval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Update adds nodes as they are after a commit, in any order. From now on searches find those that can be shown, and
// no longer find the others. If a node occurs twice, the last one wins. A node whose text did not change is not
// tokenised and not embedded again.
//
// If the embedder fails, that is no error: the nodes are found lexically, and Stats and Result.Note report it. After
// an error the index is as before and stays usable, but it has missed an update and should be built again.
func (ix *Index) Update(ctx context.Context, version uint64, nodes []tree.Node) error {
	p, err := ix.Prepare(ctx, nodes)
	if err != nil {
		return err
	}
	return ix.Take(version, p)
}

// Prepared holds the nodes that Prepare has read and embedded, for Take.
type Prepared struct {
	nodes   []tree.Node
	entries []*segmentEntry
	note    string
}

// Prepare does the first half of Update: it reads and embeds, which may take long. It changes
// nothing, so it may run before a commit or beside it.
func (ix *Index) Prepare(ctx context.Context, nodes []tree.Node) (*Prepared, error) {
	entries, note, err := ix.prepare(ctx, nodes)
	if err != nil {
		return nil, fmt.Errorf("update the index: %w", err)
	}
	return &Prepared{nodes, entries, note}, nil
}

// Take does the second half of Update, after the commit: it publishes a new state. It waits only for another Take
// and for the end of a Merge, and for no embedder.
func (ix *Index) Take(version uint64, p *Prepared) error {
	ix.writer.Lock()
	defer ix.writer.Unlock()
	st := ix.state.Load()
	defer runtime.KeepAlive(st)
	next, err := st.replace(p.nodes, p.entries)
	if err == nil {
		err = next.compact(ix.atOnce, ix.merging, ix.room)
	}
	if err != nil {
		return fmt.Errorf("update the index: %w", err)
	}
	next.count()
	next.version, next.changes = version, st.changes+uint64(len(p.nodes))
	if version != st.version && len(p.nodes) == 0 {
		next.changes++
	}
	if p.note != "" {
		next.note = p.note
	} else if next.vectors == next.live || next.note == ix.alien && !next.hasAlien() {
		next.note = ""
	}
	ix.state.Store(next)
	return nil
}

func (st *indexState) hasAlien() bool {
	return slices.ContainsFunc(st.parts, func(p part) bool { return p.alien })
}

// prepare makes an entry of every live node, without a lock. It reuses tokens and vectors of the present state. They
// are valid for any later state, because they depend on the text only. note is the reason why entries have no vector.
func (ix *Index) prepare(ctx context.Context, nodes []tree.Node) ([]*segmentEntry, string, error) {
	st := ix.state.Load()
	defer runtime.KeepAlive(st)
	last := make(map[string]int, len(nodes))
	for i := range nodes {
		last[nodes[i].ID] = i
	}
	var entries, bare []*segmentEntry // bare: those without a vector, whose texts are in texts
	var texts []string
	for i := range nodes {
		n := &nodes[i]
		if last[n.ID] != i || !n.Live() || n.Type.Level() == 0 {
			continue
		}
		e := &segmentEntry{meta: metaOf(n)}
		entries = append(entries, e)
		known, err := st.reuse(e)
		if err != nil {
			return nil, "", err
		}
		if !known {
			e.tokenise(n.Text())
			e.readAround(n, ix.checks())
		}
		if e.vector.row == nil && ix.model != nil {
			bare, texts = append(bare, e), append(texts, n.Text())
		}
	}
	note, err := ix.embed(ctx, bare, texts)
	return entries, note, err
}

// tokenise fills e with the tokens of its text.
func (e *segmentEntry) tokenise(s string) {
	tokens := text.Tokens(s)
	keys := make([]uint64, len(tokens))
	for i, t := range tokens {
		keys[i] = key(wordKind, t)
	}
	e.tokens, e.words = len(keys), countWords(keys)
}

// reuse fills e with the tokens and the vector that st has of the same node with the same text. It returns false if st
// has none.
func (st *indexState) reuse(e *segmentEntry) (bool, error) {
	at, ok, err := st.find(e.meta.id)
	if err != nil || !ok {
		return false, err
	}
	m, err := at.meta()
	if err != nil || m.id != e.meta.id || m.text != e.meta.text {
		return false, err
	}
	words, err := at.part.words(at.slot, nil)
	if err != nil {
		return false, err
	}
	e.words = make([]wordCount, len(words))
	for i, w := range words {
		k, err := at.part.keyAt(w.at)
		if err != nil {
			return false, err
		}
		e.words[i] = wordCount{k, w.times}
		if isWord(w.times) {
			e.tokens += int(w.times)
		}
	}
	e.vector, err = at.part.vectorOf(at.slot)
	e.vector.row, e.vector.sketch = slices.Clone(e.vector.row), slices.Clone(e.vector.sketch) // beyond the life of st
	return true, err
}

// knower is an embedder with a cache of vectors. An update uses only these and does not call Embed: Bare returns the
// nodes that lack theirs.
type knower interface {
	// Known returns the cached vectors of texts, and nil for each text without one.
	Known(texts []string) [][]float32
}

// embedBatch is the number of texts in a call of the embedder.
const embedBatch = 64

// embed sets the vectors of entries. A failure of the embedder ends it and is reported in the note. Only the end of
// ctx is an error.
func (ix *Index) embed(ctx context.Context, entries []*segmentEntry, texts []string) (note string, err error) {
	for len(texts) > 0 {
		n := min(embedBatch, len(texts))
		var vs [][]float32
		var err error
		k, knows := ix.model.(knower)
		if knows {
			n = len(texts)
			vs = k.Known(texts)
		} else {
			vs, err = ix.model.Embed(ctx, texts[:n])
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err == nil && len(vs) != n {
			err = fmt.Errorf("%d vectors came for %d texts", len(vs), n)
		}
		if err != nil {
			return fmt.Sprintf("some memories are found by words alone: the embedder %s failed: %v", ix.model.ID(), err), nil
		}
		for i, v := range vs {
			if v == nil && knows {
				continue
			}
			r := ix.rotation(len(v))
			if r == nil {
				note = fmt.Sprintf("some memories are found by words alone: the embedder %s gave vectors of different lengths",
					ix.model.ID())
				continue
			}
			entries[i].vector, _ = r.quantise(v)
		}
		entries, texts = entries[n:], texts[n:]
	}
	return note, nil
}

// maxDims is the maximum length of a vector.
const maxDims = 1 << 14

// rotation returns the rotation for vectors of dims numbers. It is nil if dims is impossible or the index has vectors
// of another length: the first vector decides the length.
func (ix *Index) rotation(dims int) *rotation {
	if dims < 1 || dims > maxDims {
		return nil
	}
	if ix.turns.Load() == nil {
		ix.turns.CompareAndSwap(nil, newRotation(dims))
	}
	if r := ix.turns.Load(); r.dims == dims {
		return r
	}
	return nil
}

// replace returns the state that follows st, without its totals. In it the slots of nodes are dead, and entries have
// new ones. st does not change: a part gets its own copy of the dead bits before one is set.
func (st *indexState) replace(nodes []tree.Node, entries []*segmentEntry) (*indexState, error) {
	next := &indexState{parts: slices.Clone(st.parts), version: st.version, note: st.note}
	copied := make([]bool, len(st.parts))
	for i := range nodes {
		k := key(idKind, nodes[i].ID)
		for j := range next.parts {
			p := &next.parts[j]
			l, err := p.list(k)
			if err != nil {
				return nil, err
			}
			for slot, err := range p.slots(l) {
				if err != nil {
					return nil, err
				}
				if p.isDead(slot) {
					continue
				}
				if !copied[j] {
					copied[j], p.counted = true, &sync.Map{}
					if p.dead = slices.Clone(p.dead); p.dead == nil {
						p.dead = make([]uint64, (p.n+63)/64)
					}
				}
				if err := p.markDead(slot); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(entries) > 0 {
		dims := 0
		for _, e := range entries {
			dims = max(dims, len(e.vector.row))
		}
		next.parts = append(next.parts, wholePart(build(entries, dims)))
	}
	return next, nil
}

// wholePart returns a segment as a part without dead slots.
func wholePart(s *segment) part {
	return part{segment: s, length: s.layout.length, vectors: s.vectors}
}

// adjustCounts adds a slot to the counts of live slots (sign 1), or removes it (sign −1).
func (p *part) adjustCounts(h slotHead, sign int) {
	p.length += int64(sign) * int64(h.tokens)
	if h.vector {
		p.vectors += sign
	}
}

// markDead marks a live slot dead. p.dead must be the caller's own copy.
func (p *part) markDead(slot int) error {
	h, err := p.head(slot)
	if err != nil {
		return err
	}
	p.dead[slot>>6] |= 1 << (slot & 63)
	p.gone++
	p.adjustCounts(h, -1)
	return nil
}

// count fills the totals of st from its parts, whose totals must be zero before, and numbers their slots.
func (st *indexState) count() {
	for i := range st.parts {
		p := &st.parts[i]
		p.base = st.slots
		st.slots += p.n
		st.live += p.n - p.gone
		st.length += p.length
		if !p.alien {
			st.vectors += p.vectors
		}
	}
}
