package tree_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func anEvaluation() tree.Evaluation {
	return tree.Evaluation{RunID: "r1", CaseID: "CASE_1", Attempt: 1, Prompt: "check the form",
		Judgment: tree.Raw(`{"verdict": "pass"}`)}
}

func TestEvaluationCheckSaysWhatToDo(t *testing.T) {
	yes := true
	for _, tt := range []struct {
		field, want string
		do          func(*tree.Evaluation)
	}{
		{"", "", func(*tree.Evaluation) {}},
		{"prompt", "prompt is missing; say what the agent was asked to test", func(e *tree.Evaluation) { e.Prompt = "" }},
		{"judgment", "judgment is missing; say what the agent judged, in any JSON",
			func(e *tree.Evaluation) { e.Judgment = tree.Raw("null") }},
		{"judgment", "judgment is not JSON", func(e *tree.Evaluation) { e.Judgment = tree.Raw("{") }},
		{"ground_truth", "ground_truth nests deeper than 64", func(e *tree.Evaluation) {
			e.GroundTruth = tree.Raw(strings.Repeat("[", 65) + strings.Repeat("]", 65))
		}},
		{"direction", `direction is "sideways"; use false_pass, false_fail, other or environment`,
			func(e *tree.Evaluation) { e.Direction = "sideways" }},
		{"direction", "direction is given although correct is true; leave one of them out",
			func(e *tree.Evaluation) { e.Correct, e.Direction = &yes, taxonomy.FalsePass }},
		{"at", "at is in the year 9999; use the time of the run, such as 2026-01-28T09:00:00Z",
			func(e *tree.Evaluation) { e.At = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"attempt", "attempt is -1; use 1 for the first try", func(e *tree.Evaluation) { e.Attempt = -1 }},
		{"scene.id", "scene.id has 1025 bytes; the most is 1024",
			func(e *tree.Evaluation) { e.Scene.ID = strings.Repeat("x", 1025) }},
		{"reason", "reason has a NUL character in it; remove it", func(e *tree.Evaluation) { e.Reason = "a\x00" }},
		{"observation", "observation is not valid UTF-8", func(e *tree.Evaluation) { e.Observation = "\xff" }},
		{"scope.position", "scope.position is -1; use the zero-based place in suite_tests",
			func(e *tree.Evaluation) { e.Scope.Position = -1 }},
	} {
		e := anEvaluation()
		tt.do(&e)
		err := e.Check()
		if tt.want == "" {
			require.NoError(t, err)
			continue
		}
		var f *tree.FieldError
		require.ErrorAs(t, err, &f)
		require.Equal(t, tt.field, f.Field)
		require.Equal(t, tt.want, err.Error())
	}
}

func TestKeyAndDigest(t *testing.T) {
	a, b := anEvaluation(), anEvaluation()
	b.Judgment = tree.Raw(` {"verdict":"pass"} `)
	b.At = time.Now()
	require.Equal(t, a.Key(), b.Key(), "spacing and time are not part of a run's identity")
	require.Equal(t, a.Digest(), b.Digest())
	b.GroundTruth = tree.Raw(`{"verdict":"fail"}`)
	require.Equal(t, a.Key(), b.Key())
	require.NotEqual(t, a.Digest(), b.Digest())
	require.False(t, a.Labelled())
	require.True(t, b.Labelled())
	b.Attempt = 2
	require.NotEqual(t, a.Key(), b.Key())
	a.ID = "given"
	require.Equal(t, "given", a.Key())
}

func TestIdentify(t *testing.T) {
	night := time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		e    tree.Evaluation
		want string
	}{
		"an id is enough":        {tree.Evaluation{ID: "x", At: night, Trial: "t_1"}, ""},
		"a run id stays":         {tree.Evaluation{RunID: "r1", At: night, Trial: "t_1"}, "r1"},
		"a trial is one run":     {tree.Evaluation{At: night, Trial: "t_1"}, "t_1"},
		"a time":                 {tree.Evaluation{At: night}, "2026-01-28T09:00:00Z"},
		"the same time":          {tree.Evaluation{At: night.In(time.FixedZone("", 8*3600))}, "2026-01-28T09:00:00Z"},
		"nothing to tell it by":  {tree.Evaluation{Prompt: "p"}, ""},
		"a fraction of a second": {tree.Evaluation{At: night.Add(time.Millisecond)}, "2026-01-28T09:00:00.001Z"},
	} {
		e := tt.e
		e.Identify()
		require.Equal(t, tt.want, e.RunID, name)
		e.Identify()
		require.Equal(t, tt.want, e.RunID, "%s, twice", name)
	}
}

// TestKeysOfOldAreKept pins keys, because stores remember them for ever.
func TestKeysOfOldAreKept(t *testing.T) {
	e := anEvaluation()
	require.Equal(t, "v_wp5gmra2cf4mqdnau2la", e.Key())
	e.RunID, e.At = "", time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)
	require.Equal(t, "v_uihqzruvgvl64vplxz5g", e.Key(), "what an old outbox holds has a time and no run id")
}
