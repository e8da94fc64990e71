package formation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// TestQualityGrounding measures which sentences about a run pass as grounded in it: what a person
// wrote about it and what was written about another run of the file, and the general sentence on
// its cause and on another cause. The note of the run itself is taken out of it before.
func TestQualityGrounding(t *testing.T) {
	data := shared(t)
	var b strings.Builder
	b.WriteString("Share of the sentences that pass as grounded in a run, its note taken out. own: its own;\n" +
		"other: that of seven other runs each. general: the sentence on the cause, which no run has.\n\n" +
		"set          runs  note own  other  general own  other\n")
	sets := []string{"lessons/suite-a/runs.jsonl", "evaluations/agentrx.jsonl", "evaluations/whoandwhen.jsonl"}
	for _, set := range sets {
		notes, general := groundingOf(t, filepath.Join(data, set))
		name := strings.TrimSuffix(filepath.Base(set), ".jsonl")
		if name == "runs" {
			name = "suite-a"
		}
		fmt.Fprintf(&b, "%-11s  %4d  %8.2f  %5.2f", name, notes.own, of(notes.ownPass, notes.own),
			of(notes.otherPass, notes.other))
		if general.own == 0 {
			b.WriteString("            –      –\n")
			continue
		}
		fmt.Fprintf(&b, "  %11.2f  %5.2f\n", of(general.ownPass, general.own), of(general.otherPass, general.other))
	}
	golden.Equal(t, "testdata/grounding.golden", b.String())
}

func of(n, of int) float64 { return float64(n) / float64(of) }

// passes counts sentences, and those that pass.
type passes struct{ own, ownPass, other, otherPass int }

func (p *passes) add(own, pass bool) {
	n := 0
	if pass {
		n = 1
	}
	if own {
		p.own, p.ownPass = p.own+1, p.ownPass+n
	} else {
		p.other, p.otherPass = p.other+1, p.otherPass+n
	}
}

func groundingOf(t *testing.T, path string) (notes, general passes) {
	t.Helper()
	f := New(Options{})
	var runs []tree.Evaluation
	for _, e := range evaluations(t, path) {
		if e.Reason != "" && (e.Correct == nil || !*e.Correct) {
			runs = append(runs, e)
		}
	}
	causes := causesOf(t, path)
	for i := range runs {
		e := runs[i]
		e.Reason = ""
		x := f.read(&e)
		f.readWrong(x)
		isAbout := func(said string) bool {
			m, _ := f.catalogue().Missed(cue.MissTexts{Said: []string{said}, Direction: x.judged.Direction})
			return f.isAbout(x, &prompts.AnalyseMiss{Check: m.Check, How: said})
		}
		for k := range 8 {
			other := runs[(i+7*k)%len(runs)]
			if k > 0 && (other.CaseID == e.CaseID || causes[other.ID] != "" && causes[other.ID] == causes[e.ID]) {
				continue
			}
			notes.add(k == 0, isAbout(other.Reason))
			if said := causes[other.ID]; said != "" {
				general.add(k == 0, isAbout(said))
			}
		}
	}
	return notes, general
}

// causesOf returns the general sentence on the cause of each run, by its id, where the file has
// labels.
func causesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(filepath.Dir(path), "causes.json"))
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	var all struct{ Causes []struct{ ID, Zh, En string } }
	require.NoError(t, json.Unmarshal(b, &all))
	said := map[string]string{}
	for _, c := range all.Causes {
		said[c.ID] = c.Zh
	}
	by := map[string]string{}
	lines(t, path, func(line []byte) {
		var r struct {
			ID     string
			Labels struct{ Cause string }
		}
		require.NoError(t, json.Unmarshal(line, &r))
		by[r.ID] = said[r.Labels.Cause]
	})
	return by
}
