package risk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/replay"
)

// TestQualityRiskPooled measures the calibration after the first hundred verdicts over forty orders of a history
// together: of fifty verdicts of one order it is mostly chance.
func TestQualityRiskPooled(t *testing.T) {
	var b strings.Builder
	b.WriteString("Calibration error after the first hundred verdicts, forty orders together; by chance: if every P " +
		"were " +
		"right.\n\n                        n    ECE by chance\n")
	for _, s := range streams(t) {
		if s.nothing || s.name == "judgebench" || s.name == "webjudge" { // the others are small enough for forty orders
			continue
		}
		var late []replay.Prediction
		for seed := uint64(1); seed <= 40; seed++ {
			ps, _ := run(shuffled(s.es, seed), New())
			late = append(late, ps[hundred:]...)
		}
		fmt.Fprintf(&b, "%-21s %5d  %s\n", s.name, len(late), eces(late))
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/pooled.golden", b.String())
}
