package evolution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Proposal is a draft that passed every gate and waits for a person.
type Proposal struct {
	Key      string     `json:"key"`                // key of the job that wrote it
	Node     tree.Node  `json:"node"`               // as it would be
	Tests    int        `json:"tests"`              // number of tests of its cases
	Replaces *tree.Node `json:"replaces,omitempty"` // the lesson it would replace; nil for a new one
}

// Review shows a person the lessons that wait and those that were refused, and applies the person's decision.
type Review struct {
	jobs    func(ctx context.Context, write bool) (*Jobs, error)
	evolve  func(ctx context.Context, write bool) (Evolved, error)
	people  reviewers
	nodes   Scanner
	waiting *Waiting
}

// NewReview returns a Review of the lessons of a tree. jobs opens the Jobs of the tree. evolve makes the tree learn for
// review without calling a model, and writes only if write is true. people applies decisions, and nodes reads the tree.
// waiting caches the proposals; Reviews of the same tree may share it.
func NewReview(
	jobs func(ctx context.Context, write bool) (*Jobs, error),
	evolve func(ctx context.Context, write bool) (Evolved, error),
	people reviewers, nodes Scanner, waiting *Waiting,
) *Review {
	return &Review{jobs, evolve, people, nodes, waiting}
}

// reviewers applies decisions in the name of a person, until they are taken back.
type reviewers interface {
	// Reject refuses a proposal.
	Reject(ctx context.Context, p *Proposal, d *ReviewDecision) error
	// Accept adds to the history that proposals were accepted, once they are in the tree.
	Accept(ctx context.Context, ps []Proposal, d *ReviewDecision) error
}

// Waiting caches the lessons that wait for a person, because finding them takes as long as learning: seconds in a tree
// of many thousand cases. The zero value is an empty cache. It is safe for concurrent use: while one caller finds the
// lessons, the others wait for the result.
type Waiting struct {
	forgot atomic.Uint64 // number of calls of Forget

	mu    sync.Mutex // held while they are being found
	known bool
	at    uint64 // of forgot, when list was found
	list  []Proposal
}

// Forget empties the cache. Call it after lessons changed, drafts were stored, or a person decided something; new
// cases alone make no draft. It does not wait for a caller that is finding lessons.
func (w *Waiting) Forget() { w.forgot.Add(1) }

func (w *Waiting) get(find func() ([]Proposal, error)) ([]Proposal, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at := w.forgot.Load(); !w.known || w.at != at {
		list, err := find()
		if err != nil {
			return nil, err
		}
		w.known, w.at, w.list = true, at, list
	}
	return slices.Clone(w.list), nil
}

// Proposals returns the lessons that wait for a person. It calls no model. The result is cached, so a lesson may lack
// the newest cases; Decide includes them.
func (r *Review) Proposals(ctx context.Context) ([]Proposal, error) {
	return r.waiting.get(func() ([]Proposal, error) { return r.find(ctx) })
}

// find finds the present proposals.
func (r *Review) find(ctx context.Context) ([]Proposal, error) {
	v, err := r.evolve(ctx, false)
	if err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	jobs, err := r.jobs(ctx, false)
	if err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	return slices.DeleteFunc(v.Proposals(), func(p Proposal) bool {
		_, kept := jobs.Get(p.Key)
		return !kept // drafts that only the rules would write now are no proposals
	}), nil
}

// Rejected returns the stored drafts that a gate refused, then the drafts that a person refused.
func (r *Review) Rejected(ctx context.Context) ([]Rejection, error) {
	jobs, err := r.jobs(ctx, false)
	if err != nil {
		return nil, fmt.Errorf("read rejected drafts: %w", err)
	}
	out := jobs.Rejected()
	for n, err := range r.nodes.Scan(ctx, store.Filter{Status: tree.Archived}) {
		if err != nil {
			return nil, fmt.Errorf("read rejected drafts: %w", err)
		}
		if n.Type != tree.Case && n.Rejected() {
			out = append(out, Rejection{
				Key: n.Provenance.Job, Type: n.Type, Partition: partitionOf(&n), Members: n.Provenance.Cites,
				By: cmp.Or(n.Decision.By, tree.ByPerson), Reasons: []string{n.Decision.Why}, Title: n.Content.Title,
			})
		}
	}
	return out, nil
}

// ReviewDecision is a person's decision on some of the proposals.
type ReviewDecision struct {
	Accept []string // keys of proposals
	Reject []string // keys of proposals
	By     string   // name of the person; "" if unknown
	Why    string   // why Reject are rejected, one sentence; required with Reject
}

// Decide applies decision d and returns what changed. It adds accepted proposals to the tree. A rejected one is not
// written again, and no agent receives its content. If a key is none of a proposal, or Why is missing, Decide returns
// a *tree.FieldError and decides nothing.
func (r *Review) Decide(ctx context.Context, d ReviewDecision) (Evolved, error) {
	if d.Why == "" && len(d.Reject) > 0 {
		return Evolved{}, &tree.FieldError{Field: "why", Problem: "is missing; say why a proposal is rejected"}
	}
	jobs, err := r.jobs(ctx, true)
	if err != nil {
		return Evolved{}, fmt.Errorf("decide: %w", err)
	}
	all, err := r.find(ctx)
	if err != nil {
		return Evolved{}, err
	}
	place := map[string]int{}
	for i := range all {
		place[all[i].Key] = i
	}
	for _, of := range []struct {
		field string
		keys  []string
	}{{"accept", d.Accept}, {"reject", d.Reject}} {
		for _, key := range of.keys {
			if _, waits := place[key]; !waits {
				return Evolved{}, &tree.FieldError{Field: of.field, Problem: fmt.Sprintf("is %q, which is no proposal", key)}
			}
		}
	}
	for _, key := range d.Accept {
		if err := jobs.word(ctx, key, acceptedWord); err != nil {
			return Evolved{}, fmt.Errorf("decide on %s: %w", key, err)
		}
	}
	for _, key := range d.Reject {
		if err := r.people.Reject(ctx, &all[place[key]], &d); err != nil {
			return Evolved{}, fmt.Errorf("decide on %s: %w", key, err)
		}
	}
	if err := jobs.Save(ctx); err != nil {
		return Evolved{}, fmt.Errorf("decide: %w", err)
	}
	r.waiting.Forget()
	v, err := r.evolve(ctx, true)
	if err != nil || len(d.Accept) == 0 {
		return v, err
	}
	accepted := make([]Proposal, len(d.Accept))
	for i, key := range d.Accept {
		accepted[i] = all[place[key]]
	}
	if err := r.people.Accept(ctx, accepted, &d); err != nil {
		return v, fmt.Errorf("decide: the lessons are in use, and the history lacks it: %w", err)
	}
	return v, nil
}

// Withdraw makes the accepted draft of the job with this key wait for a person again. It returns ErrNoDraft if the job
// has no draft.
func (r *Review) Withdraw(ctx context.Context, key string) error {
	jobs, err := r.jobs(ctx, true)
	if err != nil {
		return fmt.Errorf("withdraw: %w", err)
	}
	if err = jobs.word(ctx, key, ""); err == nil {
		err = jobs.Save(ctx)
	}
	if err != nil {
		return fmt.Errorf("withdraw %s: %w", key, err)
	}
	r.waiting.Forget()
	return nil
}

const acceptedWord = "accepted"

// ErrNoDraft means that the draft on which a person decided is no longer stored.
var ErrNoDraft = errors.New("no draft is kept under this key; learning for review makes it again")

// word stores that a person accepted the draft of a job, or with "" that they took that back.
func (j *Jobs) word(ctx context.Context, key, word string) error {
	value, _ := j.Get(key)
	value, err := worded(value, word)
	if err == nil {
		err = j.Put(ctx, key, value)
	}
	return err
}

// worded returns the value to store under a job's key after a person accepted its draft, or took that back. value is
// the present one. It fails when that has no draft.
func worded(value []byte, word string) ([]byte, error) {
	var r jobRecord
	if json.Unmarshal(value, &r) != nil || r.Draft == nil {
		return nil, ErrNoDraft
	}
	r.Word = word
	return json.Marshal(r)
}
