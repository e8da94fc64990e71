// Package inbox lists the runs that wait for a person's label, and estimates how often each judge is wrong.
package inbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/learned"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// scoredMost is the number of selected runs that get a risk, the newest ones.
const scoredMost = 1000

// Inbox is a list of runs that wait for a person's label.
type Inbox struct {
	// Waiting has the highest risks first. Runs with equal risk are sorted by whether their test was misjudged before,
	// then newest first. Skipped runs come last.
	Waiting  []Unlabelled `json:"waiting"`
	Total    int          `json:"total"`    // number of all waiting runs that the query selects
	Scored   int          `json:"scored"`   // runs of Total with a risk of their own (Risk.Enough)
	Expected float64      `json:"expected"` // expected number of wrong judgments in Scored: the sum of their risks
}

// Unlabelled is a judged run without a label.
type Unlabelled struct {
	Evaluation tree.Evaluation `json:"evaluation"`
	Risk       risk.Risk       `json:"risk"`              // risk that the judgment is wrong; zero: not computed
	Skipped    bool            `json:"skipped,omitempty"` // a person could not label the run, so it is listed last
}

// Options connects a Chooser with a memory. All fields but ReadOnly and Skipped are required.
type Options struct {
	Box      *learned.InboxBox                                                              // the waiting runs
	Tree     store.Reader                                                                   // the nodes and the ledger
	Score    func(ctx context.Context, runs []Unlabelled) error                             // sets the Risk of each run
	Judge    func(ctx context.Context, names []string) (map[string]risk.JudgeLabels, error) // labels of judges, by name
	Looks    *look.Looks                                                                    // second looks at verdicts
	ReadOnly bool                                                                           // Skip fails
	Skipped  func()                                                                         // called after Skip, or nil
}

// Chooser lists the runs that wait for a label, and which labels a person should give first. It is safe for concurrent
// use.
type Chooser struct{ o Options }

// New returns a Chooser for the memory that o describes.
func New(o Options) *Chooser { return &Chooser{o} }

// List returns the waiting runs in the order of Inbox.Waiting: all if most is 0, else the first most runs. Only the
// newest 1,000 runs have a risk.
func (r *Chooser) List(ctx context.Context, most int) (Inbox, error) {
	return r.Find(ctx, find.Query{}, 0, most)
}

// Find returns the waiting runs that q selects, in the order of Inbox.Waiting. from is the index of the first run to
// return, 0 or more; most is the largest number of runs to return, 0 for no limit. Only the newest 1,000 of the
// selected runs have a risk, so a query with q.Above selects only among these. An invalid q is a *tree.FieldError.
func (r *Chooser) Find(ctx context.Context, q find.Query, from, most int) (Inbox, error) {
	chosen, err := r.Waiting(ctx, q)
	if err != nil {
		return Inbox{}, fmt.Errorf("inbox: %w", err)
	}
	out := Inbox{Waiting: []Unlabelled{}, Total: len(chosen)}
	for i := range chosen {
		if u := &chosen[i]; u.Risk.Enough {
			out.Scored++
			out.Expected += u.Risk.P
		}
	}
	slices.SortStableFunc(chosen, func(a, b Unlabelled) int {
		return cmp.Or(compareBool(a.Skipped, b.Skipped), compareBool(b.Risk.Enough, a.Risk.Enough),
			cmp.Compare(b.Risk.P, a.Risk.P), compareBool(b.Risk.Before.Wrong > 0, a.Risk.Before.Wrong > 0))
	})
	chosen = chosen[min(from, len(chosen)):]
	if most > 0 && len(chosen) > most {
		chosen = chosen[:most]
	}
	out.Waiting = append(out.Waiting, chosen...)
	return out, nil
}

// Waiting returns all waiting runs that q selects, newest first. Only the newest 1,000 of them have a risk, so a query
// with q.Above selects only among these. An invalid q is a *tree.FieldError.
func (r *Chooser) Waiting(ctx context.Context, q find.Query) ([]Unlabelled, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	misjudged, err := r.misjudged(ctx, q.ErrorType)
	if err != nil {
		return nil, err
	}
	runs := r.o.Box.Waiting(func(e *tree.Evaluation) bool {
		return q.HasRun(e) && (q.ErrorType == "" || misjudged[e.CaseID] || misjudged[e.Prompt])
	})
	out := make([]Unlabelled, 0, len(runs))
	for i := range runs {
		out = append(out, Unlabelled{Evaluation: *runs[i].Evaluation, Skipped: runs[i].Skipped})
	}
	if err := r.o.Score(ctx, out[:min(scoredMost, len(out))]); err != nil || q.Above == 0 {
		return out, err
	}
	return slices.DeleteFunc(out, func(u Unlabelled) bool { return !u.Risk.Enough || u.Risk.P < q.Above }), nil
}

// Looks returns the second looks of the memory: those that a model took at verdicts so far, and the means to take more.
func (r *Chooser) Looks() *look.Looks { return r.o.Looks }

// Choices returns the products, suites and runs to which waiting runs belong.
func (r *Chooser) Choices() find.Choices {
	var c find.FieldCounter
	for _, w := range r.o.Box.Waiting(nil) {
		c.Add(w.Scope.Product, w.Scope.Suite, w.RunID)
	}
	return c.Choices()
}

// misjudged returns the tests of the cases of an error type, by id and by prompt.
func (r *Chooser) misjudged(ctx context.Context, errorType string) (map[string]bool, error) {
	if errorType == "" {
		return nil, nil
	}
	out := map[string]bool{}
	for n, err := range r.o.Tree.Scan(ctx, store.Filter{Level: tree.Case.Level(), ErrorType: errorType}) {
		if err != nil {
			return nil, err
		}
		if n.CaseData != nil {
			out[n.CaseData.TestCase.CaseID], out[n.CaseData.TestCase.Prompt] = true, true
		}
	}
	delete(out, "")
	return out, nil
}

// Skip marks the waiting run with this key as skipped, because a person could not label it: Inbox.Waiting then lists it
// last. If skipped is false, Skip removes the mark. It returns tree.ErrNotFound if no run with this key waits, and
// store.ErrReadOnly if Options.ReadOnly is set.
func (r *Chooser) Skip(key string, skipped bool) error {
	if r.o.ReadOnly {
		return store.ErrReadOnly
	}
	if !r.o.Box.Skip(key, skipped) {
		return fmt.Errorf("skip %s: %w", key, tree.ErrNotFound)
	}
	if r.o.Skipped != nil {
		r.o.Skipped()
	}
	return nil
}

// compareBool sorts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
