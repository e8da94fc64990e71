package retrieval

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"
	"weak"

	lru "github.com/hashicorp/golang-lru/v2"
)

// A suite that runs in three browsers, on four machines, or again because a test is flaky sends the same queries more
// than once while the tree does not change. So an index caches the answers of its present state. No answer depends on
// earlier queries.

// mostKept is the number of cached answers, of some three kilobytes each. The cache is 2Q, so that queries that occur
// once do not evict those that repeat.
const mostKept = 1024

// ageUnit is the unit to which Query.Now is rounded down, so that the same query a moment later has the same digest. A
// memory loses less than a ten-thousandth of its score in this time.
const ageUnit = time.Hour

// answers caches the answers of one state of an index. It is safe for concurrent use.
type answers struct {
	st   weak.Pointer[indexState]                      // so that it does not hold the segments of one before
	kept *lru.TwoQueueCache[[sha256.Size]byte, Result] // the results in it are never changed
}

// answersOf returns the answers of st, the present state of ix.
func (ix *Index) answersOf(st *indexState) *answers {
	if a := ix.answers.Load(); a != nil && a.st == weak.Make(st) {
		return a
	}
	a := &answers{st: weak.Make(st)}
	a.kept, _ = lru.New2Q[[sha256.Size]byte, Result](mostKept) // fails only for sizes below 1
	ix.answers.Store(a)                                        // concurrent calls lose a few answers
	return a
}

// digest returns a digest of every field that the answer to q depends on. ok is false for a query that cannot be
// encoded.
func (q *Query) digest() (d [sha256.Size]byte, ok bool) {
	b, err := json.Marshal(q)
	return sha256.Sum256(b), err == nil
}

// search answers q from the cache, else with answer. An answer with a Note is not cached, because the failure may not
// occur the next time.
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
