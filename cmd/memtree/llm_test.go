package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/golden"
)

const checkKey = "sk-canary-0123456789"

// fits is an answer that satisfies the schema of llm check's question.
const fits = `{"verdict":true,"because":"it has no divisor"}`

// modelServer starts a server that answers like one of the providers.
func modelServer(t *testing.T, handle func(w http.ResponseWriter, path, body string)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		handle(w, r.URL.Path, string(b))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func reply(status int, body string) func(http.ResponseWriter, string, string) {
	return func(w http.ResponseWriter, _, _ string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func openAI(content string) string {
	c, _ := json.Marshal(content)
	return `{"model":"m-1-2026","choices":[{"index":0,"message":{"role":"assistant","content":` + string(c) +
		`},"finish_reason":"stop"}],"usage":{"prompt_tokens":52,"completion_tokens":13}}`
}

// llmCheck runs the command, and returns what it prints with the addresses and times replaced.
func llmCheck(t *testing.T, env map[string]string, args ...string) (code int, out string) {
	t.Helper()
	var stdout, stderr strings.Builder
	if env["MEMTREE_STORE"] == "" {
		env["MEMTREE_STORE"] = filepath.Join(t.TempDir(), "none")
	}
	code = run(t.Context(), say.Process{Args: append([]string{"llm", "check"}, args...), Stdin: strings.NewReader(""),
		Stdout: &stdout, Stderr: &stderr, Getenv: func(k string) string { return env[k] }})
	require.Empty(t, stderr.String())
	out = stdout.String()
	require.NotContains(t, out, checkKey)
	if !slices.Contains(args, "--json") {
		requireNarrow(t, out)
	}
	out = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(out, "HOST")
	out = regexp.MustCompile(`\d+ (ms|毫秒)`).ReplaceAllString(out, "N $1")
	return code, regexp.MustCompile(`"latencyMs": \d+`).ReplaceAllString(out, `"latencyMs": 0`)
}

// TestLLMCheck prints the output of llm check for working models and for each mistake.
func TestLLMCheck(t *testing.T) {
	vectors := `{"data":[{"index":0,"embedding":[0.6,0.8,0]}]}`
	works := func(w http.ResponseWriter, path, _ string) {
		switch {
		case strings.HasSuffix(path, "/chat/completions"):
			_, _ = io.WriteString(w, openAI(fits))
		case strings.HasSuffix(path, "/embeddings"):
			_, _ = io.WriteString(w, vectors)
		default:
			http.NotFound(w, &http.Request{})
		}
	}
	noSchema := func(w http.ResponseWriter, _, body string) {
		if strings.Contains(body, "json_schema") {
			reply(400, `{"error":{"message":"response_format json_schema is not supported"}}`)(w, "", "")
			return
		}
		_, _ = io.WriteString(w, strings.Replace(openAI(`{"answer": "yes"}`), `"usage"`, `"used"`, 1))
	}
	anthropic := `{"id":"1","type":"message","role":"assistant","model":"claude-x-2026",` +
		`"content":[{"type":"tool_use","id":"t",` +
		`"name":"answer","input":` + fits + `}],"stop_reason":"tool_use","usage":{"input_tokens":61,"output_tokens":17}}`
	ollama := `{"model":"qwen",` +
		`"message":{"role":"assistant","content":` + `"{\"verdict\":true,\"because\":\"so\"}"},` +
		`"done":true,"done_reason":"stop","prompt_eval_count":40,"eval_count":9}`
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	down := "http://" + l.Addr().String() + "/v1"
	require.NoError(t, l.Close())
	at := func(handle func(http.ResponseWriter, string, string)) string { return modelServer(t, handle) + "/v1" }

	for _, lang := range []string{"en", "zh"} {
		var page strings.Builder
		for _, c := range []struct {
			name string
			env  []string
			args []string
			code int
		}{
			{"OpenAI-compatible, with embeddings and a price",
				[]string{"BASE_URL", at(works), "EMBED_MODEL", "e-1", "PRICE", "0.15,0.60"}, nil, 0},
			{"a server without schemas or tokens", []string{"BASE_URL", at(noSchema)}, nil, 0},
			{"Anthropic", []string{"PROVIDER", "anthropic", "MODEL", "claude-x", "BASE_URL", at(reply(200, anthropic))}, nil, 0},
			{"Ollama", []string{"PROVIDER", "ollama", "MODEL", "qwen", "BASE_URL", modelServer(t, reply(200, ollama))}, nil, 0},
			{"answers in words", []string{"BASE_URL", at(reply(200, openAI("Seven is a prime.")))}, nil, 1},
			{"wrong key", []string{"BASE_URL",
				at(reply(401, `{"error":{"message":"Incorrect API key provided: `+checkKey+`."}}`))}, nil, 1},
			{"no key, and one is wanted", []string{"API_KEY", "", "BASE_URL", at(reply(401, ``))}, nil, 1},
			{"no such model", []string{"BASE_URL",
				at(reply(404, `{"error":{"message":"The model m-1 does not exist","code":"model_not_found"}}`))}, nil, 1},
			{"no such model, Ollama", []string{"PROVIDER", "ollama",
				"BASE_URL", modelServer(t, reply(404, `{"error":"model 'm-1' not found"}`))}, nil, 1},
			{"wrong path", []string{"BASE_URL", modelServer(t, reply(404, "404 page not found"))}, nil, 1},
			{"wrong path after /v1", []string{"BASE_URL", at(reply(404, "404 page not found"))}, nil, 1},
			{"a proxy's page", []string{"BASE_URL", at(reply(200, "<html><body>Please log in</body></html>"))}, nil, 1},
			{"another service", []string{"BASE_URL", at(reply(200, `{"hello":"world"}`))}, nil, 1},
			{"down", []string{"BASE_URL", down}, nil, 1},
			{"fails", []string{"BASE_URL", at(reply(503, `{"error":{"message":"loading the model"}}`))}, nil, 1},
			{"too busy", []string{"BASE_URL", at(reply(429, `{"error":{"message":"Rate limit reached"}}`))}, nil, 1},
			{"no embeddings", []string{"EMBED_MODEL", "e-2", "BASE_URL", at(func(w http.ResponseWriter, path, body string) {
				if strings.HasSuffix(path, "/embeddings") {
					reply(404, `{"error":{"message":"model e-2 not found"}}`)(w, path, body)
					return
				}
				works(w, path, body)
			})}, nil, 1},
			{"no model", []string{"MODEL", "", "API_KEY", ""}, nil, 1},
			{"turned off", []string{"PROVIDER", "none"}, nil, 1},
			{"as JSON", []string{"BASE_URL", at(works)}, []string{"--json"}, 0},
			{"as JSON, wrong key", []string{"BASE_URL", at(reply(401, ``))}, []string{"--json"}, 1},
		} {
			env := map[string]string{"MEMTREE_LLM_MODEL": "m-1", "MEMTREE_LLM_API_KEY": checkKey}
			for i := 0; i < len(c.env); i += 2 {
				env["MEMTREE_LLM_"+c.env[i]] = c.env[i+1]
			}
			code, out := llmCheck(t, env, append(c.args, "--lang", lang)...)
			require.Equal(t, c.code, code, "%s: %s", c.name, out)
			page.WriteString("# " + c.name + "\n" + out + "\n")
		}
		golden.Equal(t, "testdata/llm_check."+lang+".golden", page.String())
	}
}

// TestLLMCheckBeforeAnyCall prints the errors of variables. No request is sent.
func TestLLMCheckBeforeAnyCall(t *testing.T) {
	asked := false
	server := modelServer(t, func(http.ResponseWriter, string, string) { asked = true })
	host := strings.TrimPrefix(server, "http://")
	for _, lang := range []string{"en", "zh"} {
		var page strings.Builder
		for _, pairs := range [][]string{
			{"API_KEY", checkKey + "\n" + checkKey}, {"API_KEY", checkKey + "\n"}, {"API_KEY", checkKey + " x"},
			{"API_KEY", "http://h/v1"},
			{"MODEL", "gpt 4"}, {"MODEL", checkKey}, {"MODEL", "http://h/v1"}, {"EMBED_MODEL", "text embed"},
			{"BASE_URL", host + "/v1"}, {"BASE_URL", "http//h/v1"}, {"BASE_URL", "ftp://h"},
			{"BASE_URL", "https://u:" + checkKey + "@h/v1"}, {"BASE_URL", server + "/v1?key=" + checkKey},
			{"BASE_URL", "h/v1?key=" + checkKey}, {"BASE_URL", server + "/v1/chat/completions"},
			{"BASE_URL", server + " /v1"}, {"PROVIDER", "ollama", "BASE_URL", server + "/v1"}, {"PROVIDER", "acme"},
			{"PROVIDER", "anthropic", "BASE_URL", "https://api.openai.com/v1"}, {"BASE_URL", "https://api.anthropic.com/v1"},
			{"API_KEY", "sk-ant-0123456789"}, {"MODEL", "claude-x"}, {"PROVIDER", "anthropic", "MODEL", "gpt-4o"},
			{"PROVIDER", "anthropic", "MODEL", "claude-x", "EMBED_MODEL", "e"},
			{"TIMEOUT", "90"}, {"MAX_TOKENS", "many"}, {"API_KEY", ""}, {"MODEL", ""},
		} {
			env := map[string]string{"MEMTREE_LLM_MODEL": "m-1", "MEMTREE_LLM_API_KEY": checkKey}
			for i := 0; i < len(pairs); i += 2 {
				env["MEMTREE_LLM_"+pairs[i]] = pairs[i+1]
			}
			code, out := llmCheck(t, env, "--lang", lang, "--json")
			require.Equal(t, 1, code, out)
			var v checked
			require.NoError(t, json.Unmarshal([]byte(out), &v))
			require.False(t, v.OK)
			require.Equal(t, "setting", v.Code)
			require.Regexp(t, `MEMTREE_LLM_[A-Z]`, v.Problem)
			page.WriteString(v.Problem + "\n")
		}
		golden.Equal(t, "testdata/llm_settings."+lang+".golden", page.String())
	}
	require.False(t, asked)
}

func TestLLMCheckSlow(t *testing.T) {
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	defer s.Close()
	defer close(stop)
	env := map[string]string{"MEMTREE_LLM_MODEL": "m-1", "MEMTREE_LLM_BASE_URL": s.URL + "/v1"}
	code, out := llmCheck(t, env, "--max-time", "200ms")
	require.Equal(t, 1, code)
	require.Contains(t, strings.Join(strings.Fields(out), " "), "wait longer with --max-time")
	env["MEMTREE_LLM_TIMEOUT"] = "100ms"
	code, out = llmCheck(t, env)
	require.Equal(t, 1, code)
	require.Contains(t, strings.Join(strings.Fields(out), " "), "within 100ms, which is MEMTREE_LLM_TIMEOUT")
}
