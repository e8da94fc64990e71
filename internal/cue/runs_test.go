package cue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
)

// wrongRun is a run of testdata/runs: who wrote it, the index of the check that was missed, and its texts.
type wrongRun struct {
	voice string
	check int
	MissTexts
}

// wrongRuns reads testdata/runs. It requires two runs of every check from each voice, in a direction of the check.
func wrongRuns(tb testing.TB) (all []wrongRun) {
	tb.Helper()
	place, count := map[string]int{}, map[string]int{}
	checks := taxonomy.Default().Checks()
	for i := range checks {
		place[checks[i].ID] = i
	}
	directions := map[string]taxonomy.Direction{"pass": taxonomy.FalsePass, "fail": taxonomy.FalseFail}
	files, err := filepath.Glob("testdata/runs/*.tsv")
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	for _, name := range files {
		data, err := os.ReadFile(name) //nolint:gosec // ours
		require.NoError(tb, err)
		voice := strings.TrimSuffix(filepath.Base(name), ".tsv")
		for line := range strings.Lines(string(data)) {
			if line[0] == '#' {
				continue
			}
			f := strings.Split(strings.TrimSpace(line), "\t")
			require.Len(tb, f, 6, "%s: %s", name, line)
			require.Contains(tb, place, f[1], "%s: %s", name, line)
			require.Contains(tb, directions, f[2], "%s: %s", name, line)
			i, d := place[f[1]], directions[f[2]]
			require.True(tb, checks[i].Speaks(d), "%s: %s", name, line)
			all = append(all, wrongRun{voice, i,
				MissTexts{Said: text.Sentences(f[5]), Claimed: f[4], Task: f[3], Direction: d}})
			count[voice+" "+f[1]]++
		}
	}
	require.Len(tb, count, len(files)*len(checks))
	for k, n := range count {
		require.Equal(tb, 2, n, k)
	}
	return all
}

// TestRunsKeptBack measures how notes are read that nothing was learned from: at which rank the right check is by the
// note, the agent's reason and the task, each alone and together, and how many notes have a check.
func TestRunsKeptBack(t *testing.T) {
	c, runs := NewCatalogue(taxonomy.Default()), wrongRuns(t)
	ways := []struct {
		name string
		keep func(e MissTexts) MissTexts
	}{
		{"note", func(e MissTexts) MissTexts { return MissTexts{Said: e.Said, Direction: e.Direction} }},
		{"reason", func(e MissTexts) MissTexts { return MissTexts{Claimed: e.Claimed, Direction: e.Direction} }},
		{"task", func(e MissTexts) MissTexts { return MissTexts{Task: e.Task, Direction: e.Direction} }},
		{"all", func(e MissTexts) MissTexts { return e }},
	}
	var b strings.Builder
	for _, way := range ways {
		r := &ranks{probability: map[int][2][]float64{}}
		for i := range runs {
			r.add(&calledTask{check: runs[i].check}, c.probabilities(way.keep(runs[i].MissTexts)))
		}
		fmt.Fprintf(&b, "%-7s %v\n", way.name, r)
	}
	every, of, voices := &typed{}, map[string]*typed{}, []string(nil)
	for i := range runs {
		x := &runs[i]
		if of[x.voice] == nil {
			of[x.voice], voices = &typed{}, append(voices, x.voice)
		}
		of[x.voice].add(c, x)
		every.add(c, x)
	}
	fmt.Fprintf(&b, "%-7s %v\n", "every", every)
	for _, v := range voices {
		fmt.Fprintf(&b, "%-7s %v\n", v, of[v])
	}
	golden.Equal(t, "testdata/runs.golden", b.String())
}

// typed counts notes, those that have a check, and those that have the right one.
type typed struct{ n, some, right int }

func (r *typed) add(c *Catalogue, x *wrongRun) {
	const plainNote = 0.80 // as in package formation, the least Sure of a check that a case has from its note
	r.n++
	if m, ok := c.Missed(x.MissTexts); ok && m.Sure >= plainNote {
		r.some++
		if m.Check == c.checks[x.check].ID {
			r.right++
		}
	}
}

func (r *typed) String() string {
	return fmt.Sprintf("%d notes  with a check %.3f  of these right %.3f",
		r.n, float64(r.some)/float64(r.n), float64(r.right)/float64(max(1, r.some)))
}
