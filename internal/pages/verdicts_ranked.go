package pages

import (
	"context"
	"slices"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/risk"
)

// rankedMost is the number of latest verdicts that are ranked again for a page: a tenth of a second or two.
const rankedMost = 400

// ranked ranks the labelled verdicts, each by what was known before.
func ranked(ctx context.Context, m *memtree.Memory) (out []plot.Ranked, err error) {
	all, err := verdictsOf(ctx, m)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(v verdictOf) bool { return v.Features == "" && v.By == "" })
	model := risk.New()
	for _, v := range all[max(0, len(all)-rankedMost):] {
		f, err := risk.Decode(v.Features)
		if err != nil || !v.Labelled {
			continue
		}
		out = append(out, plot.Ranked{Order: model.Learn(v.Evaluation, f, v.Correct, v.Direction), Wrong: !v.Correct})
	}
	return out, ctx.Err()
}
