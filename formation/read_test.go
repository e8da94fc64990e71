package formation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// reader is a model that answers for each run that is shown to it, except those whose task contains a certain word.
type reader struct {
	mu    sync.Mutex
	asked []string
	skips string
}

func (m *reader) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, r.Prompt)
	_, data, _ := strings.Cut(r.Prompt, "<data")
	var runs []map[string]any
	for i, run := range strings.Split(data, "\n#")[1:] {
		if m.skips == "" || !strings.Contains(run, m.skips) {
			runs = append(runs, map[string]any{"run": i + 1, "misses": []any{map[string]any{
				"how": "", "check": "misread_screen", "what": []string{}, "instead": ""}}})
		}
	}
	b, err := json.Marshal(map[string]any{"runs": runs})
	return llm.Answer{JSON: b, Model: "reader"}, err
}

func screens(t *testing.T, f *Former, n int) []*DetectedRun {
	t.Helper()
	runs := make([]*DetectedRun, n)
	for i := range runs {
		e := sample()
		e.ID, e.CaseID = fmt.Sprint("run-", i), fmt.Sprint("case-", i)
		e.Prompt = fmt.Sprintf("Tell me what screen (%d) shows", i)
		r, err := f.Detect(t.Context(), e)
		require.NoError(t, err)
		runs[i] = r
	}
	return runs
}

// Ten runs are sent in one question, each evidence once, and a known case not at all.
func TestReadAsksInTens(t *testing.T) {
	model, m := &reader{}, &memory{}
	f := New(Options{Generator: model})
	runs := screens(t, f, 23)
	known, err := f.Insert(t.Context(), m, runs[0]) // before it was read
	require.NoError(t, err)
	require.True(t, known.Changes[0].Node.Provenance.Again)
	m.apply(known.Changes)
	runs = append(runs, screens(t, f, 2)...) // the first is known, the second is the same as another
	require.NoError(t, f.Read(t.Context(), m, runs))
	require.Len(t, model.asked, 3)
	require.NoError(t, f.Read(t.Context(), m, runs))
	require.Len(t, model.asked, 3, "nothing is asked twice")
	all := strings.Join(model.asked, "\n")
	require.NotContains(t, all, "screen (0)")
	require.Equal(t, 1, strings.Count(all, "screen (1) "))
	for i, r := range runs[1:23] {
		out, err := f.Insert(t.Context(), m, r)
		require.NoError(t, err)
		require.NoError(t, out.ModelErr)
		require.Equal(t, "misread_screen", out.Changes[0].Node.CaseData.Misses[0].Check, i)
		again, err := f.Insert(t.Context(), m, r)
		require.NoError(t, err)
		require.Equal(t, out, again, "a run may be inserted again")
	}
	require.NoError(t, runs[24].read.err, "the same evidence has the same reading")
}

// A run that is not in the answer waits; the others of that answer are used. Read again in vain it waits no longer.
func TestReadDropsABadRun(t *testing.T) {
	model, m := &reader{skips: "screen (3)"}, &memory{}
	f := New(Options{Generator: model})
	runs := screens(t, f, prompts.MaxRuns)
	require.NoError(t, f.Read(t.Context(), m, runs))
	var waiting []tree.Node
	for i, r := range runs {
		out, err := f.Insert(t.Context(), m, r)
		require.NoError(t, err)
		n := out.Changes[0].Node
		require.Equal(t, i == 3, Waits(&n))
		require.Equal(t, i == 3, llm.Answered(out.ModelErr))
		if i == 3 {
			waiting = append(waiting, n)
		}
	}
	f = f.With(&reader{})
	read, why := f.Again(t.Context(), waiting)
	require.Empty(t, why)
	require.Equal(t, "misread_screen", read[0].CaseData.Misses[0].Check)
	f = f.With(model)
	read, why = f.Again(t.Context(), waiting)
	require.True(t, llm.Answered(why[waiting[0].ID]))
	require.Equal(t, "rules", read[0].Provenance.Analyst)
	require.False(t, Waits(&read[0]))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, f.Read(stopped, m, screens(t, f, 1)), context.Canceled)
}
