package knowledge

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Imported counts what an Import did. Each statement is counted once.
type Imported struct {
	// facts that were added as proposals: no run receives one before a person or a note confirms it
	New     []Fact  `json:"new"`
	Known   int     `json:"known"`   // statements that the tree had already, in any state
	Refused []error `json:"-"`       // for each statement why it was refused, in order; nil for one that was not
	Bad     int     `json:"refused"` // number of statements that were refused
}

// importBatch is how many statements are written at once.
const importBatch = 500

// Import adds the statements of another tree, team or tool as proposals in the name of by. It leaves out each statement
// that [Clean] refuses; Imported.Refused has the reasons. If the new statements do not fit into MostFacts, it adds none
// and returns a *tree.FieldError. With dryRun it writes nothing.
func (l *Library) Import(ctx context.Context, list []ledger.Statement, by string, dryRun bool) (Imported, error) {
	out := Imported{New: []Fact{}, Refused: make([]error, len(list))}
	var es []ledger.Entry
	room := 0
	there := map[string]bool{}
	look := func(b *Base) {
		room = MostFacts - b.Len()
		for i := range list {
			says, _, err := Clean(list[i], l.s.Secrets)
			if err != nil {
				out.Refused[i], out.Bad = err, out.Bad+1
				continue
			}
			id := says.ID()
			if _, known := b.Get(id, l.s.Now()); known || there[id] {
				out.Known++
				continue
			}
			there[id] = true
			k := ledger.FactEntry{Op: ledger.FactStated, Fact: id, Source: ledger.FromTransfer, By: by, Says: &says}
			es = append(es, ledger.Entry{At: l.s.Now(), Known: &k})
		}
	}
	if err := l.s.View(ctx, look); err != nil {
		return out, err
	}
	if len(es) > room {
		return out, &tree.FieldError{Field: "statement", Problem: fmt.Sprintf("is one of %d new ones, and a tree has room "+
			"for %d more; forget some first", len(es), room)}
	}
	for from := 0; from < len(es); from += importBatch {
		part := es[from:min(from+importBatch, len(es))]
		if !dryRun {
			if err := l.s.Write(ctx, part); err != nil {
				return out, fmt.Errorf("import facts: %w", err)
			}
		}
		for i := range part {
			k := part[i].Known
			out.New = append(out.New, Fact{ID: k.Fact, Statement: *k.Says, State: Proposed, By: by, From: ledger.FromTransfer})
		}
	}
	return out, nil
}
