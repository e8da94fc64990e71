package langchain

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/memtree/memtree/llm"
)

func TestOpenAIRequest(t *testing.T) {
	p := serve(t, good)
	_, err := p.model(t, OpenAI, quick).Generate(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, "/v1/chat/completions", p.paths[0])
	require.Equal(t, "Bearer "+secret, p.heads[0].Get("Authorization"))
	require.Equal(t, "memtree", p.heads[0].Get("User-Agent"))
	require.JSONEq(t, `{"model":"m-1","temperature":0,"max_tokens":77,
		"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"is it JSON?"}],
		"response_format":{"type":"json_schema","json_schema":{"name":"test_en_1_ab","strict":true,`+
		`"schema":`+answerSchema+`}}}`, encode(t, p.bodies[0]))

	// Without a schema and a limit.
	_, err = p.model(t, OpenAI, quick).Generate(t.Context(), llm.Request{Prompt: "JSON?"})
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"m-1","temperature":0,"max_tokens":2048,"messages":[{"role":"user",`+
		`"content":"JSON?"}],"response_format":{"type":"json_object"}}`, encode(t, p.bodies[1]))
}

func TestAnthropicRequest(t *testing.T) {
	reply := `{"model":"claude-x","role":"assistant","type":"message","stop_reason":"tool_use",` +
		`"content":[{"type":"text","text":"Here."},{"type":"tool_use","id":"1","name":"answer","input":{"ok":true}}],` +
		`"usage":{"input_tokens":9,"output_tokens":4}}`
	p := serve(t, say(200, reply))
	a, err := p.model(t, Anthropic, quick).Generate(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, llm.Answer{JSON: json.RawMessage(`{"ok":true}`), Model: "claude-x",
		Usage: llm.Usage{InputTokens: 9, OutputTokens: 4}}, a)
	require.Equal(t, "/v1/messages", p.paths[0])
	require.Equal(t, secret, p.heads[0].Get("X-Api-Key"))
	require.Empty(t, p.heads[0].Get("Authorization"))
	require.JSONEq(t, `{"model":"m-1","temperature":0,"max_tokens":77,"system":"be brief","messages":[{"role":"user",`+
		`"content":[{"type":"text","text":"is it JSON?"}]}],
		"tools":[{"name":"answer","description":"Give the answer.","input_schema":`+answerSchema+`}],`+
		`"tool_choice":{"type":"tool","name":"answer"}}`, encode(t, p.bodies[0]))
}

func TestAnthropicFaults(t *testing.T) {
	message := func(stop, content string) string {
		return `{"model":"claude-x","stop_reason":"` + stop + `","content":[` + content +
			`],"usage":{"input_tokens":1,"output_tokens":1}}`
	}
	for name, c := range map[string]struct {
		status      int
		body, want  string
		kind        llm.ErrorKind
		callsExpect int
	}{
		"overloaded": {529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "Overloaded",
			llm.KindUnavailable, 3},
		"cut off":      {200, message("max_tokens", `{"type":"text","text":"{"}`), "cut off", llm.KindTruncated, 1},
		"refused":      {200, message("refusal", ``), "filter", llm.KindRefused, 1},
		"nothing":      {200, message("end_turn", ``), "empty", llm.KindNoAnswer, 3},
		"null content": {200, message("end_turn", `null`), "unknown content type", llm.KindNoAnswer, 1},
		"unknown part": {200, message("end_turn", `{"type":"hologram"}`), "unknown content type", llm.KindNoAnswer, 1},
		"null input": {200, message("tool_use", `{"type":"tool_use","name":"answer","input":null}`), "no JSON object",
			llm.KindMalformed, 1},
		"only a thought": {200, message("end_turn", `{"type":"thinking","thinking":"hm"}`), "the answer is empty",
			llm.KindNoAnswer, 1},
		"another shape": {200, `{"content":"text"}`, "another shape", llm.KindNoAnswer, 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, say(c.status, c.body))
			_, err := p.model(t, Anthropic, quick).Generate(t.Context(), ask)
			require.ErrorContains(t, err, c.want)
			require.Equal(t, c.kind, llm.KindOf(err))
			require.Equal(t, c.callsExpect, p.calls())
		})
	}
}

func TestOllamaRequest(t *testing.T) {
	p := serve(t, say(200, `{"model":"qwen","message":{"role":"assistant","content":"{\"ok\":true}"},"done":true,`+
		`"done_reason":"stop","prompt_eval_count":5,"eval_count":2}`))
	a, err := p.model(t, Ollama, quick).Generate(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, llm.Answer{JSON: json.RawMessage(`{"ok":true}`), Model: "qwen",
		Usage: llm.Usage{InputTokens: 5, OutputTokens: 2}}, a)
	require.Equal(t, "/v1/api/chat", p.paths[0])
	require.JSONEq(t, `{"model":"m-1","stream":false,"format":`+answerSchema+`,"options":{"temperature":0,`+
		`"num_predict":77},
		"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"is it JSON?"}]}`, encode(t, p.bodies[0]))
}

func TestOllamaFaults(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body, want string
		kind       llm.ErrorKind
	}{
		"no such model": {404, `{"error":"model \"qwen\" not found, try pulling it first"}`, "try pulling it first",
			llm.KindNotFound},
		"cut off": {200, `{"message":{"content":"{"},"done":true,"done_reason":"length"}`, "cut off",
			llm.KindTruncated},
		"not done":   {200, `{"message":{"content":"{}"},"done":false}`, "not complete", llm.KindNoAnswer},
		"no message": {200, `{"done":true}`, "not complete", llm.KindNoAnswer},
		"an error":   {200, `{"error":"out of memory"}`, "out of memory", llm.KindUnavailable},
		"a long line": {200, `{"message":{"content":"{\"ok\":true}"},"done":true,"x":"` + strings.Repeat("x",
			600_000) + `"}`, "the answer is empty", llm.KindNoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := serve(t, say(c.status, c.body)).model(t, Ollama, quick).Generate(t.Context(), ask)
			require.ErrorContains(t, err, c.want)
			require.Equal(t, c.kind, llm.KindOf(err))
		})
	}
}

// If a server does not support a form, the next plainer one is tried, once.
func TestFallBack(t *testing.T) {
	for name, c := range map[string]struct {
		refuse func(body map[string]any) string
		calls  []int // of the first and of the second Generate
	}{
		"knows all":  {func(map[string]any) string { return "" }, []int{1, 1}},
		"no schemas": {func(b map[string]any) string { return refuseFormat(b, "json_schema") }, []int{2, 1}},
		"no response_format": {func(b map[string]any) string { return refuseFormat(b, "json_schema", "json_object") },
			[]int{3, 1}},
		"no temperature": {func(b map[string]any) string { return refuseField(b, "temperature") }, []int{2, 1}},
		"the other name": {func(b map[string]any) string { return refuseField(b, "max_tokens") }, []int{2, 1}},
		"no limit at all": {func(b map[string]any) string {
			return refuseField(b, "max_tokens") + refuseField(b, "max_completion_tokens")
		}, []int{3, 1}},
		"neither of the two": {func(b map[string]any) string {
			return refuseField(b, "temperature") + refuseFormat(b,
				"json_schema")
		}, []int{3, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var p *provider
			p = serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if why := c.refuse(p.bodies[n]); why != "" {
					say(400, `{"error":{"message":"`+why+`"}}`)(w, r, n)
					return
				}
				good(w, r, n)
			})
			m := p.model(t, OpenAI, quick)
			for i, want := range c.calls {
				before := p.calls()
				_, err := m.Generate(t.Context(), ask)
				require.NoError(t, err)
				require.Equal(t, want, p.calls()-before, "Generate %d", i+1)
			}
			next := p.model(t, OpenAI, quick)
			next.Adopt(m.Habits())
			before := p.calls()
			_, err := next.Generate(t.Context(), ask)
			require.NoError(t, err)
			require.Equal(t, c.calls[1], p.calls()-before, "another process knows")
		})
	}
}

func refuseFormat(body map[string]any, types ...string) string {
	format, _ := body["response_format"].(map[string]any)
	for _, t := range types {
		if format["type"] == t {
			return "unknown response_format " + t
		}
	}
	return ""
}

func refuseField(body map[string]any, name string) string {
	if _, there := body[name]; there {
		return "Unsupported value: " + name
	}
	return ""
}

func TestNoKeyNoHeader(t *testing.T) {
	p := serve(t, good)
	m, err := openModel(ModelConfig{Provider: OpenAI, Model: "m", BaseURL: p.URL}, quick)
	require.NoError(t, err)
	t.Cleanup(m.Close)
	t.Setenv("OPENAI_API_KEY", secret)
	t.Setenv("OPENAI_ORGANIZATION", "org")
	_, err = m.Generate(t.Context(), ask)
	require.NoError(t, err)
	require.NotContains(t, p.heads[0], "Authorization")
	require.NotContains(t, p.heads[0], "Openai-Organization")
}

func TestOpenRefuses(t *testing.T) {
	_, err := Open(ModelConfig{})
	require.Equal(t, llm.KindNotSet, llm.KindOf(err))
	_, err = OpenEmbedder(ModelConfig{Provider: OpenAI, Model: "m"})
	require.Equal(t, llm.KindNotSet, llm.KindOf(err))
	_, err = OpenEmbedder(ModelConfig{Provider: Anthropic, EmbedModel: "e", APIKey: "k"})
	require.Equal(t, llm.KindNotSet, llm.KindOf(err))
	for _, c := range []ModelConfig{{Provider: "acme", Model: "m"}, {Provider: OpenAI, Model: "m", BaseURL: "://"},
		{Provider: OpenAI, Model: "m", BaseURL: "ftp://h"}, {Provider: Ollama, Model: "m", BaseURL: "http://[::1"}} {
		_, err = Open(c)
		require.ErrorContains(t, err, "open model: ", c)
	}
	m, err := Open(ModelConfig{Provider: Ollama, Model: "m"})
	require.NoError(t, err, "nothing is sent before it is asked")
	m.Close()
}

func TestConcurrentGenerate(t *testing.T) {
	p := serve(t, good)
	m := p.model(t, OpenAI, quick)
	var g errgroup.Group
	for range 16 {
		g.Go(func() error {
			_, err := m.Generate(t.Context(), ask)
			return err
		})
	}
	require.NoError(t, g.Wait())
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
