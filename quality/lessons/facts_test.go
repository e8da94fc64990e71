package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/tree"
)

// need is a coming test, labelled by somebody who read the notes on false alarms alone: the cases whose fact it needs.
type need struct {
	Prompt string
	Scene  tree.Scene
	Scope  tree.Scope
	Facts  []string
}

// TestFacts replays what a capable reader states of the products from the notes on false alarms, and which of these
// facts it picks for labelled coming tests. It measures which tests are given the fact they need, and which are given
// one for nothing, with the reader's picks and by the search alone.
func TestFacts(t *testing.T) {
	shared(t)
	var out strings.Builder
	fmt.Fprintln(&out, "suite  notes  facts  asked again  by      tests that need one  given it  "+
		"tests that need none  given one")
	for _, name := range []string{"b", "g"} {
		p := openPlayed(t, "facts."+name, name, false)
		read, err := p.Knowledge().Read(t.Context(), &knowledge.ReadOptions{Reading: meter.Reading{Reader: p.reader}})
		require.NoError(t, err)
		require.Empty(t, read.Refused)
		all, err := p.Knowledge().All(t.Context())
		require.NoError(t, err)
		again := askedAgain(t, p, all)
		needs := needsOf(t, filepath.Join("testdata", "needs."+name+".jsonl"))
		row := func(by string) {
			of, given, none, nothing := measureFacts(t, p, all, needs)
			fmt.Fprintf(&out, "%-5s  %5d  %5d  %11.3f  %-6s  %19d  %8.3f  %20d  %9.3f\n", name, read.Runs, len(all),
				again, by, of, float64(given)/float64(of), none, float64(nothing)/float64(none))
		}
		row("words")
		var tests []brief.UpcomingTest
		for _, n := range needs {
			tests = append(tests, brief.TestOf(n.Prompt, n.Scene, n.Scope))
		}
		_, err = p.Briefs().Read(t.Context(), tests, &brief.ReadOptions{Reading: meter.Reading{Reader: p.reader}})
		require.NoError(t, err)
		row("reader")
		keepAnswers(t, p)
	}
	golden.Equal(t, "testdata/facts.golden", out.String())
}

// askedAgain returns the share of the false alarms with a fact that are given it when they are asked again.
func askedAgain(t *testing.T, p *played, all []knowledge.Fact) float64 {
	t.Helper()
	n, given := 0, 0
	for i := range all {
		for _, id := range all[i].Cases {
			c, err := p.Tree().Get(t.Context(), id)
			require.NoError(t, err)
			q := memtree.Query{Prompt: c.CaseData.TestCase.Prompt, Scene: c.Scene, Scope: tree.Scope{Product: c.Scope.Product}}
			n++
			if slices.Contains(factsGiven(t, p, q), all[i].ID) {
				given++
			}
		}
	}
	return float64(given) / float64(n)
}

func factsGiven(t *testing.T, p *played, q memtree.Query) (ids []string) {
	t.Helper()
	g, err := p.Guide(t.Context(), q)
	require.NoError(t, err)
	for _, it := range g.Items {
		if it.Type == enhance.OfFact {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

func measureFacts(t *testing.T, p *played, all []knowledge.Fact, needs []need) (of, given, none, nothing int) {
	t.Helper()
	source := map[string][]string{} // tests, by fact
	for i := range all {
		for _, id := range all[i].Cases {
			c, err := p.Tree().Get(t.Context(), id)
			require.NoError(t, err)
			source[all[i].ID] = append(source[all[i].ID], c.CaseData.TestCase.CaseID)
		}
	}
	for _, n := range needs {
		ids := factsGiven(t, p, memtree.Query{Prompt: n.Prompt, Scene: n.Scene, Scope: n.Scope})
		if len(n.Facts) == 0 {
			none++
			nothing += min(1, len(ids))
			continue
		}
		of++
		if slices.ContainsFunc(ids, func(id string) bool {
			return slices.ContainsFunc(source[id], func(test string) bool { return slices.Contains(n.Facts, test) })
		}) {
			given++
		}
	}
	return of, given, none, nothing
}

func needsOf(t *testing.T, file string) (out []need) {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		var n need
		require.NoError(t, json.Unmarshal([]byte(line), &n))
		out = append(out, n)
	}
	return out
}

// TestNight replays a whole night with a capable reader: it learns from a suite, reads the notes on false alarms, and
// reads the coming tests with lessons and facts at once.
func TestNight(t *testing.T) {
	shared(t)
	var out strings.Builder
	fmt.Fprintln(&out, "suite  warned  for nothing  precision  tests given a fact  of those that expect nothing")
	for _, name := range []string{"b", "g"} {
		p := openPlayed(t, "night."+name, name, true,
			append(answersOf(t, answersFile(name)), answersOf(t, answersFile("facts."+name))...)...)
		for range 4 {
			_, err := p.Evolve(t.Context(), nil)
			require.NoError(t, err)
		}
		read, err := p.Knowledge().Read(t.Context(), nil)
		require.NoError(t, err)
		require.Zero(t, read.Left, read.Why)
		did, err := p.Briefs().Read(t.Context(), coming(p.queries), nil)
		require.NoError(t, err)
		require.Zero(t, did.Left, did.Why)
		facts, nothing := 0, 0
		for _, q := range p.queries {
			n := min(1, len(factsGiven(t, p, memtree.Query{Prompt: q.Prompt, Scene: q.Scene, Scope: q.Scope})))
			if facts += n; len(q.Expect) == 0 {
				nothing += n
			}
		}
		w := warnings(t, p)
		fmt.Fprintf(&out, "%-5s  %6.3f  %11.3f  %9.3f  %18d  %28d\n", name, w.Warned, w.ForNothing, w.Precision, facts,
			nothing)
	}
	golden.Equal(t, "testdata/night.golden", out.String())
}
