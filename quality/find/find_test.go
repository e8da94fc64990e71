// Package find measures how often the map finds an element that is asked for in other words than its name.
package find

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/appmap/naming"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
)

// question asks for an element; Want has the page, role and name of each right answer.
type question struct {
	Q    string
	Want [][3]string
}

// The groups of the questions, in their order in the file.
var groups = []struct {
	name string
	n    int
}{
	{"Chinese, in other words", 90}, {"English, for a Chinese name", 70}, {"its name and more", 20}, {"none is right", 20},
}

// TestFind asks 200 questions about the elements of 17 Chinese pages that nobody has acted on. Their writer saw pages,
// roles and names alone.
func TestFind(t *testing.T) {
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "gui", "snapshots", "*.aria.yaml"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the snapshots are not here: set MEMTREE_SHARED to the folder that has data/ in it")
	}
	m := appmap.New()
	for _, file := range files {
		page := "/" + strings.TrimSuffix(filepath.Base(file), ".aria.yaml")
		if strings.HasSuffix(page, "-v2") {
			continue
		}
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		o := ingest.WalkOptions{Product: "gui", Page: page}
		for w, err := range ingest.ReadWalks(file, bytes.NewReader(b), int64(len(b)), o) {
			require.NoError(t, err)
			w.Identify()
			m.Add(&ledger.Entry{Walk: &w})
		}
	}
	var out strings.Builder
	ask(t, m, &out, "words alone")
	names := &appmap.Names{}
	m.Name(names)
	n := naming.New(naming.Sources{
		Map:   func(_ context.Context, read func(*appmap.Map)) error { read(m); return nil },
		Names: names, Save: func(context.Context) {}, Model: played(t),
	})
	did, err := n.Read(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, did.Left, did.Why)
	ask(t, m, &out, fmt.Sprintf("a reader named %d elements", did.Elements))
	golden.Equal(t, "testdata/find.golden", out.String())
}

// played is a reader that wrote its names once, by a list of pages, roles and names alone, without the questions.
func played(t *testing.T) llm.Generator {
	var all map[string]map[string][]string
	b, err := os.ReadFile(filepath.Join("testdata", "names.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &all))
	line := regexp.MustCompile(`(?m)^(e\d+) (\S+) \| (\S+) \| (.*)$`)
	return generator(func(r llm.Request) (llm.Answer, error) {
		type element struct {
			E     string   `json:"e"`
			Names []string `json:"names"`
		}
		var out []element
		for _, m := range line.FindAllStringSubmatch(r.Prompt, -1) {
			names := all[m[2]][strings.TrimSpace(m[3]+" "+strings.TrimSuffix(m[4], "-"))]
			out = append(out, element{m[1], append([]string{}, names...)})
		}
		b, err := json.Marshal(map[string]any{"elements": out})
		return llm.Answer{JSON: b}, err
	})
}

type generator func(llm.Request) (llm.Answer, error)

func (g generator) Generate(_ context.Context, r llm.Request) (llm.Answer, error) { return g(r) }

// ask asks the questions, and writes a table of how many are answered.
func ask(t *testing.T, m *appmap.Map, out *strings.Builder, title string) {
	b, err := os.ReadFile(filepath.Join("testdata", "questions.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	fmt.Fprintf(out, "%-28s %9s %9s %9s\n", title, "questions", "first", "first 3")
	for _, g := range groups {
		first, three := 0, 0
		for _, line := range lines[:g.n] {
			var q question
			require.NoError(t, json.Unmarshal([]byte(line), &q))
			found := m.Find(appmap.SelectorQuery{Text: q.Q, Product: "gui", Least: -1, Limit: 3})
			right := func(f appmap.FoundSelector) bool { return slices.Contains(q.Want, [3]string{f.Page, f.Role, f.Name}) }
			if len(q.Want) == 0 { // nothing found is right
				right = func(appmap.FoundSelector) bool { return false }
				if len(found) == 0 {
					first, three = first+1, three+1
				}
			}
			if len(found) > 0 && right(found[0]) {
				first++
			}
			if slices.ContainsFunc(found, right) {
				three++
			}
		}
		lines = lines[g.n:]
		of := float64(g.n)
		fmt.Fprintf(out, "%-28s %9d %9.2f %9.2f\n", g.name, g.n, float64(first)/of, float64(three)/of)
	}
	require.Empty(t, lines)
	out.WriteByte('\n')
}
