package retrieval

import (
	"context"
	"fmt"
	"time"

	"github.com/memtree/memtree/tree"
)

// search is one question on its way to an answer, on one state of the index.
type search struct {
	*scratch
	st         *indexState
	scope      scopeFilter
	types      map[uint32]float64 // evidence of the scene channel by mark
	telling    [4]float64         // evidence of the exact channel by flags
	words      []queryWord
	average    float32 // tokens of a slot
	unit       float32 // turns BM25 into the lexical score
	self       float64 // lexical score the prompt would have itself
	ask        question
	dense      bool
	checks     []string   // that the prompt calls for, the surest first
	place      tree.Scene // where it is asked, the route as a pattern
	scale      scale
	exhaustive bool // compute every slot; for tests
	computed   int  // slots whose vector was read
}

// embedTime is how long the prompt's vector may take, at most and as a share of
// what ctx leaves.
const embedTime = time.Second

func (ix *Index) answer(ctx context.Context, q *Query, explain bool) (Result, error) {
	s, note, err := ix.begin(ctx, q)
	if err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	defer ix.end(s)
	r := &ranking{search: s, limits: q.Limits.filled(), now: q.Now, explain: explain}
	res, err := r.answer()
	if err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	res.Note = note
	return res, nil
}

// begin reads the question: its words, its vector, its place.
func (ix *Index) begin(ctx context.Context, q *Query) (*search, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	st := ix.state.Load()
	s := &search{st: st, scope: newScope(q.Scope), place: tree.Scene{ID: q.Scene.ID, Route: tree.Route(q.Scene.Route)}, scratch: ix.borrow(st.slots)}
	prompt := q.Prompt
	if q.Step != "" {
		prompt += "\n" + q.Step
	}
	note := st.note
	if err := s.fill(ix, q, prompt); err != nil {
		ix.end(s)
		return nil, "", err
	}
	if why := ix.askVector(ctx, s, prompt); why != "" {
		note = why
	}
	return s, note, nil
}

// sureAsked is the probability that a prompt calls for a check from which a single case of
// another page is enough of a reason: what one case says, a lesson says better.
const sureAsked = 0.7

// fill does what needs no embedder.
func (s *search) fill(ix *Index, q *Query, prompt string) error {
	for i := range s.st.parts {
		p := &s.st.parts[i]
		for slot := range p.n {
			if p.dead == nil {
				break
			}
			if p.isDead(slot) {
				s.flag[p.base+slot] |= skip
			}
		}
	}
	out := func(p *part, slot int) { s.flag[p.base+slot] |= skip }
	for _, id := range q.Exclude {
		if err := s.each(key(idKind, id), out); err != nil {
			return err
		}
	}
	for _, id := range q.ExcludeTests {
		if err := s.each(key(testKind, id), out); err != nil {
			return err
		}
	}
	s.types = sceneTypes(ix.tax, q.Scene.Type)
	for _, c := range ix.checks().Asked(prompt) {
		s.checks = append(s.checks, c.Check)
		flag := asked
		if c.Sure >= sureAsked {
			flag |= surely
		}
		if err := s.each(key(checkKind, c.Check), func(p *part, slot int) { s.flag[p.base+slot] |= flag }); err != nil {
			return err
		}
	}
	if err := s.scene(&q.Scene); err != nil {
		return err
	}
	return s.score(prompt)
}

// askVector gets the prompt's vector. Without one, words alone decide, and the
// note says why.
func (ix *Index) askVector(ctx context.Context, s *search, prompt string) (note string) {
	s.scale = wordScale
	if ix.model == nil || s.st.vectors == 0 {
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
	if s.dense = r.ask(vs[0], &s.ask); s.dense { // a prompt without any known word has no vector: no evidence, no fault
		s.scale = fusedScale
	}
	return ""
}

// borrow returns scratch for so many slots, lex and flag zero.
func (ix *Index) borrow(slots int) *scratch {
	x, _ := ix.scratch.Get().(*scratch)
	if x == nil {
		x = &scratch{}
	}
	x.lex, x.est, x.high, x.flag = resize(x.lex, slots), resize(x.est, slots), resize(x.high, slots), resize(x.flag, slots)
	clear(x.lex)
	clear(x.flag)
	return x
}

func (ix *Index) end(s *search) { ix.scratch.Put(s.scratch) }

// get returns the candidate for a node by id, as long as it may be used here.
func (s *search) get(id string) (candidate, nodeTraits, bool, error) {
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

// threshold returns the rel from which a node of a level is a candidate.
func threshold(t tree.Type) float64 {
	switch t {
	case tree.Strategy:
		return 0.40
	case tree.Experience:
		return 0.50
	}
	return 0.62
}
