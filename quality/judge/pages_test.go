package judge

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// dataFolder returns the folder of the data, or skips the test.
func dataFolder(t *testing.T) string {
	shared := os.Getenv("MEMTREE_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(shared, "data", "gui", "judge")
	if _, err := os.Stat(filepath.Join(dir, "items.json")); err != nil {
		t.Skip("the tests and pages are not here: this measures on data/gui/judge in the folder MEMTREE_SHARED names, " +
			"../shared beside the repository by default")
	}
	return dir
}

// screen is a test of the benchmark, with the browser's observation of its page.
type screen struct {
	ID, Fam, Route, Type, Prompt, Obs string
	Defect                            bool
	Details                           []string
}

// mistake is a wrong verdict, with the page as it was then and as it is on the changed
// build: repaired if a defect was missed, broken if there was a false alarm.
type mistake struct {
	screen
	builds [2]build // unchanged and changed
	other  *screen  // another page with a defect, nil after a false alarm
}

// build is a state of the product: its name, and the browser's observation of the page.
type build struct{ name, seen string }

func readMistakes(t *testing.T, dir string) []mistake {
	b, err := os.ReadFile(filepath.Join(dir, "items.json"))
	require.NoError(t, err)
	var all []screen
	require.NoError(t, json.Unmarshal(b, &all))
	var out []mistake
	for _, missed := range []bool{true, false} {
		for _, s := range all {
			twin := slices.IndexFunc(all, func(x screen) bool { return x.Fam == s.Fam && x.Defect != s.Defect })
			if s.Defect != missed || twin < 0 {
				continue
			}
			x := mistake{screen: s, builds: [2]build{{"night 1", s.Obs}, {"night 2", all[twin].Obs}}}
			if missed {
				x.other = defectElsewhere(all, s)
			}
			out = append(out, x)
		}
	}
	return out
}

// defectElsewhere returns a test with a defect on another page, always the same one.
func defectElsewhere(all []screen, of screen) *screen {
	var best *screen
	least := ""
	for i, s := range all {
		if s.Fam == of.Fam || !s.Defect {
			continue
		}
		sum := sha256.Sum256([]byte(of.ID + "\n" + s.ID))
		if d := string(sum[:]); best == nil || d < least {
			best, least = &all[i], d
		}
	}
	return best
}
