package fact_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/golden"
)

// TestWritten checks defects against pages that testers wrote to mislead: for a third of them the right page looks like
// the broken one. Few are decided, and none wrongly.
func TestWritten(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "written.jsonl"))
	require.NoError(t, err)
	visible, decided, wrong, blind := 0, 0, 0, 0
	for line := range strings.Lines(string(b)) {
		var x struct {
			ID, Prompt, Broken, Repaired string
			Defects                      []string
			Visible                      []bool
		}
		require.NoError(t, json.Unmarshal([]byte(line), &x))
		for i, d := range x.Defects {
			for page, right := range map[string]fact.CheckState{x.Broken: fact.Broken, x.Repaired: fact.Holds} {
				if x.Visible[i] {
					visible++
				}
				some := false
				for _, e := range expected(x.Prompt, d) {
					f := fact.Read(page).Hold(e)
					some = some || f.State != fact.Unknown
					if f.State != fact.Unknown && f.State != right {
						wrong++
						t.Logf("%s: %s: %+v", x.ID, d, f)
					}
				}
				if some && x.Visible[i] {
					decided++
				} else if some {
					blind++
				}
			}
		}
	}
	var bars golden.Bars
	bars.Least("defects decided that a reader could tell", float64(decided)/float64(visible), 0.12)
	bars.Tell("decided that nobody could tell", float64(blind))
	bars.Tell("decided wrongly", float64(wrong))
	bars.Check(t)
	require.Zero(t, wrong)
}
