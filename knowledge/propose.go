package knowledge

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// MostProposed is the most proposals that may wait: beyond it Propose refuses new statements. Import does not check it.
const MostProposed = 200

// Propose adds a statement of an agent as a proposal in the name of by. No run receives it before a person or a note
// confirms it. Propose returns the fact, and whether it is new; a statement that the tree has already adds nothing. It
// refuses statements as [Clean] does, and all new ones once MostProposed proposals wait.
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
