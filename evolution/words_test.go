package evolution

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// TestQualityOfWords stores every lesson of each set as it reads, one file a set, so that a change of the wording is
// seen. Read them aloud before you accept one.
func TestQualityOfWords(t *testing.T) {
	data := shared(t)
	for name, path := range map[string]string{
		"suite":      filepath.Join(suite(t), "runs.jsonl"),
		"gui":        filepath.Join(data, "gui", "judged.jsonl"),
		"tau":        filepath.Join(data, "evaluations", "tau.jsonl"),
		"agentrx":    filepath.Join(data, "evaluations", "agentrx.jsonl"),
		"whoandwhen": filepath.Join(data, "evaluations", "whoandwhen.jsonl"),
	} {
		t.Run(name, func(t *testing.T) {
			golden.Equal(t, "testdata/words."+name+".golden", learned(t, path).words())
		})
	}
}

// words is every lesson of a tree as it reads.
func (m *memory) words() string {
	in := map[string]bool{}
	for _, e := range m.live(tree.Experience) {
		for _, id := range e.Children {
			in[id] = true
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d cases, %d of them in %d experiences, %d strategies\n",
		len(m.live(tree.Case)), len(in), len(m.live(tree.Experience)), len(m.live(tree.Strategy)))
	for _, n := range append(m.live(tree.Experience), m.live(tree.Strategy)...) {
		fmt.Fprintf(&b, "\n%s, %s, %s, %s\n  title: %s\n  about: %s\n", n.Type, n.ErrorType, n.Direction, n.Lang,
			n.Content.Title, n.Content.Description)
		if when := strings.Join(n.Content.AppliesWhen, "; "); when != "" {
			fmt.Fprintf(&b, "  when: %s\n", when)
		}
		for _, l := range n.Content.Lessons {
			fmt.Fprintf(&b, "  %s, %d tests, %d times\n    do: %s\n", l.Kind, l.Tests, l.Times, l.Check)
			if l.Mistake != "" {
				fmt.Fprintf(&b, "    mistake: %s\n", l.Mistake)
			}
		}
	}
	return b.String()
}
