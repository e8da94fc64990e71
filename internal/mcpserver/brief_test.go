package mcpserver_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/mcpserver"
	"github.com/memtree/memtree/tree"
)

// TestAgentReads: an agent is the reader itself. Its picks are shown in its words, and invented ones are refused.
func TestAgentReads(t *testing.T) {
	c := dial(t, mcpserver.Write, "en", memtree.Evaluation{
		CaseID: "A1", Prompt: "Search hotels in Porto and count the results", Judgment: tree.Raw(`"fail"`),
		GroundTruth: tree.Raw(`"pass"`), Reason: "judged while the list was still loading",
	})
	const task = "Car hire: at least 15 cars. Six suppliers answer one after the other."
	var asked struct {
		Question, Prompt string
		Left             int
	}
	text := c.call("read_tests", map[string]any{"tests": []map[string]any{{"prompt": task}}}, &asked)
	require.Contains(t, text, "Six suppliers answer")
	require.NotEmpty(t, asked.Question)
	id := func(word string) string {
		return regexp.MustCompile(`(?m)^([mt]\d+) .*` + word).FindStringSubmatch(asked.Prompt)[1]
	}
	pick := func(because string) map[string]any {
		return map[string]any{"told": []map[string]any{{"t": id("Six suppliers"), "m": id("loading"), "because": because,
			"say": "Wait until all six suppliers have answered, then count the cars."}}}
	}
	require.Contains(t, c.refused("submit_brief", map[string]any{"question": "0123", "answer": pick("x")}), "not open")
	nothing := map[string]any{"question": asked.Question, "answer": "no idea"}
	require.Contains(t, c.refused("submit_brief", nothing), "there is no JSON object; correct it")
	var done struct {
		Read, Told int
		Refused    []string
	}
	c.call("submit_brief", map[string]any{"question": asked.Question, "answer": pick("eight lounges")}, &done)
	require.Zero(t, done.Told)
	require.Contains(t, done.Refused[0], "is not in the test")

	c.call("read_tests", map[string]any{}, &asked)
	c.call("submit_brief", map[string]any{"question": asked.Question, "by": "my-model",
		"answer": pick("Six suppliers answer one after the other")}, &done)
	require.Equal(t, 1, done.Told)
	require.Contains(t, c.call("get_guidance", map[string]any{"prompt": task}, nil), "Wait until all six suppliers")
}
