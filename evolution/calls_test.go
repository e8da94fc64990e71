package evolution

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// scribe is a model that writes about every group the text of its first case. It counts its input.
type scribe struct {
	mu          sync.Mutex
	calls, most int // calls; the longest request in characters
	all         int // characters of all requests
}

var (
	caseNote = regexp.MustCompile(`(?m)^1\. .*(?:note|true|说明|实际)[:：] ?([^|\n]+)$`)
	digits   = regexp.MustCompile(`\S*\d\S*`)
)

func (s *scribe) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	n := utf8.RuneCountInString(r.System + r.Prompt)
	s.mu.Lock()
	s.calls, s.most, s.all = s.calls+1, max(s.most, n), s.all+n
	s.mu.Unlock()
	var list []map[string]any
	for i, g := range strings.Split(r.Prompt, `<data name="group `)[1:] {
		why := "the result was not looked at"
		if m := caseNote.FindStringSubmatch(g); m != nil {
			why = strings.TrimSpace(digits.ReplaceAllString(m[1], ""))
		}
		list = append(list, map[string]any{
			"group": i + 1, "apart": "", "cases": numbered(g),
			"en": map[string]any{"title": "What went wrong", "do": "Look at this first. " + why, "mistake": why,
				"when": "the verdict turns on it"},
			"zh": map[string]any{"title": "出了什么错", "do": "先看这一处，再下结论。", "mistake": "没有看", "when": "结论取决于它"},
		})
	}
	b, err := json.Marshal(map[string]any{"lessons": list})
	return llm.Answer{JSON: b, Model: "scribe"}, err
}

// TestQualityOfCalls counts the calls of a model.
func TestQualityOfCalls(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "A scripted model that repeats what one case says; refused drafts are repaired once. Bar: "+
		"15 calls per 100 cases, 0 again.\n"+
		"Characters of a request, about 4 a token; an answer is bounded to %d tokens a group.\n\n"+
		"%-16s %5s %7s %5s %5s %7s %6s %6s %5s\n",
		answerTokens(1), "", "cases", "lessons", "model", "calls", "per 100", "mean", "most", "again")
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

// numbered returns the numbers of the cases of a group in a prompt.
func numbered(group string) []int {
	data, _, _ := strings.Cut(group, "</data>")
	return upTo(len(caseStarts.FindAllString(data, -1)))
}

var caseStarts = regexp.MustCompile(`(?m)^\d+\. `)

// upTo returns the numbers from 1 to n.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}
