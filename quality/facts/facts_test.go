// Package facts measures guidance for a page that memory can see: on builds with the remembered defects, without
// them, and with some of them; by the form of the defects' notes; and, as controls, on other pages.
package facts

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// test is a test of the public GUI benchmark whose page has defects.
type test struct {
	id, page, prompt string
	defects          []string
}

// pages returns the tests with defects, by page.
func pages(t *testing.T) map[string][]test {
	b, err := os.ReadFile(filepath.Join("..", "..", "fixtures", "gui-zh.jsonl"))
	require.NoError(t, err)
	out := map[string][]test{}
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
			out[page] = append(out[page], test{e.CaseID, page, strings.ReplaceAll(e.Prompt, " V2", ""), e.Truth.Details})
		}
	}
	return out
}

// form is a form of the defects: a list, or a note in one piece.
type form struct {
	name string
	note func(defects []string) string // nil: a list
}

func forms() []form {
	joined := func(by string) func([]string) string {
		return func(d []string) string { return strings.Join(d, by) }
	}
	numbered := func(mark, end string) func([]string) string {
		return func(d []string) string {
			var b strings.Builder
			for i, s := range d {
				fmt.Fprintf(&b, mark+"%s"+end, i+1, s)
			}
			return b.String()
		}
	}
	return []form{
		{"a list", nil}, {"；", joined("；")}, {"，", joined("，")}, {"。", joined("。")}, {"lines", joined("\n")},
		{"1. ", numbered("%d. ", " ")}, {"1、", numbered("%d、", "；")}, {"（1）", numbered("（%d）", "")},
	}
}

// remember returns a memory of all mistakes on a page, with the defects in a form.
func remember(t *testing.T, tests []test, f form) *memtree.Memory {
	ctx := t.Context()
	m, err := memtree.Open(ctx, t.TempDir(), &memtree.Options{Deadline: time.Minute,
		Now: func() time.Time { return time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	wrong := false
	for _, x := range tests {
		truth, note := map[string]any{"has_defect": true}, ""
		if f.note == nil {
			truth["defect_details"] = x.defects
		} else {
			note = f.note(x.defects)
		}
		b, err := json.Marshal(truth)
		require.NoError(t, err)
		require.NoError(t, m.Record(ctx, memtree.Evaluation{
			ID: x.id, RunID: "night", CaseID: x.id, Scene: x.scene(), Scope: tree.Scope{Product: "demo"}, Prompt: x.prompt,
			Correct: &wrong, Reason: note, Judgment: tree.Raw(`{"has_defect":false}`), GroundTruth: b,
		}))
	}
	require.NoError(t, m.Wait(ctx))
	return m
}

func (x test) scene() tree.Scene { return tree.Scene{ID: x.page, Type: "page", Route: "/" + x.page} }

// ask returns the guidance for a test on a build.
func ask(t *testing.T, m *memtree.Memory, x test, seen string) memtree.Guidance {
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: x.prompt, Scene: x.scene(), Lang: "zh", Observation: seen,
		Scope: tree.Scope{Product: "demo", Test: x.id}})
	require.NoError(t, err)
	return g
}

func snapshot(t *testing.T, name string) string {
	b, err := os.ReadFile(filepath.Join("..", "..", "fact", "testdata", "pages", name+".aria.yaml"))
	require.NoError(t, err)
	return string(b)
}

const fine = "符合要求" // as required

// figures are numbers of answers for the tests of some pages.
type figures struct {
	tests, decided, defects, broken, holds, wrong int
	partial, told, allFine, fineBeside            int
	open, openFirst, asked                        int // asked: guidance asks whether a control should be disabled
	healthy, healthyOpen, healthySilent           int // healthy builds by guidance: all as required, open points, none
	other                                         map[string]int
}

// TestFacts requests guidance for each test of the benchmark, with all mistakes on its page remembered: on the build
// with the defects, on the healthy one, and on every build between that differs in one place from one of them. The
// pages at odd places of the alphabet were used during development; the others are reported separately.
func TestFacts(t *testing.T) {
	all := pages(t)
	names := slices.Sorted(maps.Keys(all))
	var record strings.Builder
	var bars golden.Bars
	facts := map[string]map[string][]string{} // by half and form: every fact in the guidance for a build
	for _, f := range forms() {
		for half, title := range []string{"used to build", "the others"} {
			n := figures{other: map[string]int{}}
			for i, name := range names {
				if i%2 == half {
					said := n.measure(t, all[name], f, names[(i+2)%len(names)])
					if facts[title] == nil {
						facts[title] = map[string][]string{}
					}
					facts[title][f.name] = append(facts[title][f.name], said...)
				}
			}
			fmt.Fprintf(&record, "%-8s %-14s tests decided %d of %d, defects %d; broken %d, holds %d, wrong %d\n", f.name, title,
				n.decided, n.tests, n.defects, n.broken, n.holds, n.wrong)
			fmt.Fprintf(&record, "%23s partly repaired %d, with a text %d, as required alone %d, beside something %d; "+
				"open %d, first %d\n", "",
				n.partial, n.told, n.allFine, n.fineBeside, n.open, n.openFirst)
			fmt.Fprintf(&record, "%23s asked whether a control should be disabled %d\n", "", n.asked)
			fmt.Fprintf(&record, "%23s healthy %d, told as required %d, told what is open %d, told nothing %d\n", "", n.tests/2,
				n.healthy, n.healthyOpen, n.healthySilent)
			for _, k := range slices.Sorted(maps.Keys(n.other)) {
				fmt.Fprintf(&record, "%23s %s: %d\n", "", k, n.other[k])
			}
			bars.Least("tests decided, "+f.name+", "+title, float64(n.decided)/float64(n.tests), 0.45)
			require.Zero(t, n.wrong, f.name)
			require.Zero(t, n.allFine+n.fineBeside, "a build that is partly repaired is told to be as required: "+f.name)
			require.Equal(t, n.open, n.openFirst, "what is open comes first")
			require.Equal(t, facts[title]["a list"], facts[title][f.name], "the same facts from a list and from %s", f.name)
		}
	}
	bars.Check(t)
	golden.Equal(t, filepath.Join("testdata", "facts.golden"), record.String())
}

// measure requests guidance for the tests of one page. It returns the facts of both builds.
func (n *figures) measure(t *testing.T, tests []test, f form, elsewhere string) []string {
	m := remember(t, tests, f)
	name := tests[0].page
	broken, healthy := snapshot(t, name+"-v2"), snapshot(t, name)
	var said []string
	for _, x := range tests {
		for seen, right := range map[string]string{broken: "broken", healthy: "holds"} {
			g := ask(t, m, x, seen)
			n.tests++
			if right == "holds" {
				n.healthy += min(1, strings.Count(g.Text, fine))
				n.healthyOpen += min(1, strings.Count(g.Text, "【所见还不能断定"))
				n.healthySilent += map[bool]int{true: 1}[g.Text == ""]
			}
			asks := func(f enhance.ToldFact) bool { return f.State == fact.Unknown.String() } // “check whether it should be”
			decided := slices.DeleteFunc(slices.Clone(g.Facts), asks)
			n.asked += min(1, len(g.Facts)-len(decided))
			n.decided += min(1, len(decided))
			var own []string
			for _, e := range decided {
				own = append(own, fmt.Sprintf("%s %s %s %s %d %s", x.id, right, e.State, e.Kind, e.Line, e.Text))
				if e.State != right {
					n.wrong++
					t.Logf("%s: %+v", x.id, e)
				}
			}
			slices.Sort(own)
			own = slices.Compact(own)
			n.defects += len(own)
			said = append(said, own...)
			n.broken += strings.Count(strings.Join(own, "\n"), " broken broken ")
			n.holds += strings.Count(strings.Join(own, "\n"), " holds holds ")
		}
		for _, seen := range between(broken, healthy) {
			n.partial++
			n.hear(ask(t, m, x, seen))
		}
		for _, build := range []string{"", "-v2"} {
			for _, e := range ask(t, m, x, snapshot(t, elsewhere+build)).Facts {
				n.other["another page"+build+", "+e.State]++
			}
		}
	}
	slices.Sort(said)
	return said
}

// hear counts the guidance for a build that is repaired in part.
func (n *figures) hear(g memtree.Guidance) {
	if g.Text != "" {
		n.told++
	}
	lines := strings.Split(g.Text, "\n")
	points := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(l, "- ") })
	good := slices.DeleteFunc(slices.Clone(points), func(l string) bool { return !strings.Contains(l, fine) })
	switch {
	case len(good) == 0:
	case len(good) == len(points):
		n.allFine++
	default:
		n.fineBeside++
	}
	open := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "【所见还不能断定") })
	facts := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "【页面现状") })
	if open >= 0 {
		n.open++
		if facts < 0 || open < facts {
			n.openFirst++
		}
	}
}

// between returns the builds between two snapshots: each has one place of the first as in the second, or one of the
// second as in the first. It returns none for snapshots that differ in one place.
func between(broken, healthy string) []string {
	a, b := strings.SplitAfter(broken, "\n"), strings.SplitAfter(healthy, "\n")
	hunks := differences(a, b)
	var out []string
	for k := range hunks {
		if len(hunks) > 1 {
			out = append(out, patched(a, b, hunks, func(i int) bool { return i == k }),
				patched(a, b, hunks, func(i int) bool { return i != k }))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// hunk is a difference: a[a0:a1] in one list corresponds to b[b0:b1] in the other.
type hunk struct{ a0, a1, b0, b1 int }

// differences aligns two lists of lines by their longest common subsequence.
func differences(a, b []string) []hunk {
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i, line := range slices.Backward(a) {
		for k := len(b) - 1; k >= 0; k-- {
			if line == b[k] {
				longest[i][k] = longest[i+1][k+1] + 1
			} else {
				longest[i][k] = max(longest[i+1][k], longest[i][k+1])
			}
		}
	}
	var out []hunk
	for i, k := 0, 0; i < len(a) || k < len(b); {
		if i < len(a) && k < len(b) && a[i] == b[k] {
			i, k = i+1, k+1
			continue
		}
		h := hunk{i, i, k, k}
		for i < len(a) || k < len(b) {
			if i < len(a) && k < len(b) && a[i] == b[k] {
				break
			}
			if k >= len(b) || i < len(a) && longest[i+1][k] >= longest[i][k+1] {
				i++
			} else {
				k++
			}
		}
		h.a1, h.b1 = i, k
		out = append(out, h)
	}
	return out
}

// patched returns a with the chosen hunks as in b.
func patched(a, b []string, hunks []hunk, take func(int) bool) string {
	var out strings.Builder
	at := 0
	for i, h := range hunks {
		out.WriteString(strings.Join(a[at:h.a0], ""))
		if take(i) {
			out.WriteString(strings.Join(b[h.b0:h.b1], ""))
		} else {
			out.WriteString(strings.Join(a[h.a0:h.a1], ""))
		}
		at = h.a1
	}
	out.WriteString(strings.Join(a[at:], ""))
	return out.String()
}
