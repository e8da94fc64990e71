package risk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
)

// hundred is the number of the first verdicts of a history.
const hundred = 100

// TestQualityRiskEarly measures, for every history, the discrimination of the first hundred verdicts and of all.
func TestQualityRiskEarly(t *testing.T) {
	var b strings.Builder
	b.WriteString("AUC and calibration error over all verdicts and over the first hundred, each scored before its " +
		"truth was told.\nby chance: the calibration error that P has when it is exactly right, on as many verdicts.\n\n")
	fmt.Fprintf(&b, "%-33s %4s %5s  %-27s  %s\n%-33s %4s %5s  %5s %5s %9s    %-19s %5s %9s\n", "", "", "", "all",
		"first hundred", "", "n", "wrong", "AUC", "ECE", "by chance", "AUC", "ECE", "by chance")
	for _, s := range everyStream(t) {
		ps, _ := run(s.es, New())
		first := ps[:min(hundred, len(ps))]
		all, early := effect.RiskFigures(ps), effect.MeasureRisks(first, 1)
		fmt.Fprintf(&b, "%-33s %4d %5d  %5s %s    %-19s %s\n", s.name, all.N, all.Wrong, auc(all.AUC), eces(ps),
			auc(early.AUC)+spread(&early), eces(first))
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/early.golden", b.String())
}

func auc(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *x)
}

func spread(r *effect.RiskMeasure) string {
	if r.AUC == nil {
		return ""
	}
	return fmt.Sprintf(" (%.3f-%.3f)", r.Intervals["auc"].Low, r.Intervals["auc"].High)
}

// eces returns the calibration error of ps, and its mean if every P were exact.
func eces(ps []effect.Prediction) string {
	ece, _ := effect.Calibration(ps)
	rng := rand.New(rand.NewPCG(1, 2))
	again, mean := append([]effect.Prediction(nil), ps...), 0.0
	const draws = 200
	for range draws {
		for i := range again {
			again[i].Wrong = rng.Float64() < ps[i].P
		}
		x, _ := effect.Calibration(again)
		mean += x / draws
	}
	return fmt.Sprintf("%.3f %9.3f", ece, math.Round(mean*1000)/1000)
}
