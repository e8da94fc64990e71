package pages

import (
	"context"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/risk"
)

// rankedMost is the number of latest verdicts that are ranked again for a page: a tenth of a second or two.
const rankedMost = 400

// ranked ranks the labelled verdicts, each by what was known before.
func ranked(ctx context.Context, m *memtree.Memory) (out []plot.Ranked, err error) {
	last := map[string]*ledger.Verdict{} // the latest label
	var order []string
	for e, err := range m.Tree().Ledger(ctx, 0) {
		if err != nil {
			return nil, err
		}
		v := e.Verdict
		if v == nil || v.Features == "" && v.By == "" {
			continue
		}
		was := last[v.Evaluation]
		switch {
		case was == nil:
			order = append(order, v.Evaluation)
		case v.Features == "":
			v.Features = was.Features
		}
		last[v.Evaluation] = v
	}
	order = order[max(0, len(order)-rankedMost):]
	model := risk.New()
	for _, id := range order {
		v := last[id]
		f, err := risk.Decode(v.Features)
		if err != nil || !v.Labelled {
			continue
		}
		out = append(out, plot.Ranked{Order: model.Learn(id, f, v.Correct, v.Direction), Wrong: !v.Correct})
	}
	return out, ctx.Err()
}
