package retrieval

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// A suite that runs in three browsers, on four machines, or again because a test is flaky asks
// the same questions more than once while the tree stays as it is. So an index keeps the answers
// of its present state. The law is that no answer depends on what was asked before.

// mostKept is how many answers are kept, of some three kilobytes each. They are kept by 2Q, so
// that questions which come once do not push out those which come again.
const mostKept = 1024

// ageUnit is what Query.Now is rounded down to, so that a question is the same one a moment later. A
// memory loses less than a ten-thousandth of its score in this time.
const ageUnit = time.Hour

// answers are the answers of one state of an index. They are safe for concurrent use.
type answers struct {
	st   *indexState
	kept *lru.TwoQueueCache[[sha256.Size]byte, Result] // the results in it are never changed
}

// answersOf returns the answers of st, the present state of ix.
func (ix *Index) answersOf(st *indexState) *answers {
	if a := ix.answers.Load(); a != nil && a.st == st {
		return a
	}
	a := &answers{st: st}
	a.kept, _ = lru.New2Q[[sha256.Size]byte, Result](mostKept) // fails only for sizes below 1
	ix.answers.Store(a)                                        // others that do the same lose a few answers
	return a
}

// digest returns a digest of all that the answer to q depends on. ok is false for a query that has
// none.
func (q *Query) digest() (d [sha256.Size]byte, ok bool) {
	b, err := json.Marshal(q)
	return sha256.Sum256(b), err == nil
}

// search answers q as answer does, from what is kept if it can. An answer with a Note is not kept,
// because what did not work may work the next time.
func (a *answers) search(q *Query, answer func() (Result, error)) (Result, error) {
	d, ok := q.digest()
	if ok {
		if r, kept := a.kept.Get(d); kept {
			return r.clone(), nil
		}
	}
	r, err := answer()
	if ok && err == nil && r.Note == "" {
		a.kept.Add(d, r.clone())
	}
	return r, err
}

// clone returns a copy that shares no memory with r. Considered must be empty.
func (r *Result) clone() Result {
	c := *r
	c.Asked, c.Here = slices.Clone(r.Asked), slices.Clone(r.Here)
	c.Hits = make([]Hit, len(r.Hits))
	for i := range r.Hits {
		c.Hits[i] = r.Hits[i].clone()
	}
	if r.Nearest != nil {
		h := r.Nearest.clone()
		c.Nearest = &h
	}
	return c
}

func (h *Hit) clone() Hit {
	c := *h
	c.Signals, c.Why.Args = slices.Clone(h.Signals), slices.Clone(h.Why.Args)
	return c
}
