package knowledge

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// MostProposed is how many proposals may wait for a person.
const MostProposed = 200

// Propose adds a fact that an agent proposes. No run is given it before a person confirms it, or a reader finds it in a
// note. It returns the fact, and whether the proposal added anything: a statement that is there is not proposed again.
// The errors are those of [Clean], and a *tree.FieldError once MostProposed proposals wait.
func (l *Library) Propose(ctx context.Context, s ledger.Statement, by string) (f Fact, added bool, err error) {
	says, _, err := Clean(s, l.s.Secrets)
	if err != nil {
		return Fact{}, false, err
	}
	waiting := 0
	err = l.s.View(ctx, func(b *Base) {
		if f, added = b.Get(says.ID(), l.s.Now()); added {
			return
		}
		for _, x := range b.All(l.s.Now()) {
			if x.State == Proposed {
				waiting++
			}
		}
	})
	if err != nil || added {
		return f, false, err
	}
	if waiting >= MostProposed {
		return Fact{}, false, &tree.FieldError{Field: "statement",
			Problem: fmt.Sprintf("is one more than the %d proposals that may wait; a person has to decide on some first",
				MostProposed)}
	}
	k := ledger.FactEntry{Op: ledger.FactStated, Fact: says.ID(), Source: ledger.FromAgent, By: by, Says: &says}
	if err := l.s.Write(ctx, []ledger.Entry{{At: l.s.Now(), Known: &k}}); err != nil {
		return Fact{}, false, fmt.Errorf("propose a fact: %w", err)
	}
	f, err = l.Get(ctx, says.ID())
	return f, true, err
}
