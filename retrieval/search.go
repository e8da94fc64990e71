package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"time"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// search is the work on one query. It sees one state of the index from begin to end. It is for one goroutine.
type search struct {
	*scratch
	st         *indexState
	scope      scopeFilter
	types      map[uint32]float64 // evidence of the scene channel by mark
	telling    [4]float64         // evidence of the exact channel by the flags of place
	words      []queryWord
	score      []float32 // estimate of the raw score of each slot, divided by per
	high       []float32 // the highest raw score that each slot may have, divided by per
	per        float32
	average    float32         // tokens of a slot, on average
	unit       float32         // turns BM25 into the lexical score
	self       float64         // the lexical score that the prompt would have as a memory
	dense      bool            // the prompt has a vector
	checks     []string        // ids of the checks that the prompt calls for, the surest first
	fitting    map[int]float64 // evidence of the task channel by slot, numbered across all parts; 0 for others
	example    map[int]bool    // by slot: lessons that were taught for this very test
	place      tree.Scene      // the place of the query, with the route as a pattern
	scale      logisticScale   // from the raw score to the evidence of meaning
	exhaustive bool            // compute every slot; for tests
	computed   int             // how many slots were computed
}

// embedTime is the longest time that embedding the prompt may take. It may also take no more than half of the time
// left before the deadline of ctx.
const embedTime = time.Second

// answer answers a query from a state; with explain it lists every candidate.
func (ix *Index) answer(ctx context.Context, st *indexState, q *Query, explain bool) (Result, error) {
	defer runtime.KeepAlive(st)
	s, note, err := ix.begin(ctx, st, q)
	if err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	defer ix.release(s)
	r := &ranking{search: s, limits: q.Limits.withDefaults(), now: q.Now, explain: explain}
	res, err := r.answer()
	if err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	res.Note = note
	return res, nil
}

// begin reads the query: its tokens, its vector, its place. It also returns a note on failures. The caller must
// release the search when it is done. The lists of the tokens are added up while the vector is computed, since neither
// needs the other.
func (ix *Index) begin(ctx context.Context, st *indexState, q *Query) (*search, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	s := &search{st: st, scope: newScope(q.Scope), place: tree.Scene{ID: q.Scene.ID, Route: tree.Route(q.Scene.Route)},
		fitting: map[int]float64{}, example: map[int]bool{}, scratch: ix.borrow(st.slots)}
	prompt := q.Prompt
	if q.Step != "" {
		prompt += "\n" + q.Step
	}
	listed := make(chan error, 1)
	go func() { listed <- s.readLists(ix.tax, q, prompt) }()
	note := cmp.Or(ix.askVector(ctx, s, prompt), st.note)
	asked, lean := ix.checks().Task(prompt)
	for _, c := range asked {
		s.checks = append(s.checks, c.Check)
	}
	err := <-listed
	if err == nil {
		err = s.readScores(q, prompt, lean)
	}
	if err != nil {
		ix.release(s)
		return nil, "", err
	}
	return s, note, nil
}

// readLists flags the slots that must not be used and those of the place and its type, and adds up BM25.
func (s *search) readLists(tax *taxonomy.Taxonomy, q *Query, prompt string) error {
	for i := range s.st.parts {
		p := &s.st.parts[i]
		for w, dead := range p.dead {
			for ; dead != 0; dead &= dead - 1 {
				s.flag[p.base+64*w+bits.TrailingZeros64(dead)] |= skip
			}
		}
	}
	out := func(p *part, slot int) { s.flag[p.base+slot] |= skip }
	for _, id := range q.Exclude {
		if err := s.eachSlot(key(idKind, id), out); err != nil {
			return err
		}
	}
	for _, id := range q.ExcludeTests {
		if err := s.eachSlot(key(testKind, id), out); err != nil {
			return err
		}
	}
	s.types = sceneTypes(tax, q.Scene.Type)
	if err := s.markPlace(&q.Scene); err != nil {
		return err
	}
	if err := s.markTypes(); err != nil {
		return err
	}
	if err := s.weighWords(prompt); err != nil {
		return err
	}
	return s.addWords(!q.Alike)
}

// readScores estimates the raw scores, and flags the slots that fit the task.
func (s *search) readScores(q *Query, prompt string, lean cue.Leaning) error {
	var fits *fitFilter
	if !q.Alike {
		fits = s.newFit(prompt)
	}
	if err := s.sweep(lean, fits); err != nil {
		return err
	}
	if fits != nil {
		if err := s.markFitting(fits); err != nil {
			return err
		}
	}
	if err := s.markOwn(q, prompt); err != nil {
		return err
	}
	s.widen()
	return nil
}

// askVector requests the vector of the prompt from the embedder. If that fails, the lexical score alone decides, and
// the note reports the cause.
func (ix *Index) askVector(ctx context.Context, s *search, prompt string) (note string) {
	s.scale = wordScale
	if ix.model == nil || s.st.vectors == 0 {
		if _, later := ix.model.(knower); later && s.st.live > 0 && s.st.note == "" {
			return fmt.Sprintf("found by words alone: the embedder %s gave no vectors yet", ix.model.ID())
		}
		return ""
	}
	wait := embedTime
	if end, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(end)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	vs, err := ix.model.Embed(ctx, []string{prompt})
	if err == nil && len(vs) != 1 {
		err = fmt.Errorf("%d vectors came for one text", len(vs))
	}
	if err != nil {
		return fmt.Sprintf("found by words alone: the embedder %s failed: %v", ix.model.ID(), err)
	}
	r := ix.rotation(len(vs[0]))
	if r == nil {
		return fmt.Sprintf("found by words alone: the embedder %s gave a vector of another length than before", ix.model.ID())
	}
	// A prompt without any known token has the zero vector. That is no failure: the lexical score decides.
	if s.dense = r.prepare(vs[0], &s.ask); s.dense {
		s.scale = fusedScale
	}
	return ""
}

// borrow returns scratch for a number of slots. flag is zero, the rest is undefined.
func (ix *Index) borrow(slots int) *scratch {
	x, _ := ix.scratch.Get().(*scratch)
	if x == nil {
		x = &scratch{}
	}
	x.lex, x.shared, x.flag = resize(x.lex, slots), resize(x.shared, slots), resize(x.flag, slots)
	if ix.model != nil {
		x.rated, x.most = resize(x.rated, slots), resize(x.most, slots)
	}
	clear(x.flag)
	return x
}

// release returns the scratch of a search to the pool. The search must not be used afterwards.
func (ix *Index) release(s *search) { ix.scratch.Put(s.scratch) }

// candidateOf computes the candidate for the node with the id. ok is false if no such live node exists or it may not
// be used here.
func (s *search) candidateOf(id string) (candidate, nodeTraits, bool, error) {
	at, ok, err := s.st.find(id)
	if err != nil || !ok {
		return candidate{}, nodeTraits{}, false, err
	}
	c, ok, err := s.compute(at)
	if err != nil || !ok {
		return candidate{}, nodeTraits{}, false, err
	}
	m, err := at.meta()
	return c, m, err == nil && m.id == id && s.scope.applies(&m.scope), err
}

// threshold returns the least rel with which a node of a level may be taken. The higher the level, the lower the
// threshold, because an abstraction shares fewer words with any one prompt.
func threshold(t tree.Type) float64 {
	switch t {
	case tree.Strategy:
		return 0.40
	case tree.Experience:
		return 0.50
	}
	return 0.62
}
