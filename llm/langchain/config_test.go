package langchain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const secret = "sk-very-secret-0123456789"

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

// An invalid setting is reported with its variable, before any call, and without the key.
func TestFromEnvNamesTheVariable(t *testing.T) {
	for want, get := range map[string]func(string) string{
		"MEMTREE_LLM_API_KEY has a space, a line break": env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_API_KEY", secret+"\nx"),
		"OPENAI_API_KEY has a space":                    env("MIDSCENE_MODEL_NAME", "m", "OPENAI_API_KEY", secret+" x"),
		`MEMTREE_LLM_MODEL is "gpt 4"`:                  env("MEMTREE_LLM_MODEL", "gpt 4", "MEMTREE_LLM_API_KEY", secret),
		`OPENAI_BASE_URL is "localhost:8000/v1"`:        env("OPENAI_MODEL", "m", "OPENAI_BASE_URL", "localhost:8000/v1"),
		`MEMTREE_LLM_BASE_URL is "https://h/v1?key=[k`: env("MEMTREE_LLM_MODEL", "m",
			"MEMTREE_LLM_BASE_URL", "https://h/v1?key="+secret),
		"MEMTREE_LLM_BASE_URL has a password in it": env("MEMTREE_LLM_MODEL", "m",
			"MEMTREE_LLM_BASE_URL", "https://a:"+secret+"@h/v1"),
	} {
		_, err := FromEnv(get)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), secret)
	}
}

func TestFromEnv(t *testing.T) {
	for _, c := range []struct {
		name string
		env  func(string) string
		want ModelConfig
	}{
		{"nothing", env(), ModelConfig{}},
		{"settings alone", env("MEMTREE_LLM_TIMEOUT", "3s"), ModelConfig{}},
		{"turned off", env("MEMTREE_LLM_PROVIDER", "none", "OPENAI_API_KEY", secret), ModelConfig{}},
		{"ours", env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_API_KEY", secret, "MEMTREE_LLM_TIMEOUT", "3s",
			"MEMTREE_LLM_MAX_TOKENS", "99", "MEMTREE_LLM_EMBED_MODEL", "e"),
			ModelConfig{Provider: OpenAI, Model: "m", APIKey: secret, Timeout: 3 * time.Second, MaxTokens: 99, EmbedModel: "e",
				Source: "MEMTREE_LLM_*"}},
		{"compatible, no key", env("MEMTREE_LLM_MODEL", " m\n", "MEMTREE_LLM_BASE_URL", "http://localhost:8000/v1/"),
			ModelConfig{Provider: OpenAI, Model: "m", BaseURL: "http://localhost:8000/v1", Source: "MEMTREE_LLM_*"}},
		{"anthropic", env("MEMTREE_LLM_PROVIDER", "Anthropic", "MEMTREE_LLM_MODEL", "c", "MEMTREE_LLM_API_KEY", secret),
			ModelConfig{Provider: Anthropic, Model: "c", APIKey: secret, Source: "MEMTREE_LLM_*"}},
		{"ollama", env("MEMTREE_LLM_PROVIDER", "ollama", "MEMTREE_LLM_MODEL", "qwen"),
			ModelConfig{Provider: Ollama, Model: "qwen", Source: "MEMTREE_LLM_*"}},
		{"embedding only", env("MEMTREE_LLM_EMBED_MODEL", "e", "MEMTREE_LLM_BASE_URL", "http://localhost:1"),
			ModelConfig{Provider: OpenAI, EmbedModel: "e", BaseURL: "http://localhost:1", Source: "MEMTREE_LLM_*"}},
		{"midscene before openai", env("MIDSCENE_MODEL_NAME", "ui", "MIDSCENE_MODEL_BASE_URL", "https://a.example/v1",
			"MIDSCENE_MODEL_API_KEY", secret, "OPENAI_API_KEY", "other", "OPENAI_MODEL", "gpt"),
			ModelConfig{Provider: OpenAI, Model: "ui", BaseURL: "https://a.example/v1", APIKey: secret,
				Source: "MIDSCENE_MODEL_*"}},
		{"midscene name with openai's key", env("MIDSCENE_MODEL_NAME", "ui", "OPENAI_API_KEY", secret, "OPENAI_BASE_URL",
			"https://b.example/v1"),
			ModelConfig{Provider: OpenAI, Model: "ui", BaseURL: "https://b.example/v1", APIKey: secret,
				Source: "MIDSCENE_MODEL_*"}},
		{"openai", env("OPENAI_MODEL", "gpt", "OPENAI_API_KEY", secret, "MEMTREE_LLM_EMBED_MODEL", "e"),
			ModelConfig{Provider: OpenAI, Model: "gpt", APIKey: secret, EmbedModel: "e", Source: "OPENAI_*"}},
		{"ours before all", env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_BASE_URL", "http://h:1", "OPENAI_API_KEY", secret),
			ModelConfig{Provider: OpenAI, Model: "m", BaseURL: "http://h:1", Source: "MEMTREE_LLM_*"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := FromEnv(c.env)
			require.NoError(t, err)
			require.True(t, got == c.want, "%s", got)
			require.Equal(t, c.want != ModelConfig{}, got.Configured())
		})
	}
}

func TestFromEnvRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		env  func(string) string
		want string
	}{
		{"no key", env("MEMTREE_LLM_MODEL", "m"), "MEMTREE_LLM_MODEL is set, but MEMTREE_LLM_API_KEY is not: set it too " +
			"(or MEMTREE_LLM_BASE_URL, for a server that needs no key), or set MEMTREE_LLM_PROVIDER=none to work without a " +
			"model"},
		{"no model", env("MEMTREE_LLM_API_KEY", secret), "MEMTREE_LLM_API_KEY is set, but MEMTREE_LLM_MODEL is not"},
		{"provider alone", env("MEMTREE_LLM_PROVIDER", "ollama"),
			"MEMTREE_LLM_PROVIDER is set, but MEMTREE_LLM_MODEL is not"},
		{"embedding alone", env("MEMTREE_LLM_EMBED_MODEL", "e"),
			"MEMTREE_LLM_EMBED_MODEL is set, but MEMTREE_LLM_API_KEY is not"},
		{"midscene alone", env("MIDSCENE_MODEL_NAME", "ui"), "MIDSCENE_MODEL_NAME is set, but MIDSCENE_MODEL_API_KEY is not"},
		{"midscene no name", env("MIDSCENE_MODEL_API_KEY", secret),
			"MIDSCENE_MODEL_API_KEY is set, but MIDSCENE_MODEL_NAME is not"},
		{"openai no model", env("OPENAI_API_KEY", secret), "OPENAI_API_KEY is set, but OPENAI_MODEL is not"},
		{"a key is not borrowed", env("MEMTREE_LLM_MODEL", "m", "OPENAI_API_KEY", secret), "MEMTREE_LLM_API_KEY is not"},
		{"unknown provider", env("MEMTREE_LLM_PROVIDER", "acme", "MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_API_KEY", "k"),
			`MEMTREE_LLM_*: provider "acme" is not known: use openai`},
		{"bad timeout", env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_TIMEOUT", "90"),
			`MEMTREE_LLM_TIMEOUT is "90": write a time such as 90s`},
		{"bad tokens", env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_MAX_TOKENS", "-1"), "MEMTREE_LLM_MAX_TOKENS"},
		{"key in two lines", env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_API_KEY", secret+"\n"+secret), "copy it again"},
		{"password in url", env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_BASE_URL", "https://u:"+secret+"@h/v1"),
			"give it as the API key"},
		{"url not readable", env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_BASE_URL", "http://u:"+secret+"@[::1"),
			"cannot be read"},
		{"no scheme", env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_BASE_URL", "localhost:8000/v1"),
			`MEMTREE_LLM_BASE_URL is "localhost:8000/v1"`},
		{"query in url", env("MEMTREE_LLM_MODEL", "m", "MEMTREE_LLM_BASE_URL", "http://h/v1?a=b"), "nothing after the path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := FromEnv(c.env)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), secret)
			require.False(t, got.Configured())
		})
	}
	_, err := FromEnv(env("OPENAI_API_KEY", secret))
	var missing *MissingError
	require.True(t, errors.As(err, &missing))
	require.Equal(t, "OPENAI_MODEL", missing.Missing)
}

// No form of output of a ModelConfig contains its key.
func TestConfigHidesTheKey(t *testing.T) {
	c := ModelConfig{Provider: OpenAI, Model: "m", EmbedModel: "e", BaseURL: "http://h", APIKey: secret,
		Source: "MEMTREE_LLM_*"}
	require.Equal(t, "openai m, embedding with e, at http://h, key set, from MEMTREE_LLM_*", c.String())
	require.Equal(t, "no model configured", ModelConfig{}.String())

	var b bytes.Buffer
	for _, l := range []*slog.Logger{slog.New(slog.NewTextHandler(&b, nil)), slog.New(slog.NewJSONHandler(&b, nil))} {
		l.Info("model", "config", c, "pointer", &c, "key", c.APIKey, "any", []any{c}, "none", ModelConfig{})
	}
	raw, err := json.Marshal(map[string]any{"c": c, "p": &c, "k": c.APIKey})
	require.NoError(t, err)
	for _, s := range []string{fmt.Sprint(c), fmt.Sprintf("%v %+v %#v %s %q", c, c, c, c, c),
		fmt.Sprintf("%v %+v %#v", &c, &c, &c),
		fmt.Sprintf("%v %+v %#v %s %q", c.APIKey, c.APIKey, c.APIKey, c.APIKey, c.APIKey),
		fmt.Sprintf("%#v %+v", []ModelConfig{c}, struct{ C ModelConfig }{c}), b.String(), string(raw)} {
		require.NotContains(t, s, secret)
		require.Contains(t, s, "set")
	}
}
