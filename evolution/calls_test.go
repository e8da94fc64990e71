package evolution

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// scribe is a model that writes about every group what its first case says. It counts
// how much it was given.
type scribe struct {
	calls, most int // calls; the longest request in characters
	all         int // characters of all requests
}

var (
	whyLine  = regexp.MustCompile(`(?m)^(?:what was missed|what went wrong|why): (?:[^—\n]* — )?([^—\n]+)`)
	caseMark = regexp.MustCompile(`case (\d+)`)
	digits   = regexp.MustCompile(`\S*\d\S*`)
)

func (s *scribe) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	n := size(r.System, r.Prompt)
	s.calls, s.most, s.all = s.calls+1, max(s.most, n), s.all+n
	why := "the result was not looked at"
	if m := whyLine.FindAllStringSubmatch(r.Prompt, -1); len(m) > 0 {
		why = strings.TrimSpace(digits.ReplaceAllString(m[len(m)-1][1], ""))
	}
	cites := map[string]bool{}
	for _, m := range caseMark.FindAllStringSubmatch(r.Prompt, -1) {
		cites[m[1]] = true
	}
	list := []int{}
	for i := range len(cites) {
		list = append(list, i+1)
	}
	b, err := json.Marshal(map[string]any{
		"title": "What went wrong", "summary": why, "appliesWhen": []string{"the verdict turns on it"}, "notWhen": []string{},
		"lessons": []any{map[string]any{"op": "ADD", "id": "", "check": "Look at this first. " + why, "instead": "",
			"mistake": "", "cites": list}},
	})
	return llm.Answer{JSON: b, Model: "scribe"}, err
}

// TestQualityOfCalls counts what a model is asked.
func TestQualityOfCalls(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "A scripted model that repeats what one case says; refused drafts are repaired once. Bar: "+
		"15 calls per 100 cases, 0 again.\n"+
		"Characters of a request, about 4 a token; an answer is bounded to %d tokens.\n\n"+
		"%-16s %5s %7s %5s %5s %7s %6s %6s %5s\n",
		maxAnswerTokens, "", "cases", "lessons", "model", "calls", "per 100", "mean", "most", "again")
	asked, of := 0, 0
	for _, name := range []string{"agentrx", "webjudge", "whoandwhen", "tau", "judgebench"} {
		m := newMemory(t)
		m.form(taxonomy.Default(), evaluations(t, filepath.Join(shared(t), "evaluations", name+".jsonl")))
		o, s := builtIn(t), &scribe{}
		o.Generator, o.Model = s, "scribe"
		m.evolve(o, PlanOptions{})
		first, cases, by := s.calls, len(m.live(tree.Case)), 0
		lessons := append(m.live(tree.Experience), m.live(tree.Strategy)...)
		for _, n := range lessons {
			if n.Provenance.Analyst == "model" {
				by++
			}
		}
		asked, of = asked+first, of+cases
		before := m.text()
		m.evolve(o, PlanOptions{})
		require.Equal(t, before, m.text())
		fmt.Fprintf(&b, "%-16s %5d %7d %5d %5d %7.1f %6d %6d %5d\n", name, cases, len(lessons), by, first,
			100*float64(first)/float64(cases), s.all/max(1, s.calls), s.most, s.calls-first)
	}
	fmt.Fprintf(&b, "%-16s %5d %7s %5s %5d %7.1f\n", "all", of, "", "", asked, 100*float64(asked)/float64(of))
	golden.Equal(t, "testdata/quality.calls.golden", b.String())
}
