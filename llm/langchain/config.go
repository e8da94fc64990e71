package langchain

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The providers.
const (
	OpenAI    = "openai" // and every server that speaks its API
	Anthropic = "anthropic"
	Ollama    = "ollama"
)

// Defaults of a [Config].
const (
	DefaultTimeout   = 2 * time.Minute
	DefaultMaxTokens = 2048
)

// Config says which model to use. The zero Config means that there is none.
type Config struct {
	Provider   string        // OpenAI, Anthropic or Ollama
	Model      string        // the model that writes; "" where only EmbedModel is used
	EmbedModel string        // the model that embeds; "" for none
	BaseURL    string        // "" for the provider's own
	APIKey     Secret        // "" for a server that needs none
	Timeout    time.Duration // bounds a call with all its retries; 0 means DefaultTimeout
	MaxTokens  int           // of an answer, where the request does not say; 0 means DefaultMaxTokens
	Source     string        // where it comes from, such as "MEMTREE_LLM_*"
}

// Secret is a text that shows itself only as "set" or "unset", however it is
// printed, logged or encoded. string(s) is the real one.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return "unset"
	}
	return "set"
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the secret from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

var _ json.Marshaler = Config{}

// Configured says whether there is any model.
func (c Config) Configured() bool { return c.Model != "" || c.EmbedModel != "" }

// String describes the configuration for people, without the key.
func (c Config) String() string {
	if !c.Configured() {
		return "no model configured"
	}
	s := c.Provider
	if c.Model != "" {
		s += " " + c.Model
	}
	if c.EmbedModel != "" {
		s += ", embedding with " + c.EmbedModel
	}
	if c.BaseURL != "" {
		s += ", at " + c.BaseURL
	}
	s += ", key " + c.APIKey.String()
	if c.Source != "" {
		s += ", from " + c.Source
	}
	return s
}

// GoString is String, so that %#v shows no key either.
func (c Config) GoString() string { return c.String() }

// MarshalJSON shows the fields under their names in lower case, the key as "set" or "unset".
func (c Config) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"provider": c.Provider, "model": c.Model, "embedModel": c.EmbedModel, "baseUrl": c.BaseURL, "apiKey": c.APIKey.String(), "source": c.Source,
	})
}

// LogValue shows the configuration without the key.
func (c Config) LogValue() slog.Value {
	if !c.Configured() {
		return slog.StringValue(c.String())
	}
	return slog.GroupValue(slog.String("provider", c.Provider), slog.String("model", c.Model), slog.String("embedModel", c.EmbedModel),
		slog.String("baseURL", c.BaseURL), slog.String("key", c.APIKey.String()), slog.String("source", c.Source))
}

// A MissingError says that a model is configured by half.
type MissingError struct {
	Set     string // a variable that is set
	Missing string // the one that is not
	Hint    string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is set, but %s is not: set it too%s, or set MEMTREE_LLM_PROVIDER=none to work without a model", e.Set, e.Missing, e.Hint)
}

// FromEnv reads the configuration from environment variables, through getenv
// (os.Getenv). The first of these groups with anything set in it is used, whole;
// a key is never sent to the address of another group:
//
//	MEMTREE_LLM_PROVIDER (openai, anthropic, ollama; none turns models off), _MODEL, _BASE_URL, _API_KEY
//	MIDSCENE_MODEL_NAME, _BASE_URL, _API_KEY; with the name alone, OPENAI_BASE_URL and OPENAI_API_KEY, as Midscene does
//	OPENAI_MODEL, _BASE_URL, _API_KEY
//
// MEMTREE_LLM_EMBED_MODEL, MEMTREE_LLM_TIMEOUT (such as 90s) and
// MEMTREE_LLM_MAX_TOKENS go with whichever group it is. Nothing set is the zero
// Config and no error; a group set by half is a [*MissingError].
func FromEnv(getenv func(string) string) (Config, error) {
	get := func(name string) string { return strings.TrimSpace(getenv(name)) }
	if get("MEMTREE_LLM_PROVIDER") == "none" {
		return Config{}, nil
	}
	g, ok := pickGroup(get)
	if !ok {
		return Config{}, nil
	}
	c := Config{
		Provider: g.provider(get), Model: get(g.model), EmbedModel: get("MEMTREE_LLM_EMBED_MODEL"),
		BaseURL: strings.TrimRight(get(g.baseURL), "/"), APIKey: Secret(get(g.apiKey)), Source: g.source,
	}
	if err := c.settings(get); err != nil {
		return Config{}, err
	}
	if c.Model == "" && (c.EmbedModel == "" || g.source != ours) {
		return Config{}, &MissingError{Set: g.named(get), Missing: g.model}
	}
	if c.APIKey == "" && c.BaseURL == "" && c.Provider != Ollama {
		return Config{}, &MissingError{Set: g.named(get), Missing: g.apiKey, Hint: " (or " + g.baseURL + ", for a server that needs no key)"}
	}
	if err := c.check(); err != nil {
		return Config{}, fmt.Errorf("%s: %w", g.source, err)
	}
	return c, nil
}

const ours = "MEMTREE_LLM_*"

// group names the variables of one way to configure a model.
type group struct{ source, model, baseURL, apiKey string }

func pickGroup(get func(string) string) (group, bool) {
	memtree := group{ours, "MEMTREE_LLM_MODEL", "MEMTREE_LLM_BASE_URL", "MEMTREE_LLM_API_KEY"}
	if memtree.firstSet(get) != "" || get("MEMTREE_LLM_PROVIDER") != "" {
		return memtree, true
	}
	midscene := group{"MIDSCENE_MODEL_*", "MIDSCENE_MODEL_NAME", "MIDSCENE_MODEL_BASE_URL", "MIDSCENE_MODEL_API_KEY"}
	if midscene.firstSet(get) != "" {
		alone := get(midscene.baseURL) == "" && get(midscene.apiKey) == ""
		if alone && (get("OPENAI_BASE_URL") != "" || get("OPENAI_API_KEY") != "") {
			midscene.baseURL, midscene.apiKey = "OPENAI_BASE_URL", "OPENAI_API_KEY"
		}
		return midscene, true
	}
	openai := group{"OPENAI_*", "OPENAI_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"}
	if openai.firstSet(get) != "" {
		return openai, true
	}
	return memtree, get("MEMTREE_LLM_EMBED_MODEL") != ""
}

// firstSet names a variable of the group that is set, "" if none is.
func (g group) firstSet(get func(string) string) string {
	for _, name := range []string{g.model, g.baseURL, g.apiKey} {
		if get(name) != "" {
			return name
		}
	}
	return ""
}

// named is a variable that made the group be picked, for errors.
func (g group) named(get func(string) string) string {
	if name := g.firstSet(get); name != "" {
		return name
	}
	if get("MEMTREE_LLM_PROVIDER") != "" {
		return "MEMTREE_LLM_PROVIDER"
	}
	return "MEMTREE_LLM_EMBED_MODEL"
}

func (g group) provider(get func(string) string) string {
	if p := get("MEMTREE_LLM_PROVIDER"); p != "" && g.source == ours {
		return strings.ToLower(p)
	}
	return OpenAI
}

func (c *Config) settings(get func(string) string) error {
	if s := get("MEMTREE_LLM_TIMEOUT"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 {
			return fmt.Errorf("MEMTREE_LLM_TIMEOUT is %q: write a time such as 90s or 2m", s)
		}
		c.Timeout = d
	}
	if s := get("MEMTREE_LLM_MAX_TOKENS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			return fmt.Errorf("MEMTREE_LLM_MAX_TOKENS is %q: write a whole number above 0", s)
		}
		c.MaxTokens = n
	}
	return nil
}

// check finds what a provider's client would choke on, before it does.
func (c Config) check() error {
	switch c.Provider {
	case OpenAI, Anthropic, Ollama:
	default:
		return fmt.Errorf("provider %q is not known: use %s (also for compatible servers), %s or %s", c.Provider, OpenAI, Anthropic, Ollama)
	}
	if strings.ContainsFunc(string(c.APIKey), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r > unicode.MaxASCII }) {
		return errors.New("the API key has a space, a line break or a character that is not ASCII in it: copy it again")
	}
	_, err := c.base()
	return err
}

// base is the address the provider's paths are added to.
func (c Config) base() (*url.URL, error) {
	raw := c.BaseURL
	if raw == "" {
		raw = map[string]string{OpenAI: "https://api.openai.com/v1", Anthropic: "https://api.anthropic.com/v1", Ollama: "http://127.0.0.1:11434"}[c.Provider]
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("the base URL cannot be read: write one such as http://localhost:8000/v1")
	}
	switch {
	case u.User != nil:
		return nil, errors.New("the base URL has a password in it: give it as the API key")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the base URL is %q: write one such as http://localhost:8000/v1, with nothing after the path", raw)
	}
	return u, nil
}
