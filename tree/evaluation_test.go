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
	return tree.Evaluation{RunID: "r1", CaseID: "CASE_1", Attempt: 1, Prompt: "check the form", Judgment: tree.Raw(`{"verdict": "pass"}`)}
}

func TestEvaluationCheckSaysWhatToDo(t *testing.T) {
	yes := true
	for _, tt := range []struct {
		field, want string
		do          func(*tree.Evaluation)
	}{
		{"", "", func(*tree.Evaluation) {}},
		{"prompt", "prompt is missing; say what the agent was asked to test", func(e *tree.Evaluation) { e.Prompt = "" }},
		{"judgment", "judgment is missing; say what the agent judged, in any JSON", func(e *tree.Evaluation) { e.Judgment = tree.Raw("null") }},
		{"judgment", "judgment is not JSON", func(e *tree.Evaluation) { e.Judgment = tree.Raw("{") }},
		{"ground_truth", "ground_truth nests deeper than 64", func(e *tree.Evaluation) {
			e.GroundTruth = tree.Raw(strings.Repeat("[", 65) + strings.Repeat("]", 65))
		}},
		{"direction", `direction is "sideways"; use false_pass, false_fail or other`, func(e *tree.Evaluation) { e.Direction = "sideways" }},
		{"direction", "direction is given although correct is true; leave one of them out", func(e *tree.Evaluation) { e.Correct, e.Direction = &yes, taxonomy.FalsePass }},
		{"at", "at is in the year 9999; use the time of the run, such as 2026-01-28T09:00:00Z", func(e *tree.Evaluation) { e.At = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"attempt", "attempt is -1; use 1 for the first try", func(e *tree.Evaluation) { e.Attempt = -1 }},
		{"scene.id", "scene.id has 1025 bytes; the most is 1024", func(e *tree.Evaluation) { e.Scene.ID = strings.Repeat("x", 1025) }},
		{"reason", "reason has a NUL character in it; remove it", func(e *tree.Evaluation) { e.Reason = "a\x00" }},
		{"observation", "observation is not valid UTF-8", func(e *tree.Evaluation) { e.Observation = "\xff" }},
		{"scope.position", "scope.position is -1; use the zero-based place in suite_tests", func(e *tree.Evaluation) { e.Scope.Position = -1 }},
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
