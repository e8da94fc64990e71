package transfer_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// forest is a tree in memory to which plans can be applied.
type forest map[string]tree.Node

func (f forest) Get(_ context.Context, id string) (tree.Node, error) {
	n, ok := f[id]
	if !ok {
		return tree.Node{}, tree.ErrNotFound
	}
	return n.Clone(), nil
}

func (f forest) Scan(_ context.Context, filter store.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		for _, n := range f.nodes() {
			if filter.Match(&n) && !yield(n, nil) {
				return
			}
		}
	}
}

func (f forest) nodes() []tree.Node {
	out := slices.Collect(maps.Values(f))
	slices.SortFunc(out, func(a, b tree.Node) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// take imports a file and applies the plan, and checks the laws as memtree.Memory does.
func (f forest) take(t require.TestingT, nodes []tree.Node, o transfer.PlannerOptions) transfer.ImportPlan {
	p := transfer.NewPlanner(f, o)
	defer func() { require.NoError(t, p.Close()) }()
	for _, n := range nodes {
		require.NoError(t, p.Add(context.Background(), n))
	}
	plan, err := p.Plan(context.Background())
	require.NoError(t, err)
	changed := 0
	for family, err := range p.Batches(4096) {
		require.NoError(t, err)
		changed += len(family)
		for _, c := range family {
			require.Equal(t, f[c.Node.ID].Revision, c.Basis[c.Node.ID])
			require.NoError(t, tree.Check(&c.Node))
			f[c.Node.ID] = c.Node
		}
		for _, c := range family {
			require.NoError(t, tree.CheckLinks(context.Background(), &c.Node, f.Get))
		}
	}
	require.Equal(t, plan.Changes, changed)
	for _, n := range f.nodes() { // also those that were not touched
		require.NoError(t, tree.CheckLinks(context.Background(), &n, f.Get))
	}
	return plan
}

// anExperience returns an experience over cases, and makes it their parent.
func anExperience(f forest, cases ...string) tree.Node {
	slices.Sort(cases)
	n := aCase("above")
	n.Type, n.Level, n.CaseData, n.Occurrences = tree.Experience, 2, nil, []tree.Occurrence{}
	n.Children = cases
	n.ID = tree.GroupID(tree.Experience, n.ErrorType, n.Direction, cases)
	for _, id := range cases {
		k := f[id]
		k.Parent = n.ID
		f[id] = k
	}
	f[n.ID] = n
	return n
}

// grown draws a tree of one team.
func grown(t *rapid.T) forest {
	f := forest{}
	var ids []string
	for i := range rapid.IntRange(1, 6).Draw(t, "cases") {
		n := variant(t, aCase(fmt.Sprint("case-", i)))
		n.Revision = 1
		f[n.ID] = n
		ids = append(ids, n.ID)
	}
	if rapid.Bool().Draw(t, "abstract") {
		anExperience(f, rapid.Permutation(ids).Draw(t, "children")[:rapid.IntRange(1, len(ids)).Draw(t, "many")]...)
	}
	return f
}

// TestAnyOrderOfImportsIsTheSameTree: three teams' exports, in any order, any
// number of times, give byte-equal trees, and the second time nothing changes.
func TestAnyOrderOfImportsIsTheSameTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := [][]tree.Node{grown(t).nodes(), grown(t).nodes(), grown(t).nodes()}
		var want []tree.Node
		for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2, 1}} {
			f := forest{}
			for _, i := range order {
				f.take(t, files[i], transfer.PlannerOptions{Trust: true})
				again := f.take(t, files[i], transfer.PlannerOptions{Trust: true})
				require.Empty(t, again.Changes, "again changes nothing: %+v %+v", again, f)
			}
			got := f.nodes()
			for i := range got {
				got[i] = transfer.Canonical(got[i])
			}
			if want == nil {
				want = got
			}
			require.Equal(t, want, got)
		}
	})
}

// TestAStrangersFileChangesNothingInUse: whatever a file has that is not trusted, the nodes in use
// stay the same byte for byte, and no others are in use.
func TestAStrangersFileChangesNothingInUse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ours, theirs := grown(t), grown(t)
		before := map[string]tree.Node{}
		for id, n := range ours {
			before[id] = n.Clone()
		}
		file := theirs.nodes()
		o := transfer.PlannerOptions{Origin: "o_a"}
		ours.take(t, file, o)
		require.Empty(t, ours.take(t, file, o).Changes, "again changes nothing")
		for id, n := range ours {
			was, known := before[id]
			if known && was.Status != tree.Quarantined {
				require.Equal(t, was, n)
			}
			if !known {
				require.False(t, n.Live())
				require.Empty(t, n.Mark)
				require.Equal(t, "import", n.Provenance.By)
				require.NotContains(t, n.Counters, "o_a", "nobody counts in our name")
			}
		}
	})
}

// TestParentsSettle: one team's edit of a case wins, in which the case has no parent. It has its parent nevertheless,
// because the parent has it as a child.
func TestParentsSettle(t *testing.T) {
	ours, theirs := forest{}, forest{}
	n := aCase("one")
	ours[n.ID] = n
	above := anExperience(ours, n.ID)
	n.Content.Guidance = "two"
	theirs[n.ID] = n
	for _, order := range [][]forest{{ours, theirs}, {theirs, ours}} {
		f := forest{}
		for _, file := range order {
			f.take(t, file.nodes(), transfer.PlannerOptions{Trust: true})
		}
		require.Equal(t, above.ID, f[n.ID].Parent)
	}
}

// TestRetypedCasesLeaveTheirExperience: a case that gets another type is no longer a child of its
// experience, in whatever order the files are imported.
func TestRetypedCasesLeaveTheirExperience(t *testing.T) {
	ours, theirs := forest{}, forest{}
	one, two := aCase("one"), aCase("two")
	ours[one.ID], ours[two.ID] = one, two
	above := anExperience(ours, one.ID, two.ID)
	alone := aCase("three")
	ours[alone.ID] = alone
	above2 := anExperience(ours, alone.ID)
	for _, n := range []tree.Node{one, alone} {
		n.ErrorType = "business_rule_error"
		n.Metadata.UpdatedAt = n.Metadata.UpdatedAt.Add(time.Hour)
		theirs[n.ID] = n
	}
	var want []tree.Node
	for _, order := range [][]forest{{ours, theirs}, {theirs, ours}} {
		f := forest{}
		for _, file := range order {
			f.take(t, file.nodes(), transfer.PlannerOptions{Trust: true})
		}
		require.Equal(t, []string{two.ID}, f[above.ID].Children)
		require.Empty(t, f[one.ID].Parent)
		require.Equal(t, tree.Retired, f[above2.ID].Status, "it stands on nothing now")
		got := f.nodes()
		for i := range got {
			got[i] = transfer.Canonical(got[i])
		}
		if want == nil {
			want = got
		}
		require.Equal(t, want, got)
	}
}

// TestHostileTrees: of circles, huge texts and forged ids, a tree takes only what is lawful,
// whether the file is trusted or not.
func TestHostileTrees(t *testing.T) {
	one, huge, forged := aCase("one"), aCase("huge"), aCase("forged")
	above := anExperience(forest{one.ID: one}, one.ID)
	circle := above.Clone()
	circle.ID = "e_circle"
	circle.Children, circle.Parent, above.Parent = []string{above.ID}, above.ID, circle.ID
	above.Children = []string{circle.ID, one.ID}
	slices.Sort(above.Children)
	self := above.Clone()
	self.ID, self.Parent, self.Children = "e_self", "e_self", []string{"e_self"}
	one.Parent = "s_nowhere"
	huge.Content.Lessons[0].Check = strings.Repeat("x", 1<<20)
	huge.Content.Lessons[0].ID = tree.LessonID(huge.Content.Lessons[0])
	forged.CaseData.TestCase.Prompt = "another"
	for _, trust := range []bool{false, true} {
		f := forest{}
		plan := f.take(t, []tree.Node{above, circle, self, one, huge, forged}, transfer.PlannerOptions{Trust: trust})
		require.Equal(t, 3, plan.Counts[transfer.Rejected])
		require.Equal(t, []string{one.ID}, f[above.ID].Children)
		require.Empty(t, f[above.ID].Parent)
		require.Empty(t, f[circle.ID].Children)
		alone := f[circle.ID]
		require.False(t, alone.Live(), "it stands on nothing")
	}
}

func TestPlanSaysWhatAndWhy(t *testing.T) {
	f := forest{}
	have, other := aCase("have"), aCase("have")
	f[have.ID] = have
	other.Content.Lessons[0].Check = "other words"
	other.Content.Lessons[0].ID = tree.LessonID(other.Content.Lessons[0])
	forged := aCase("forged")
	forged.Content.Guidance, forged.Content.Lessons = "", nil
	alone := aCase("alone")
	above := anExperience(forest{alone.ID: alone}, alone.ID)
	p := f.take(t, []tree.Node{other, forged, above}, transfer.PlannerOptions{})
	require.Equal(t, map[transfer.Class]int{transfer.New: 1, transfer.Same: 0, transfer.Newer: 0, transfer.Conflicting: 0,
		transfer.Held: 1, transfer.Rejected: 1}, p.Counts)
	for _, i := range p.Items {
		switch i.ID {
		case have.ID:
			require.Equal(t, "lessons", i.Conflicts[0].Part)
		case forged.ID:
			require.Contains(t, i.Why, "it says what to check")
		case above.ID:
			require.Equal(t, transfer.New, i.Class, "quarantined, it may stand on nothing")
		}
	}
	trusted := f.take(t, []tree.Node{other, above}, transfer.PlannerOptions{Trust: true})
	require.Equal(t, 1, trusted.Counts[transfer.Conflicting])
	require.Len(t, f[have.ID].Content.Lessons, 2)
}
