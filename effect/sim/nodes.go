package sim

import (
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/stat"
)

// Found is how well a rule tells memories apart.
type Found struct {
	AUC      float64 // of "this memory harms"
	Spearman float64 // with the true effects
}

// Nodes returns how well every rule does after so many runs, in the mean over
// worlds with seeds from 1.
func Nodes(rules []Rule, runs, worlds int) []Found {
	out := make([]Found, len(rules))
	for seed := range worlds {
		w := New(Real(uint64(seed) + 1)) //nolint:gosec // small
		played := w.Play(runs, effect.Schedule())
		for i, r := range rules {
			f := w.judge(r.Score(played))
			out[i].AUC += f.AUC / float64(worlds)
			out[i].Spearman += f.Spearman / float64(worlds)
		}
	}
	return out
}

// judge holds scores against the truth, of memories that were given at all.
func (w *World) judge(scores map[string]float64) Found {
	var bad, good, have, want []float64
	for i := range w.Memories {
		k := &w.Memories[i]
		s, ok := scores[k.ID]
		if !ok {
			continue
		}
		have, want = append(have, s), append(want, k.Effect)
		if k.Effect < 0 {
			bad = append(bad, -s)
		} else {
			good = append(good, -s)
		}
	}
	var f Found
	f.AUC, _, _ = stat.AUC(bad, good)
	f.Spearman, _ = stat.Spearman(have, want)
	return f
}
