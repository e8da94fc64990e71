package model

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/memtree/memtree/llm/langchain"
)

// settingProblem describes what is wrong with the variables of the model, and names the variable. It returns "" if it
// finds nothing. It prints no key, and only those parts of an address that cannot hold one.
func (m *Model) settingProblem() string {
	v, ok := langchain.NamesOf(m.Getenv)
	if !ok || m.Env("MEMTREE_LLM_PROVIDER") == "none" {
		return ""
	}
	provider := langchain.OpenAI
	if own := m.Env("MEMTREE_LLM_PROVIDER"); own != "" && strings.HasPrefix(v.Model, "MEMTREE_") {
		provider = strings.ToLower(own)
	}
	for _, problem := range []string{
		m.providerProblem(provider), m.keyProblem(v.APIKey),
		m.modelProblem(v.Model), m.modelProblem("MEMTREE_LLM_EMBED_MODEL"),
		m.addressProblem(v.BaseURL, provider), m.contradiction(v, provider), m.limitProblem(),
	} {
		if problem != "" {
			return problem
		}
	}
	return ""
}

func (m *Model) providerProblem(provider string) string {
	switch provider {
	case langchain.OpenAI, langchain.Anthropic, langchain.Ollama:
		return ""
	}
	return m.Say("MEMTREE_LLM_PROVIDER is %q, which is not known; use openai (for every compatible server too), "+
		"anthropic, ollama, or none", provider)
}

// keyProblem refuses a key that no HTTP header can carry. It also refuses a trailing line break: then something other
// than the key was copied.
func (m *Model) keyProblem(name string) string {
	key := m.Getenv(name)
	switch {
	case strings.ContainsAny(strings.Trim(key, " \t"), "\r\n"):
		return m.Say("%s has a line break in it; set it again to the key alone, on one line", name)
	case strings.ContainsFunc(strings.TrimSpace(key), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r > unicode.MaxASCII
	}):
		return m.Say("%s has a space or a character in it that no key has; copy the key again", name)
	case strings.Contains(key, "://"):
		return m.Say("%s holds an address and not a key; the address goes into the variable that ends in BASE_URL", name)
	}
	return ""
}

func (m *Model) modelProblem(name string) string {
	model := m.Env(name)
	switch {
	case strings.HasPrefix(model, "sk-"):
		return m.Say("%s looks like a key; it takes the name of a model", name)
	case strings.Contains(model, "://"):
		return m.Say("%s holds an address; it takes the name of a model", name)
	case strings.ContainsFunc(model, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return m.Say("%s is %q; the name of a model has no spaces in it, so write it as the provider does", name, model)
	}
	return ""
}

// callPaths are the paths that memtree adds to a base URL, and that people often include in it.
var callPaths = []string{
	"/chat/completions", "/completions", "/embeddings", "/messages", "/api/chat", "/api/generate", "/api/embed",
}

func (m *Model) addressProblem(name, provider string) string {
	raw := m.Env(name)
	if raw == "" {
		return ""
	}
	const like = "http://localhost:8000/v1"
	u, err := url.Parse(raw)
	switch {
	case strings.ContainsFunc(raw, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return m.Say("%s has a space or a line break in it; write one such as %s", name, like)
	case strings.Contains(raw, "@"):
		return m.Say("%s has a name or a password in it; give that as the key", name)
	case !strings.Contains(raw, "://"):
		return m.Say("%s is %q, without http:// or https:// before it; write one such as %s", name, bare(raw), like)
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return m.Say("%s cannot be read as an address; write one such as %s", name, like)
	case u.RawQuery != "" || u.Fragment != "" || strings.Contains(raw, "?"):
		return m.Say("%s has something after its path, from ? or # on; leave that out, and give a key as the key", name)
	}
	path := strings.TrimRight(u.Path, "/")
	for _, p := range callPaths {
		if strings.HasSuffix(path, p) {
			return m.Say("%s ends in %s, which memtree adds itself; leave that out", name, p)
		}
	}
	if provider == langchain.Ollama && strings.HasSuffix(path, "/v1") {
		return m.Say("MEMTREE_LLM_PROVIDER is ollama and %s ends in /v1, which is the other interface of Ollama; "+
			"leave /v1 out, or set the provider to openai", name)
	}
	return ""
}

// bare returns an address without the parts that may hold a key.
func bare(raw string) string {
	raw, _, _ = strings.Cut(raw, "?")
	raw, _, _ = strings.Cut(raw, "#")
	return raw
}

// hosts are the addresses of which the provider is known.
var hosts = map[string]string{"api.openai.com": langchain.OpenAI, "api.anthropic.com": langchain.Anthropic}

// contradiction names two variables of which one must be wrong.
func (m *Model) contradiction(v langchain.EnvNames, provider string) string {
	at := ""
	if u, err := url.Parse(m.Env(v.BaseURL)); err == nil {
		at = u.Hostname()
	}
	model, key := strings.ToLower(m.Env(v.Model)), m.Env(v.APIKey)
	switch {
	case hosts[at] != "" && hosts[at] != provider:
		return m.Say("MEMTREE_LLM_PROVIDER is %s and %s is an address of %s; change one of them",
			provider, v.BaseURL, hosts[at])
	case at == "" && provider == langchain.OpenAI && strings.HasPrefix(key, "sk-ant-"):
		return m.Say("%s is a key of anthropic and the provider is openai; "+
			"set MEMTREE_LLM_PROVIDER=anthropic, or the other key", v.APIKey)
	case at == "" && provider == langchain.OpenAI && strings.HasPrefix(model, "claude-"):
		return m.Say("%s is %s and the provider is openai, which has no such model; set MEMTREE_LLM_PROVIDER=anthropic, "+
			"or another model", v.Model, model)
	case provider == langchain.Anthropic && strings.HasPrefix(model, "gpt-"):
		return m.Say("MEMTREE_LLM_PROVIDER is anthropic and %s is %s, which is no model of it; change one of them",
			v.Model, model)
	case provider == langchain.Anthropic && m.Env("MEMTREE_LLM_EMBED_MODEL") != "":
		return m.Say("MEMTREE_LLM_PROVIDER is anthropic, which has no embedding models, " +
			"and MEMTREE_LLM_EMBED_MODEL is set; unset it to use the built-in encoder")
	}
	return ""
}

// limitProblem checks the variables that apply to every provider.
func (m *Model) limitProblem() string {
	if s := m.Env("MEMTREE_LLM_TIMEOUT"); s != "" {
		if d, err := time.ParseDuration(s); err != nil || d <= 0 {
			return m.Say("MEMTREE_LLM_TIMEOUT is %q; write a time such as 90s or 2m", s)
		}
	}
	if s := m.Env("MEMTREE_LLM_MAX_TOKENS"); s != "" {
		if n, err := strconv.Atoi(s); err != nil || n <= 0 {
			return m.Say("MEMTREE_LLM_MAX_TOKENS is %q; write a whole number above 0", s)
		}
	}
	if s := m.Env("MEMTREE_LLM_IMAGES"); s != "" && s != "on" && s != "off" {
		return m.Say("MEMTREE_LLM_IMAGES is %q; write on for a model that takes images, or off", s)
	}
	return ""
}

// missingSentence names the variable that a model still needs.
func (m *Model) missingSentence(e *langchain.MissingError) string {
	if e.Hint != "" {
		base := strings.TrimSuffix(e.Missing, "API_KEY") + "BASE_URL"
		return m.Say("%s is set, but %s is not; set it too (or %s, for a server that needs no key), or set "+
			"MEMTREE_LLM_PROVIDER=none to work without a model", e.Set, e.Missing, base)
	}
	return m.Say("%s is set, but %s is not; set it too, or set MEMTREE_LLM_PROVIDER=none to work without a model",
		e.Set, e.Missing)
}
