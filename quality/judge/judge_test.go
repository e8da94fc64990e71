package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtree/memtree/internal/golden"
)

// TestJudge measures how guidance changes the verdicts of a real model. A memory contains one mistake; then the test
// of that mistake runs on the unchanged build and on the changed one: without a text after the task, with an empty
// frame, and with the guidance. docs/judge.md describes how to run it and what the figures mean.
func TestJudge(t *testing.T) {
	url := os.Getenv("MEMTREE_JUDGE")
	if url == "" {
		t.Skip("there is no model to ask: set MEMTREE_JUDGE to the address of a judge; docs/judge.md says how to start one")
	}
	dir := dataFolder(t)
	m := openModel(t, url, dir)
	mistakes := readMistakes(t, dir)
	var told []armResult
	for i, x := range mistakes {
		told = append(told, m.verdicts(t, x)...)
		fmt.Fprintf(t.Output(), "%d of %d mistakes, %d new answers\n", i+1, len(mistakes), m.fresh)
	}
	keepRecord(t, "testdata/judge.golden", m.about+"\n"+table(told))
}

// verdicts requests the verdicts on both builds of a mistake, with every arm.
func (m *model) verdicts(t *testing.T, x mistake) []armResult {
	var out []armResult
	for _, a := range arms {
		if a.of(x) == nil {
			continue
		}
		says := remember(t, x, *a.of(x))
		told := armResult{arm: a.name, of: x}
		for i, b := range x.builds {
			text := says(a, b)
			told.silent[i] = text == ""
			told.none[i] = m.score(t, x, i, "")
			told.score[i], told.frame[i] = told.none[i], told.none[i]
			if text != "" {
				told.frame[i] = m.score(t, x, i, emptyFrame(text, m.nothing))
				told.score[i] = m.score(t, x, i, text)
			}
		}
		out = append(out, told)
	}
	return out
}

// emptyFrame returns text with its memories replaced by one neutral line.
func emptyFrame(text, nothing string) string {
	lines := strings.Split(text, "\n")
	memory := func(line string) bool { return strings.HasPrefix(line, "- ") }
	first := slices.IndexFunc(lines, memory)
	if first < 0 {
		return nothing
	}
	after := first
	for i, line := range lines {
		if memory(line) {
			after = i + 1
		}
	}
	return strings.Join(slices.Concat(lines[:first], []string{nothing}, lines[after:]), "\n")
}

// keepRecord is golden.Equal for figures with the day of their measurement. It keeps that day while the figures are
// the same.
func keepRecord(t *testing.T, path, figures string) {
	day := "measured " + time.Now().Format(time.DateOnly)
	if old, err := os.ReadFile(filepath.Clean(path)); err == nil {
		if first, rest, _ := strings.Cut(string(old), "\n"); rest == figures {
			day = first
		}
	}
	fmt.Fprint(t.Output(), figures)
	golden.Equal(t, path, day+"\n"+figures)
}
