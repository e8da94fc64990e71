package brief

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
)

// names is a model that names the second memory for the first so many tests.
type names int

func (n names) Generate(_ context.Context, q llm.Request) (llm.Answer, error) {
	picks := []prompts.BriefPick{}
	for i := range min(int(n), strings.Count(q.Prompt, "garage")) {
		picks = append(picks, prompts.BriefPick{Test: fmt.Sprint("t", i+1), Memory: "m2", Because: "Count the cars"})
	}
	raw, err := json.Marshal(map[string]any{"told": picks})
	return llm.Answer{JSON: raw, Model: "local"}, err
}

// TestSilentReader: a reader that picks a memory for few of the tests for which the search finds one is not trusted,
// and none of its picks is used.
func TestSilentReader(t *testing.T) {
	var tests []string
	for i := range 20 {
		tests = append(tests, fmt.Sprintf("Count the cars of garage number %d.", i))
	}
	read := func(t *testing.T, b *Book, questions []ReadingTask, named, found int) ReadCounts {
		t.Helper()
		r := modelReader{Model: names(named), Now: func() time.Time { return monday }}
		r.Found = func(*UpcomingTest) bool { found--; return found >= 0 }
		var all ReadCounts
		for i := range questions {
			d, err := r.Read(t.Context(), b, questions[i])
			require.NoError(t, err)
			all.Add(d)
		}
		return all
	}
	usable := func(b *Book) (n int) {
		for _, p := range tests {
			if _, ok := b.Find(&UpcomingTest{Prompt: p}); ok {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		name         string
		named, found int
		trusted      bool
	}{
		{"silent", 0, 12, false},
		{"nearly silent", 2, 12, false},
		{"as a capable reader", 7, 12, true},
		{"words find few", 0, 7, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, open := fresh(t, nodes(), tests...)
			d := read(t, b, open, c.named, c.found)
			if c.trusted {
				require.Equal(t, len(tests), usable(b))
				require.Empty(t, d.Refused)
				return
			}
			require.Zero(t, usable(b))
			require.Contains(t, d.Refused[0], fmt.Sprintf("it named a memory for %d of %d tests", c.named, c.found))
			require.Zero(t, b.Known().Read+b.Known().Told)
			require.True(t, b.List()[0].Refused)
		})
	}
	t.Run("one test at a time", func(t *testing.T) {
		b, _ := fresh(t, nodes())
		for i, p := range tests {
			list := expect(t, b, monday, p)
			read(t, b, b.Plan(list, QuestionLimits{}, nil), 0, 1)
			want := 0
			if i < fewFound-1 {
				want = i + 1
			}
			require.Equal(t, want, usable(b))
		}
	})
	t.Run("words find as many by chance", func(t *testing.T) {
		b, _ := fresh(t, nodes())
		for i := range 50 {
			list := expect(t, b, monday, fmt.Sprintf("Say hello to number %d", i))
			read(t, b, b.Plan(list, QuestionLimits{}, nil), 0, min(1, max(0, 10-i)))
		}
		require.Equal(t, 50, b.Known().Read)
	})
	t.Run("another model under the same name", func(t *testing.T) {
		b, open := fresh(t, nodes(), tests...)
		read(t, b, open, 0, 12)
		var file bytes.Buffer
		require.NoError(t, b.Save(&file))
		b, err := Load(&file)
		require.NoError(t, err)
		list := b.Since(monday)
		require.Zero(t, usable(b), "what is saved is not trusted either")
		require.Empty(t, b.Plan(list, QuestionLimits{}, nil))
		b.Learn(Memories(append(nodes(), wrong("c_9", "Another", "note")), nil))
		open = b.Plan(list, QuestionLimits{}, nil)
		require.Len(t, open, 1)
		_, memories := open[0].Size()
		require.Equal(t, 3, memories, "all is read again once there is another memory")
		read(t, b, open, 10, 12)
		require.Equal(t, len(tests), usable(b))
	})
}
