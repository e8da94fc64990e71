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
	Waiting  []Unlabelled `json:"waiting"`  // riskiest first, then tests misjudged before, newest first; skipped last
	Total    int          `json:"total"`    // number of all waiting runs that the query selects
	Scored   int          `json:"scored"`   // of Total, those with a risk
	Expected float64      `json:"expected"` // expected number of wrong ones among Scored: the sum of their risks
}

// Unlabelled is a judged run without a label.
type Unlabelled struct {
	Evaluation tree.Evaluation `json:"evaluation"`
	Risk       risk.Risk       `json:"risk"`              // probability that its judgment is wrong
	Skipped    bool            `json:"skipped,omitempty"` // a person could not label it, so it comes last
}

// Options connects a Chooser with a memory. All fields but ReadOnly are required.
type Options struct {
	Box      *learned.InboxBox                                                              // the waiting runs
	Tree     store.Reader                                                                   // reads nodes and the ledger
	Score    func(ctx context.Context, runs []Unlabelled) error                             // sets the risk of each run
	Judge    func(ctx context.Context, names []string) (map[string]risk.JudgeLabels, error) // labels of judges, by name
	Looks    *look.Looks                                                                    // second looks at verdicts
	ReadOnly bool                                                                           // Skip fails
}

// Chooser selects which waiting runs a person should label. The runs are stored beside the store, within bounds, so
// that [curation.Curation.Relabel] needs only the id of a run. A Chooser is safe for concurrent use.
type Chooser struct{ o Options }

// New returns the Chooser of the memory that o connects.
func New(o Options) *Chooser { return &Chooser{o} }

// List returns the waiting runs in the order of Inbox.Waiting, at most most of them; 0: all. Only the newest 1,000
// runs have a risk.
func (r *Chooser) List(ctx context.Context, most int) (Inbox, error) {
	return r.Find(ctx, find.Query{}, 0, most)
}

// Find returns the waiting runs that q selects in the order of Inbox.Waiting, beginning with index from, at most most
// of them; 0: all. Only the newest 1,000 of the selected runs have a risk, so a query by risk selects among these.
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

// Waiting returns the waiting runs that q selects, newest first. Only the newest 1,000 of the matches have a risk.
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

// Looks returns the second looks at verdicts, with which a model can make more.
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

// Skip moves the waiting run with this key behind all others, because a person could not label it; with skipped false,
// back among them. It returns tree.ErrNotFound if no such run waits.
func (r *Chooser) Skip(key string, skipped bool) error {
	if r.o.ReadOnly {
		return store.ErrReadOnly
	}
	if !r.o.Box.Skip(key, skipped) {
		return fmt.Errorf("skip %s: %w", key, tree.ErrNotFound)
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
