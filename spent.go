package memtree

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/tree"
)

// spentName is what totals are kept under beside the store.
const spentName = "spent"

// spending counts what models are asked since Open, beside what was counted before.
type spending struct {
	meters []namedMeter // in front of the model and of the embedder, as far as there are such
	since  time.Time    // Open
	before meter.Totals // kept by those who had the store open before
	kept   atomic.Int64 // calls and refused questions of the meters that are kept too
}

// namedMeter is a meter without bounds in front of a model.
type namedMeter struct {
	*meter.Meter
	model string // "" if it does not say
}

// counting counts what the model is asked.
func (s *spending) counting(of llm.Generator) llm.Generator {
	if llm.Plays(of) {
		return of
	}
	m := meter.New(of, meter.Options{})
	s.meters = append(s.meters, namedMeter{m, llm.NameOf(of)})
	return m
}

// countingTexts counts what the embedder is asked.
func (s *spending) countingTexts(of llm.Embedder) llm.Embedder {
	if llm.Plays(of) {
		return of
	}
	m := meter.New(nil, meter.Options{})
	s.meters = append(s.meters, namedMeter{m, of.ID()})
	return m.Embedder(of, nil)
}

// total returns what models were asked since the first count, and how much of that is new.
func (s *spending) total() (all meter.Totals, fresh int) {
	all = s.before
	for _, m := range s.meters {
		now := m.Total()
		fresh += now.Calls + now.Beyond
		all = all.Add(m.model, now, s.since)
	}
	return all, fresh
}

// loadSpent reads the totals that were kept. Without them the count begins anew.
func (m *Memory) loadSpent(ctx context.Context) {
	kept, err := tree.OpenDerived(ctx, m.store, spentName)
	if err == nil {
		var b []byte
		b, err = io.ReadAll(io.NewSectionReader(kept, 0, min(kept.Size, meter.MostTotals+1)))
		if err = errors.Join(err, kept.Closer.Close()); err == nil {
			m.spent.before, err = meter.ParseTotals(b)
		}
	}
	if err != nil && !errors.Is(err, tree.ErrNotFound) {
		m.opts.Logger.Info("what models were asked is counted anew", "reason", err)
	}
}

// saveSpent keeps the totals, if there is anything new.
func (m *Memory) saveSpent(ctx context.Context) {
	if m.opts.ReadOnly {
		return
	}
	all, fresh := m.spent.total()
	if m.spent.kept.Swap(int64(fresh)) == int64(fresh) {
		return
	}
	b, err := json.Marshal(all)
	if err == nil {
		err = tree.SaveDerived(ctx, m.store, spentName, 0, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	}
	if err != nil {
		m.opts.Logger.Warn("what models were asked was not counted", "error", err)
	}
}
