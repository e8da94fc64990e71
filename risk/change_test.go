package risk

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// settled is the number of verdicts after a change by which the model has to follow it.
const settled = 50

// change is a judge that is replaced under the same name.
type change struct {
	name          string
	before, after []tree.Evaluation
}

// sameJudge returns es as if one judge had given them all.
func sameJudge(es []tree.Evaluation) []tree.Evaluation {
	out := slices.Clone(es)
	for i := range out {
		out[i].Agent = tree.Agent{Name: "judge"}
	}
	return out
}

// opposite returns es with right and wrong swapped: everything learned before misleads.
func opposite(es []tree.Evaluation) []tree.Evaluation {
	out := slices.Clone(es)
	for i := range out {
		not := !*out[i].Correct
		out[i].Correct = &not
	}
	return out
}

func changes(tb testing.TB) []change {
	tb.Helper()
	of := map[string][]tree.Evaluation{}
	for _, s := range everyStream(tb) {
		of[s.name] = sameJudge(s.es)
	}
	o4, b7 := of["webjudge, webjudge_o4_mini"], of["webjudge, webjudge_7B"]
	web, tau, suite := of["webjudge, once a run"], of["tau"], of["suite a"]
	half := len(web) / 2
	return []change{
		{"webjudge, 7B to o4-mini", b7, o4}, {"webjudge, o4-mini to 7B", o4, b7},
		{"tau to webjudge", tau, web}, {"webjudge to tau", web, tau},
		{"suite a to webjudge", suite, web}, {"webjudge to suite a", web, suite}, {"tau to suite a", tau, suite},
		{"webjudge, to its opposite", web[:half], opposite(web[half:])},
		{"opposite, to webjudge", opposite(web[:half]), web[half:]},
		{"webjudge, no change", web[:half], web[half:]},
	}
}

// TestQualityRiskChange compares a model that knew another judge, over fifty verdicts after the change, with one that
// started at the change.
func TestQualityRiskChange(t *testing.T) {
	var b strings.Builder
	b.WriteString("A judge is replaced under the same name. Verdicts from the 51st after that on: of a model that knew " +
		"the old judge, and of a\nfresh one. Means of eight orders; the change comes at another place in each.\n\n")
	fmt.Fprintf(&b, "%-27s %5s   %-25s %s\n", "", "", "AUC", "Brier")
	fmt.Fprintf(&b, "%-27s %5s   %5s %5s %10s    %6s %6s\n", "", "after", "old", "fresh", "difference", "old", "fresh")
	for _, c := range changes(t) {
		within := 0.02
		if c.name == "webjudge to suite a" {
			within = 0.025 // also other terms for a verdict, and .17 wrong before and .71 after
		}
		var old, fresh [2]float64
		const orders = 8
		for seed := range uint64(orders) {
			before, after := shuffled(c.before, seed)[3*seed:], shuffled(c.after, seed)
			with, _ := run(slices.Concat(before, after), New())
			without, _ := run(after, New())
			for k, ps := range [][]effect.Prediction{with[len(before):], without} {
				r := effect.RiskFigures(ps[settled:])
				to := []*[2]float64{&old, &fresh}[k]
				to[0] += *r.AUC / orders
				to[1] += r.Brier / orders
			}
		}
		fmt.Fprintf(&b, "%-27s %5d   %.3f %.3f     %+.3f    %.4f %.4f\n", c.name, len(c.after), old[0], fresh[0],
			math.Round(1000*(old[0]-fresh[0]))/1000, old[1], fresh[1])
		require.Greater(t, old[0], fresh[0]-within, c.name)
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/change.golden", b.String())
}
