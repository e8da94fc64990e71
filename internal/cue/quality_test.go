package cue

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
)

func shared(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		tb.Skip("the shared data is not here; set MEMTREE_SHARED to the folder that has data/ in it")
	}
	return filepath.Join(dir, "data")
}

// run has the fields of an evaluation that these tests read.
type run struct {
	Prompt, Reason string
	Judgment       struct{ Verdict, Reason string }
	Truth          struct {
		Defects []string `json:"defect_details"`
	} `json:"ground_truth"`
	Correct *bool
	Labels  struct{ Cause string }
}

func runsOf(tb testing.TB, path string) (list []run) {
	tb.Helper()
	f, err := os.Open(path)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, f.Close()) }()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 8<<20)
	for s.Scan() {
		var r run
		require.NoError(tb, json.Unmarshal(s.Bytes(), &r))
		list = append(list, r)
	}
	require.NoError(tb, s.Err())
	return list
}

// reads counts texts that were read: how many there are and how many got a check.
// causes counts the labelled causes of the texts of each check.
type reads struct {
	n, typed int
	causes   map[Topic]map[string]int
}

func (r *reads) add(c *Catalogue, e MissTexts, cause string) {
	r.n++
	m, ok := c.Missed(e)
	if !ok {
		return
	}
	r.typed++
	if r.causes == nil {
		r.causes = map[Topic]map[string]int{}
	}
	k := Topic{Check: m.Check}
	if r.causes[k] == nil {
		r.causes[k] = map[string]int{}
	}
	r.causes[k][cause]++
}

func (r *reads) share() float64 { return float64(r.typed) / float64(max(1, r.n)) }

// agree returns the share of typed texts whose cause is the most frequent one of
// their check.
func (r *reads) agree() float64 {
	right := 0
	for _, of := range r.causes {
		most := 0
		for _, n := range of {
			most = max(most, n)
		}
		right += most
	}
	return float64(right) / float64(max(1, r.typed))
}

// TestQualityOfChecks measures how many notes and defects get a check, and how
// many of these agree with the person who labelled them. MEMTREE_LESSONS points it
// at another suite.
func TestQualityOfChecks(t *testing.T) {
	data := shared(t)
	c := NewCatalogue(taxonomy.Default())
	var b golden.Bars

	dir := os.Getenv("MEMTREE_LESSONS")
	if dir == "" {
		dir = filepath.Join(data, "lessons", "suite-a")
	}
	by := map[string]*reads{"": {}, "zh": {}, "en": {}}
	for _, r := range runsOf(t, filepath.Join(dir, "runs.jsonl")) {
		if r.Correct == nil || *r.Correct || r.Reason == "" {
			continue
		}
		e := MissTexts{Said: text.Sentences(r.Reason), Claimed: r.Judgment.Reason, Task: r.Prompt,
			Direction: taxonomy.FalsePass}
		if r.Judgment.Verdict == "fail" {
			e.Direction = taxonomy.FalseFail
		}
		for _, lang := range []string{"", text.Lang(r.Reason)} {
			by[lang].add(c, e, r.Labels.Cause)
		}
	}
	b.Least("notes of the suite with a check", by[""].share(), 0.60)
	b.Least("of these, agree with the label", by[""].agree(), 0.85)
	for _, lang := range []string{"zh", "en"} {
		b.Tell("notes, "+lang+": with a check", by[lang].share())
		b.Tell("notes, "+lang+": agree", by[lang].agree())
	}

	gui := &reads{}
	for _, r := range runsOf(t, filepath.Join(data, "evaluations", "gui-zh.jsonl")) {
		for _, d := range r.Truth.Defects {
			gui.add(c, MissTexts{Said: []string{d}, Task: r.Prompt, Direction: taxonomy.FalsePass}, "")
		}
	}
	b.Least("defects of gui-zh with a check", gui.share(), 0.80)
	b.Check(t)
}
