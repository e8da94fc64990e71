package sim

import (
	"math"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/tree"
)

// Found measures how well a rule separates harmful memories from helpful ones.
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

// judge compares scores with the truth, for memories that were included at least once.
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

// Sure measures whether the fit's confident results are true.
type Sure struct {
	Covered float64 // share of the true effects within 1.96 standard deviations of the fitted
	Retired int     // memories that would be retired as harmful
	Rightly float64 // share of them that harm
}

// Trust returns how reliable the fit is after so many runs, over worlds with seeds from 1.
func Trust(runs, worlds int) Sure {
	var s Sure
	in, of, bad := 0, 0, 0
	for seed := range worlds {
		w := New(Real(uint64(seed) + 1)) //nolint:gosec // small
		played := w.Play(runs, effect.Schedule())
		book := effect.NewCreditBook()
		for i := range played {
			book.Add(&played[i])
		}
		truth := map[string]float64{}
		for i := range w.Memories {
			truth[w.Memories[i].ID] = w.Memories[i].Effect
		}
		for _, e := range book.Fit(played[len(played)-1].At) {
			of++
			if math.Abs(e.Effect-truth[e.ID]) <= stat.Z*e.SD {
				in++
			}
			if next, _ := effect.Next(&e, effect.Standing{Status: tree.Active}, Start); next == tree.Retired {
				s.Retired++
				if truth[e.ID] < 0 {
					bad++
				}
			}
		}
	}
	s.Covered = float64(in) / float64(of)
	s.Rightly = float64(bad) / float64(max(1, s.Retired))
	return s
}
