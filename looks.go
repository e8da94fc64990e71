package memtree

// A reader looks a second time at verdicts that are likely to be wrong. Its looks are evidence for Risk.

import (
	"context"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// newLooks returns the looks of the memory.
func (m *Memory) newLooks() *look.Looks {
	a := look.Access{
		Book: m.learned.looks, Now: m.opts.Now, ReadOnly: m.opts.ReadOnly, Hidden: m.taxonomy.WithoutModel,
		Clean: func(e tree.Evaluation) tree.Evaluation {
			e.Identify()
			e, _ = formation.Redact(e)
			return e
		},
		Before: m.beforeLook,
		Picture: func(ctx context.Context, sum string) ([]byte, error) {
			b, _, err := m.Pictures().Get(ctx, sum)
			return b, err
		},
		Save: func(ctx context.Context, every time.Duration) {
			m.learned.SaveBoxes(ctx, every, m.learned.looks)
			if every == 0 {
				m.saveAsked(ctx)
			}
		},
	}
	if m.halt != nil {
		a.Model, a.Name = m.halt, llm.NameOf(m.opts.Generator)
	}
	return look.New(a)
}

// beforeLook returns what a reader is given of the memories of such tests: their lessons, not what was true of a run.
func (m *Memory) beforeLook(ctx context.Context, e *tree.Evaluation) []string {
	q := retrieval.Query{Prompt: text.ClipBytes(e.Prompt, tree.MaxNodeText), Scene: e.Scene, Scope: e.Scope,
		Now: m.opts.Now()}
	r, _, err := m.searchHeeding(ctx, q, (*retrieval.Index).Search)
	if err != nil || r.Abstained {
		return nil
	}
	var out []string
	for i := range r.Hits {
		if r.Hits[i].Type == tree.Case {
			continue
		}
		n, err := m.store.Get(ctx, r.Hits[i].ID)
		if err != nil {
			continue
		}
		for _, l := range n.Content.Lessons {
			out = append(out, l.Check)
		}
	}
	return out[:min(4, len(out))]
}

// looked returns the code of the second look at a run without secrets, 0 without one.
func (m *Memory) looked(e *tree.Evaluation) uint8 { return m.learned.looks.Code(e) }

// judgeLabels returns what is known of judges, by their names.
func (m *Memory) judgeLabels(ctx context.Context, names []string) (map[string]risk.JudgeLabels, error) {
	out, l := map[string]risk.JudgeLabels{}, m.learned
	err := l.View(ctx, func() {
		for _, name := range names {
			out[name] = l.risk.Model().Judge(name)
		}
	}, l.risk)
	return out, err
}
