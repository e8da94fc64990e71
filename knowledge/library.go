package knowledge

import (
	"context"
	"iter"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// Options configures a Library: from where it reads, and to where it writes.
type Options struct {
	View    func(ctx context.Context, read func(*Base)) error     // calls read with the facts, up to date with the ledger
	Write   func(ctx context.Context, es []ledger.Entry) error    // adds entries to the ledger
	Nodes   func(ctx context.Context) iter.Seq2[tree.Node, error] // all memories of the tree, for their notes
	Secrets func(string) (string, int)                            // removes secrets; see Clean
	Hidden  func(product string) bool                             // reports whether no model may see texts of the product
	Model   llm.Generator                                         // reads notes; nil: none
	Name    string                                                // name of the model, if it does not report its own
	Now     func() time.Time
}

// Library reads and extends the facts about the products under test. People decide on facts through package curation.
// It is safe for concurrent use.
type Library struct{ s Options }

// NewLibrary returns the Library that s configures.
func NewLibrary(s Options) *Library { return &Library{s} }

// All returns all facts in their present state, out of use or not, sorted by id.
func (l *Library) All(ctx context.Context) (all []Fact, err error) {
	err = l.s.View(ctx, func(b *Base) { all = b.All(l.s.Now()) })
	return all, err
}
