package gate

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// suite is a folder of judged runs and of drafts about them.
type suite struct {
	nodes  []*tree.Node            // cases, in the order they were formed
	of     map[string][]*tree.Node // by case id of the runs
	drafts []labelled
}

// labelled is a draft that a reader has called good or bad.
type labelled struct {
	ID, Lang, Verdict, Kind, Why string
	Cases                        []string
	Draft                        Draft
}

func shared(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("MEMTREE_LESSONS")
	if dir == "" {
		root := os.Getenv("MEMTREE_SHARED")
		if root == "" {
			root = filepath.Join("..", "..", "..", "shared")
		}
		dir = filepath.Join(root, "data", "lessons", "suite-a")
	}
	if _, err := os.Stat(filepath.Join(dir, "drafts.jsonl")); err != nil {
		tb.Skip("the shared data is not here; set MEMTREE_SHARED to the folder that has data/ in it")
	}
	return dir
}

func lines(tb testing.TB, path string, each func(line []byte)) {
	tb.Helper()
	f, err := os.Open(path)
	require.NoError(tb, err)
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 8<<20)
	for s.Scan() {
		each(s.Bytes())
	}
	require.NoError(tb, s.Err())
}

// none is a View in which no case is similar to another.
type none struct{ nodes map[string]*tree.Node }

func (n none) Get(_ context.Context, id string) (tree.Node, error) {
	if x, ok := n.nodes[id]; ok {
		return *x, nil
	}
	return tree.Node{}, tree.ErrNotFound
}

func (none) Similar(context.Context, *tree.Node, int) ([]tree.Node, error) { return nil, nil }

func read(tb testing.TB, dir string) *suite {
	tb.Helper()
	s := &suite{of: map[string][]*tree.Node{}}
	f, err := formation.New(formation.Options{})
	require.NoError(tb, err)
	known := none{map[string]*tree.Node{}}
	catalogue := cue.NewCatalogue(taxonomy.Default())
	lines(tb, filepath.Join(dir, "runs.jsonl"), func(line []byte) {
		var e tree.Evaluation
		require.NoError(tb, json.Unmarshal(line, &e))
		out, err := f.Form(context.Background(), e, known)
		require.NoError(tb, err)
		for _, c := range out.Changes {
			n := c.Node.Clone()
			if known.nodes[n.ID] == nil {
				s.nodes = append(s.nodes, &n)
				s.of[e.CaseID] = append(s.of[e.CaseID], &n)
			}
			if n.CaseData != nil && len(n.CaseData.Misses) == 0 {
				n.CaseData.Misses = misses(catalogue, &n)
			}
			known.nodes[n.ID] = &n
		}
	})
	lines(tb, filepath.Join(dir, "drafts.jsonl"), func(line []byte) {
		var d labelled
		require.NoError(tb, json.Unmarshal(line, &d))
		s.drafts = append(s.drafts, d)
	})
	return s
}

// misses reads the check that was missed as formation does, where it has not.
func misses(c *cue.Catalogue, n *tree.Node) []tree.Miss {
	d := n.CaseData
	e := cue.Evidence{Said: append([]string{d.EvaluatorReason}, values(d.TestCase.GroundTruth)...),
		Task: d.TestCase.Prompt, Direction: n.Direction}
	r, ok := c.Missed(e)
	if !ok {
		return nil
	}
	return []tree.Miss{{Check: r.Check, ErrorType: n.ErrorType, How: d.EvaluatorReason, From: tree.FromPerson,
		Sure: r.Sure}}
}

// about is the group a draft was written for. A test that ran several times
// stands for itself with all of its runs.
func (s *suite) about(d *labelled) *About {
	a := &About{Type: tree.Experience}
	zh, votes := 0, map[string]int{}
	for _, id := range d.Cases {
		a.Members = append(a.Members, s.of[id]...)
	}
	for _, n := range a.Members {
		if n.Lang == "zh" {
			zh++
		}
		for _, m := range n.CaseData.Misses {
			votes[m.Check]++
		}
		a.ErrorType, a.Direction = n.ErrorType, n.Direction
	}
	for check, n := range votes {
		if check != "" && 2*n > len(a.Members) {
			a.Check = check
		}
	}
	a.Lang = "en"
	if 2*zh > len(a.Members) || 2*zh == len(a.Members) && a.Members[0].Lang == "zh" {
		a.Lang = "zh"
	}
	a.Shown = a.Members
	return a
}

// draft is the draft with the ids of nodes for those of runs. An id that no run
// of the group has stays, and is of no member.
func (s *suite) draft(d *labelled) *Draft {
	out := d.Draft
	out.Lessons = slices.Clone(out.Lessons)
	for i := range out.Lessons {
		var cites []string
		for _, id := range out.Lessons[i].Cites {
			if len(s.of[id]) == 0 {
				cites = append(cites, id)
			}
			for _, n := range s.of[id] {
				cites = append(cites, n.ID)
			}
		}
		out.Lessons[i].Cites = cites
	}
	out.Clean()
	return &out
}

func judge(tb testing.TB) *Gates {
	tb.Helper()
	return New(taxonomy.Default(), guard.Instructs, guard.Forces)
}

// The bars: shares of drafts that the gates are to be right about.
const (
	leastPassed  = 0.85 // of good ones
	leastRefused = 0.90 // of bad ones
)

// tally counts what became of drafts.
type tally struct{ right, all int }

func (c tally) share() float64 { return float64(c.right) / float64(max(1, c.all)) }

// swapped puts every good draft on other groups of its language and direction, whose
// cases missed other checks. There it is wrong about the cause. swapped counts how many
// are refused.
func (s *suite) swapped(j *Gates) tally {
	var sum tally
	for i := range s.drafts {
		for k := range s.drafts {
			d, other := s.drafts[i], &s.drafts[k]
			if i == k || d.Verdict != "good" || other.Verdict != "good" {
				continue
			}
			own, a := s.about(&d), s.about(other)
			if a.Lang != own.Lang || a.Direction != own.Direction || shareCauses(own, a) {
				continue
			}
			d.Draft.Lessons = slices.Clone(d.Draft.Lessons)
			for l := range d.Draft.Lessons {
				d.Draft.Lessons[l].Cites = other.Cases
			}
			sum.all++
			if len(j.Refuses(a, s.draft(&d))) > 0 {
				sum.right++
			}
		}
	}
	return sum
}

// shareCauses reports whether two groups share a case, or a check that was missed.
func shareCauses(a, b *About) bool {
	has := map[string]bool{}
	for _, n := range a.Members {
		has[n.ID] = true
		for _, m := range n.CaseData.Misses {
			has[m.Check] = m.Check != ""
		}
	}
	return slices.ContainsFunc(b.Members, func(n *tree.Node) bool {
		return has[n.ID] || slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool { return has[m.Check] })
	})
}

// TestQualityOfGates measures the gates on drafts that readers have called good
// or bad. MEMTREE_LESSONS names another suite, which is only reported.
func TestQualityOfGates(t *testing.T) {
	dir := shared(t)
	s := read(t, dir)
	j := judge(t)
	good, bad, kinds := tally{}, tally{}, map[string]*tally{}
	var wrong strings.Builder
	for i := range s.drafts {
		d := &s.drafts[i]
		why := j.Refuses(s.about(d), s.draft(d))
		if kinds[d.Kind] == nil {
			kinds[d.Kind] = &tally{}
		}
		sum, right := &bad, len(why) > 0
		if d.Verdict == "good" {
			sum, right = &good, len(why) == 0
		}
		sum.all++
		kinds[d.Kind].all++
		if right {
			sum.right++
			kinds[d.Kind].right++
			continue
		}
		fmt.Fprintf(&wrong, "  %s %s: %s\n", d.ID, d.Kind, cmp.Or(strings.Join(why, "; "), "passed"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "good drafts passed  %d of %d, %.2f; bar %.2f\n", good.right, good.all, good.share(), leastPassed)
	fmt.Fprintf(&b, "bad drafts refused  %d of %d, %.2f; bar %.2f\n", bad.right, bad.all, bad.share(), leastRefused)
	swapped := s.swapped(j)
	fmt.Fprintf(&b, "good drafts on the cases of another group refused  %d of %d, %.2f\n", swapped.right, swapped.all,
		swapped.share())
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&b, "  %-24s %d of %d\n", k, kinds[k].right, kinds[k].all)
	}
	report := b.String() + "wrongly judged:\n" + wrong.String()
	t.Log("\n" + b.String())
	if os.Getenv("MEMTREE_LESSONS") != "" {
		if testing.Verbose() && os.Getenv("MEMTREE_BLIND") == "" {
			t.Log("\n" + report)
		}
		return
	}
	golden.Equal(t, "testdata/quality.golden", report)
	require.GreaterOrEqual(t, good.share(), leastPassed)
	require.GreaterOrEqual(t, bad.share(), leastRefused)
}
