package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/mcpserver"
)

func TestArgumentsThatCannotBeUsed(t *testing.T) {
	c := dial(t, all, "en", wrong(1))
	run := func(more ...any) map[string]any {
		out := map[string]any{"prompt": "x", "judgment": true}
		for i := 0; i < len(more); i += 2 {
			out[more[i].(string)] = more[i+1]
		}
		return out
	}
	for _, x := range []struct {
		tool string
		in   map[string]any
		says string
	}{
		{"get_guidance", nil, "prompt is missing; send it: the task"},
		{"get_guidance", map[string]any{"promt": "x"}, `there is no field "promt"; the fields are prompt, scene`},
		{"get_guidance", map[string]any{"prompt": " "}, "prompt is empty"},
		{"get_guidance", map[string]any{"prompt": 7}, "prompt is a number; send a string"},
		{"get_guidance", map[string]any{"prompt": "x", "lang": "fr"}, `lang is "fr"; use one of en, zh`},
		{"get_guidance", map[string]any{"prompt": "x", "scene": map[string]any{"rout": "/"}},
			`there is no field "scene.rout"`},
		{"get_guidance", map[string]any{"prompt": "x", "scene": nil}, "scene is null; send an object"},
		{"get_guidance", map[string]any{"prompt": strings.Repeat("x", 300_001)}, "the most is 300000"},
		{"get_guidance", map[string]any{"prompt": "a\x00b"}, "NUL"},
		{"get_guidance", map[string]any{"prompt": strings.Repeat("x", mcpserver.MaxArguments)}, "shorten the longest text"},
		{"search_memories", map[string]any{"query": ""}, "query is empty"},
		{"search_memories", map[string]any{"query": "x", "limit": 21}, "limit is 21; it goes from 0 to 20"},
		{"search_memories", map[string]any{"query": "x", "limit": 1.5}, "limit is 1.5; send a whole number"},
		{"get_memory", map[string]any{"id": "c_nope"}, `there is no memory "c_nope"`},
		{"get_memory", map[string]any{"id": "../../etc"}, "there is no memory"},
		{"assess_verdict", map[string]any{"prompt": "x"}, "judgment is missing"},
		{"assess_verdict", run("judgment", nil), "judgment is missing"},
		{"record_outcome", run("correct", "yes"), "correct is a string; send a boolean"},
		{"record_outcome", run("correct", true, "direction", "false_pass"), "direction is given although correct is true"},
		{"record_outcome", run("correct", true, "ground_truth", false), "correct is true although"},
		{"record_outcome", run("attempt", -1), "attempt is -1"},
		{"record_case", run("note", "x"), "ground_truth is missing, and so is direction"},
		{"record_case", run("note", " ", "ground_truth", false), "note is empty"},
		{"record_case", run("note", "x", "ground_truth", true), "both read as pass"},
		{"propose_memory", map[string]any{"lesson": "x", "cases": make([]string, 21)}, "cases has 21 entries; the most " +
			"is 20"},
		{"list_review_queue", map[string]any{"limit": 1000}, "it goes from 0 to 100"},
		{"memory_stats", map[string]any{"all": true}, `there is no field "all"`},
	} {
		require.Contains(t, c.refused(x.tool, x.in), x.says, "%s %v", x.tool, x.in)
	}
	info, err := c.m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, info.Evaluations, "nothing of it was recorded")
}

func TestSameIDOtherRun(t *testing.T) {
	c := dial(t, all, "en")
	run := map[string]any{"prompt": "x", "judgment": "pass", "run_id": "n1", "correct": true}
	c.call("record_outcome", run, nil)
	run["correct"] = false
	require.Contains(t, c.refused("record_outcome", run), "give this run a run_id of its own")
}

// TestJudgmentAsText: agents send JSON as a text.
func TestJudgmentAsText(t *testing.T) {
	c := dial(t, all, "en")
	var k struct{ Case struct{ Direction string } }
	c.call("record_case", map[string]any{"prompt": "Check the total", "judgment": `{"passed": true}`,
		"ground_truth": `{"passed": false}`, "note": "The agent did not add up the lines."}, &k)
	require.Equal(t, "false_pass", k.Case.Direction)
}

func TestClosedMemoryIsASentence(t *testing.T) {
	m, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true})
	require.NoError(t, err)
	c := dialTo(t, m, &mcpserver.Options{May: all})
	require.NoError(t, m.Close())
	require.Contains(t, c.refused("get_guidance", map[string]any{"prompt": "x"}), "memory is closing; go on without it")
	require.Contains(t, c.refused("record_outcome", map[string]any{"prompt": "x", "judgment": 1}), "memory is closing")
}

// TestBrokenText: text that is not Unicode is refused, not recorded as another text.
func TestBrokenText(t *testing.T) {
	c := dial(t, all, "en")
	for in, says := range map[string]string{
		`half \ud800 pair`: `half of a surrogate pair (\ud800)`, `half \udc00`: "surrogate", `\ud83d\u0041`: "surrogate",
		"raw \xff\xfe": "UTF-8",
	} {
		raw := json.RawMessage(`{"prompt":"` + in + `","judgment":"pass","correct":false}`)
		require.Contains(t, said(c.rawCall("record_outcome", raw)), says, in)
	}
	for _, in := range []string{`whole \ud83d\ude00`, `\\ud800 is written so`, `\u00e9\n\\`} {
		raw := json.RawMessage(`{"prompt":"` + in + `","judgment":"pass","correct":false}`)
		require.Contains(t, said(c.rawCall("record_outcome", raw)), "Recorded", in)
	}
}

// rawCall calls a tool with arguments as they are.
func (c *client) rawCall(name string, in json.RawMessage) *mcp.CallToolResult {
	r, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	require.NoError(c.t, err)
	return r
}
