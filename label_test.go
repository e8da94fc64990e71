package memtree_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// ids of so many verdicts that wait in a crowded memory.
func crowd(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("run-%05d", 400+i))
	}
	return out
}

func cases(t testing.TB, m *memtree.Memory) (n int) {
	t.Helper()
	for k, err := range m.Tree().Scan(t.Context(), store.Filter{Level: 1}) {
		require.NoError(t, err)
		if k.Live() {
			n += len(k.Occurrences)
		}
	}
	return n
}

// Many verdicts are labelled as one act. Those with an earlier decision stay as they are, and one undo takes all of
// the others back.
func TestLabelMany(t *testing.T) {
	m := crowded(t, 200)
	c, wrong, right := m.Curation(), false, true
	before := cases(t, m)
	one, err := c.Label(t.Context(), crowd(1), curation.Truth{Correct: &right}, curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Len(t, one.Verdicts, 1)
	require.Equal(t, "run-00400", one.Action.Evaluation)

	d, err := c.Label(t.Context(), append(crowd(100), "nobody", "run-00410"),
		curation.Truth{Correct: &wrong, Reason: "It did not add up."}, curation.Options{By: "bob", Why: "the same night"})
	require.NoError(t, err)
	require.Len(t, d.Verdicts, 99)
	require.Equal(t, []string{"nobody"}, d.Unkept)
	require.Len(t, d.Decided, 1)
	require.Equal(t, "ann", d.Decided[0].By)
	require.True(t, d.Decided[0].Correct)
	for i := range d.Verdicts {
		require.Contains(t, []string{"false_pass", "false_fail"}, string(d.Verdicts[i].Direction), "each in its own way")
		require.NotEmpty(t, d.Verdicts[i].Node)
	}
	require.Equal(t, before+99, cases(t, m))
	waiting := func() int {
		box, err := m.Inbox().Find(t.Context(), find.Query{}, 0, 1)
		require.NoError(t, err)
		return box.Total
	}
	require.Equal(t, 100, waiting())

	_, err = c.Relabel(t.Context(), "run-00420", curation.Truth{Correct: &right}, curation.Options{By: "bob"})
	require.NoError(t, err)
	_, err = c.Undo(t.Context(), d.Action.ID, curation.Options{By: "bob"})
	var refused *curation.RefusedError
	require.ErrorAs(t, err, &refused, "somebody said otherwise of one since")
	require.Equal(t, curation.Since, refused.Why)
	_, err = c.Undo(t.Context(), "run-00420", curation.Options{By: "bob"})
	require.NoError(t, err)
	u, err := c.Undo(t.Context(), d.Action.ID, curation.Options{By: "bob"})
	require.NoError(t, err)
	require.Len(t, u.Undone.Verdicts, 99)
	require.Equal(t, 199, waiting())
	require.Equal(t, before, cases(t, m))

	again, err := c.Label(t.Context(), crowd(1), curation.Truth{Correct: &wrong}, curation.Options{})
	require.NoError(t, err)
	require.Empty(t, again.Verdicts)
	require.Empty(t, again.Action.ID, "nothing was written")
	_, err = c.Label(t.Context(), make([]string, 100_000), curation.Truth{Correct: &right}, curation.Options{})
	var many *tree.FieldError
	require.ErrorAs(t, err, &many)
}

// Of people who decide one verdict at once, one is heard; the others see who it was.
func TestLabelAtOnce(t *testing.T) {
	m := crowded(t, 20)
	var all sync.WaitGroup
	heard, decided := make([]int, 6), make([]int, 6)
	for i := range heard {
		all.Go(func() {
			right := i%2 == 0
			d, err := m.Curation().Label(t.Context(), crowd(1), curation.Truth{Correct: &right},
				curation.Options{By: fmt.Sprint("person ", i)})
			if err != nil {
				t.Error(err)
				return
			}
			heard[i], decided[i] = len(d.Verdicts), len(d.Decided)
		})
	}
	all.Wait()
	sum := func(list []int) (n int) {
		for _, k := range list {
			n += k
		}
		return n
	}
	require.Equal(t, 1, sum(heard))
	require.Equal(t, 5, sum(decided))
}

// A label is refused whose direction the judgment excludes.
func TestLabelContrary(t *testing.T) {
	m := crowded(t, 200)
	wrong := false
	for _, d := range []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail} {
		_, err := m.Curation().Label(t.Context(), crowd(20), curation.Truth{Correct: &wrong, Direction: d},
			curation.Options{By: "ann"})
		var field *tree.FieldError
		require.ErrorAs(t, err, &field, d) // they are passes and fails
		require.Equal(t, "direction", field.Field)
	}
}

// BenchmarkLabel: 500 verdicts of 10,000 that wait are labelled at once, right and wrong.
func BenchmarkLabel(b *testing.B) {
	for _, right := range []bool{true, false} {
		b.Run(fmt.Sprint("right=", right), func(b *testing.B) {
			m := crowded(b, 10_000)
			for b.Loop() {
				d, err := m.Curation().Label(b.Context(), crowd(500), curation.Truth{Correct: &right}, curation.Options{})
				require.NoError(b, err)
				require.Len(b, d.Verdicts, 500)
				b.StopTimer()
				_, err = m.Curation().Undo(b.Context(), d.Action.ID, curation.Options{})
				require.NoError(b, err)
				b.StartTimer()
			}
		})
	}
}
