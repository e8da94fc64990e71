package judge

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/tree"
)

// arm is a kind of text that is appended to the task.
type arm struct {
	name string
	of   func(mistake) *screen // whose defects are remembered; nil if the arm does not apply
	ask  func(q *memtree.Query, b build)
}

// arms are the measured arms, apart from no text and the empty frame.
var arms = []arm{
	{"actions", own, blind},
	{"random", foreign, blind},
	{"facts", own, look},
	{"random facts", foreign, look},
	{"known", own, know},
}

func own(x mistake) *screen     { return &x.screen }
func foreign(x mistake) *screen { return x.other }

// What the query contains of the build: nothing; the observation; or also its name, so that memory can recognise the
// build on which the verdict was wrong.
func blind(*memtree.Query, build)    {}
func look(q *memtree.Query, b build) { q.Observation = b.seen }
func know(q *memtree.Query, b build) { q.Observation, q.Scope.Build = b.seen, b.name }

// remember opens a memory of one mistake, on the page of x with the defects of what. The returned function gives the
// guidance for the next run of x's test.
func remember(t *testing.T, x mistake, what screen) func(a arm, b build) string {
	ctx := t.Context()
	m, err := memtree.Open(ctx, t.TempDir(), &memtree.Options{Deadline: time.Minute,
		Now: func() time.Time { return time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	scene := tree.Scene{ID: x.Route, Type: x.Type, Route: x.Route}
	wrong := false
	require.NoError(t, m.Record(ctx, memtree.Evaluation{
		ID: x.ID, RunID: "night1", CaseID: x.ID, Scene: scene, Scope: tree.Scope{Product: "demo", Build: x.builds[0].name},
		Prompt: x.Prompt, Correct: &wrong, Reason: evaluatorNote(what),
		Judgment:    raw(t, map[string]any{"has_defect": !x.Defect}),
		GroundTruth: raw(t, map[string]any{"has_defect": x.Defect, "defect_details": what.Details}),
	}))
	require.NoError(t, m.Wait(ctx))
	return func(a arm, b build) string {
		q := memtree.Query{Prompt: x.Prompt, Scene: scene, Scope: tree.Scope{Product: "demo", Test: x.ID}, Lang: "zh"}
		a.ask(&q, b)
		g, err := m.Guide(ctx, q)
		require.NoError(t, err)
		require.Empty(t, g.Note)
		return strings.TrimSpace(g.Text)
	}
}

// evaluatorNote returns the evaluator's note on the wrong verdict.
func evaluatorNote(s screen) string {
	if s.Defect {
		return strings.Join(s.Details, "；")
	}
	return "页面各项与任务相符，没有缺陷，判为有缺陷是误报"
}

func raw(t *testing.T, v any) tree.Raw {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return tree.Raw(b)
}
