package fact_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/golden"
)

// guiTest is a test of the public GUI benchmark whose page has defects.
type guiTest struct {
	id, page, prompt string
	defects          []string
}

func guiTests(t *testing.T) []guiTest {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "fixtures", "gui-zh.jsonl"))
	require.NoError(t, err)
	var out []guiTest
	for line := range strings.Lines(string(b)) {
		var e struct {
			CaseID string `json:"case_id"`
			Prompt string `json:"prompt"`
			Scene  struct{ Route string }
			Truth  struct {
				Details []string `json:"defect_details"`
			} `json:"ground_truth"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		if len(e.Truth.Details) > 0 {
			page := strings.TrimSuffix(strings.Trim(e.Scene.Route, "/"), "-v2")
			out = append(out, guiTest{e.CaseID, page, e.Prompt, e.Truth.Details})
		}
	}
	return out
}

// TestPages checks every defect of the public GUI benchmark against the page with it and against the same page without
// defects. No decided fact may be wrong.
func TestPages(t *testing.T) {
	var told strings.Builder
	var b golden.Bars
	for _, form := range []string{".aria.yaml", ".txt"} {
		tests, some, defects, decided, wrong := 0, 0, 0, 0, 0
		for _, g := range guiTests(t) {
			for _, build := range []struct {
				suffix string
				right  fact.CheckState
			}{{"-v2", fact.Broken}, {"", fact.Holds}} {
				page := readPage(t, g.page+build.suffix+form)
				tests++
				any := 0
				for _, d := range g.defects {
					defects++
					n := 0
					for _, e := range expected(g.prompt, d) {
						f := page.Hold(e)
						if f.State == fact.Unknown {
							continue
						}
						n = 1
						if f.State != build.right {
							wrong++
						}
						if form == ".aria.yaml" {
							fmt.Fprintf(&told, "%s %-16s %-6s %d %s\n    %s\n", g.id, g.page+build.suffix, f.State, f.Line, f.Seen, d)
						}
					}
					decided += n
					any |= n
				}
				some += any
			}
		}
		b.Least("tests with a fact, of 68, "+form, float64(some)/float64(tests), 0.50)
		b.Least("defects decided, of 172, "+form, float64(decided)/float64(defects), 0.25)
		b.Least("right of those decided, "+form, 1-float64(wrong)/float64(decided), 1)
	}
	b.Check(t)
	golden.Equal(t, filepath.Join("testdata", "pages.golden"), told.String())
}

func readPage(t *testing.T, name string) *fact.Snapshot {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "pages", name))
	require.NoError(t, err)
	return fact.Read(string(b))
}
