package memtree_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/run"
	"github.com/memtree/memtree/tree"
)

// The limits that docs/memory.md names are those of the code.
func TestMemoryTable(t *testing.T) {
	limits := map[string]float64{
		"tree.MaxField": tree.MaxField, "tree.MaxPictures": tree.MaxPictures, "tree.MaxLessons": tree.MaxLessons,
		"knowledge.Floor": knowledge.Floor, "knowledge.MostColumns": knowledge.MostColumns,
		"ledger.MaxSightings": ledger.MaxSightings, "ledger.MaxWalk": ledger.MaxWalk, "appmap.MostPages": appmap.MostPages,
		"appmap.MostElements": appmap.MostElements,
		"appmap.MostCalls":    appmap.MostCalls, "appmap.MostNames": appmap.MostNames, "ledger.MaxWork": ledger.MaxWork,
		"run.MostUpdates": run.MostUpdates, "run.MostTasks": run.MostTasks, "run.MostValues": run.MostValues,
		"ledger.MaxRating": ledger.MaxRating, "brief.MostTests": brief.MostTests,
	}
	page, err := os.ReadFile("docs/memory.md")
	require.NoError(t, err)
	found := map[string]float64{}
	limit := regexp.MustCompile("`([a-z]+\\.M[a-zA-Z]+|knowledge\\.Floor)` ([0-9][0-9.,]*[0-9]|[0-9])")
	for _, m := range limit.FindAllStringSubmatch(string(page), -1) {
		n, err := strconv.ParseFloat(strings.ReplaceAll(m[2], ",", ""), 64)
		require.NoError(t, err, m[0])
		found[m[1]] = n
	}
	require.Equal(t, fmt.Sprint(limits), fmt.Sprint(found))
}
