package memtree

import (
	"context"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// Transfer exports memories and imports those of others. Advanced.
func (m *Memory) Transfer() *transfer.Exchange { return transfer.NewExchange(door{m.store, m}) }

// door is a transfer's access to a memory.
type door struct {
	transfer.Tree
	m *Memory
}

func (d door) Apply(ctx context.Context, changes []tree.Change) error {
	return d.m.core.Apply(ctx, store.Batch{Changes: changes})
}

func (d door) UntilFresh(plan func() error) error { return d.m.core.UntilFresh(plan) }
func (d door) Redactor() transfer.Redactor        { return redactor{} }
func (d door) Origin() string                     { return d.m.origin.ID }
func (d door) Tally(ctx context.Context, product string) (*ledger.Tally, error) {
	return d.m.tally(ctx, product)
}
func (d door) Facts(ctx context.Context, product string) ([]ledger.Statement, error) {
	all, err := d.m.Knowledge().List(ctx, knowledge.Filter{Product: product, State: knowledge.Active})
	out := make([]ledger.Statement, len(all))
	for i := range all {
		out[i] = all[i].Statement
	}
	return out, err
}
func (d door) Labelled(ctx context.Context) (out map[string]string, err error) {
	l := d.m.learned
	err = l.decisions.View(ctx, func() { out = l.labels.Cases() }, l.labels)
	return out, err
}
func (d door) Believe(ctx context.Context, t *ledger.Tally) error { return d.m.believe(ctx, t) }
func (d door) ReadOnly() bool                                     { return d.m.opts.ReadOnly }

// redactor removes the same secrets from an export as Record removes.
type redactor struct{}

func (redactor) Text(s string) (string, int) { return formation.RedactText(s) }

func (redactor) JSON(r tree.Raw) (tree.Raw, int) {
	e, n := formation.Redact(tree.Evaluation{GroundTruth: r})
	return e.GroundTruth, n
}
