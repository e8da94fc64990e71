package knowledge

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Filter selects facts for List. The zero value selects all that are not out of use.
type Filter struct {
	Product string
	Kind    ledger.FactKind
	State   FactState
	Words   string // text that the fact's sentence has to mention
	Out     bool   // select facts out of use too
	// Open selects facts that a person should decide on: those that are disputed or proposed, those that no person has
	// decided on, and those whose trust fell below Floor.
	Open bool
}

// lets reports whether a fact is selected.
func (x *Filter) lets(f *Fact) bool {
	switch {
	case x.Product != "" && f.Scope.Product != x.Product, x.Kind != "" && f.Kind != x.Kind:
		return false
	case x.State != "" && f.State != x.State, x.State == "" && !x.Out && f.OutOfUse(), x.Open && !f.Open():
		return false
	}
	return x.Words == "" || text.Mentions(f.Text, x.Words) || strings.Contains(f.Text, x.Words)
}

// OutOfUse reports whether the fact is superseded or archived, so that no run receives it any more.
func (f *Fact) OutOfUse() bool { return f.State == Superseded || f.State == Archived }

// Open reports whether a person should decide on the fact: it is disputed or proposed, or active without a person's
// decision or with a trust below Floor.
func (f *Fact) Open() bool {
	return f.State == Disputed || f.State == Proposed || f.State == Active && (len(f.People) == 0 || f.Trust < Floor)
}

// FactStates returns all states, in the order of a list.
func FactStates() []FactState {
	return []FactState{Disputed, Proposed, Active, Superseded, Archived}
}

// List returns the facts that x selects, sorted by state (disputed, proposed, active, superseded, archived), then by
// product. Of one product those that were given most often are first.
func (l *Library) List(ctx context.Context, x Filter) ([]Fact, error) {
	all, err := l.All(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(f Fact) bool { return !x.lets(&f) })
	states := FactStates()
	slices.SortFunc(all, func(a, b Fact) int {
		return cmp.Or(slices.Index(states, a.State)-slices.Index(states, b.State),
			cmp.Compare(a.Scope.Product, b.Scope.Product),
			cmp.Compare(b.Given, a.Given), cmp.Compare(a.Trust, b.Trust), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Get returns the fact with the id in its present state. The error is tree.ErrNotFound if there is none.
func (l *Library) Get(ctx context.Context, id string) (f Fact, err error) {
	known := false
	if err := l.s.View(ctx, func(b *Base) { f, known = b.Get(id, l.s.Now()) }); err != nil {
		return Fact{}, err
	}
	if !known {
		return Fact{}, tree.ErrNotFound
	}
	return f, nil
}
