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

// Values of ModelConfig.Provider.
const (
	OpenAI    = "openai"    // the provider OpenAI, and every server with the same API
	Anthropic = "anthropic" // the provider Anthropic
	Ollama    = "ollama"    // a server of Ollama, mostly on the same machine
)

// Defaults of a [ModelConfig].
const (
	defaultTimeout   = 2 * time.Minute
	defaultMaxTokens = 2048
)

// ModelConfig configures a chat model, an embedding model, or both. The zero ModelConfig means no model.
type ModelConfig struct {
	Provider   string        // OpenAI, Anthropic or Ollama
	Model      string        // name of the chat model; "": none
	EmbedModel string        // name of the embedding model; "": none
	BaseURL    string        // address of the API; "": the default of the provider
	APIKey     Secret        // "" for a server that needs none
	Timeout    time.Duration // most time of a call with all its retries; 0: 2 minutes
	MaxTokens  int           // most tokens of an answer, unless the request sets it; 0: 2048
	Images     bool          // the chat model accepts images
	Source     string        // where the configuration comes from, such as "MEMTREE_LLM_*"
}

// Secret is a text that is printed, logged and encoded only as "set" or "unset". Convert it to a string for its
// content.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return "unset"
	}
	return "set"
}

// GoString returns "set" or "unset" in quotes, so that %#v does not show the secret.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// MarshalText returns "set" or "unset", so that encoders do not write the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue returns "set" or "unset", so that logs do not contain the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

var _ json.Marshaler = ModelConfig{}

// Configured reports whether c names a chat model or an embedding model.
func (c ModelConfig) Configured() bool { return c.Model != "" || c.EmbedModel != "" }

// String returns provider, models and address for people, without the key.
func (c ModelConfig) String() string {
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

// GoString returns String, so that %#v does not show the key.
func (c ModelConfig) GoString() string { return c.String() }

// MarshalJSON encodes the main fields, with the key as "set" or "unset".
func (c ModelConfig) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"provider": c.Provider, "model": c.Model, "embedModel": c.EmbedModel, "baseUrl": c.BaseURL,
		"apiKey": c.APIKey.String(), "source": c.Source,
	})
}

// LogValue returns the main fields, with the key as "set" or "unset".
func (c ModelConfig) LogValue() slog.Value {
	if !c.Configured() {
		return slog.StringValue(c.String())
	}
	return slog.GroupValue(slog.String("provider", c.Provider), slog.String("model", c.Model),
		slog.String("embedModel", c.EmbedModel),
		slog.String("baseURL", c.BaseURL), slog.String("key", c.APIKey.String()), slog.String("source", c.Source))
}

// MissingError means that the environment configures only a part of a model.
type MissingError struct {
	Set     string // a variable that is set
	Missing string // a variable that is needed and not set
	Hint    string // an alternative, in brackets; or ""
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is set, but %s is not: set it too%s, or set MEMTREE_LLM_PROVIDER=none to work without a model",
		e.Set, e.Missing, e.Hint)
}

// FromEnv reads the configuration from environment variables through getenv (os.Getenv). It uses the first of these
// groups with a variable that is set, and nothing from the others, so that no key is sent to the address of another
// group:
//
//	MEMTREE_LLM_PROVIDER (openai, anthropic, ollama; none turns models off), _MODEL, _BASE_URL, _API_KEY
//	MIDSCENE_MODEL_NAME, _BASE_URL, _API_KEY; with the name alone, OPENAI_BASE_URL and OPENAI_API_KEY, as Midscene does
//	OPENAI_MODEL, _BASE_URL, _API_KEY
//
// MEMTREE_LLM_EMBED_MODEL, MEMTREE_LLM_TIMEOUT (such as 90s), MEMTREE_LLM_MAX_TOKENS and MEMTREE_LLM_IMAGES (on:
// the model takes images) apply to any group. If nothing is set, it returns the zero ModelConfig and no error. If
// only part of a group is set, it returns a [*MissingError].
func FromEnv(getenv func(string) string) (ModelConfig, error) {
	get := func(name string) string { return strings.TrimSpace(getenv(name)) }
	if get("MEMTREE_LLM_PROVIDER") == "none" {
		return ModelConfig{}, nil
	}
	g, ok := pickGroup(get)
	if !ok {
		return ModelConfig{}, nil
	}
	c := ModelConfig{
		Provider: g.providerName(get), Model: get(g.model), EmbedModel: get("MEMTREE_LLM_EMBED_MODEL"),
		BaseURL: strings.TrimRight(get(g.baseURL), "/"), APIKey: Secret(get(g.apiKey)), Source: g.source,
	}
	if err := c.readSettings(get); err != nil {
		return ModelConfig{}, err
	}
	if c.Model == "" && (c.EmbedModel == "" || g.source != memtreeGroup) {
		return ModelConfig{}, &MissingError{Set: g.whatIsSet(get), Missing: g.model}
	}
	if c.APIKey == "" && c.BaseURL == "" && c.Provider != Ollama {
		return ModelConfig{}, &MissingError{Set: g.whatIsSet(get), Missing: g.apiKey,
			Hint: " (or " + g.baseURL + ", for a server that needs no key)"}
	}
	if err := c.check(); err != nil {
		return ModelConfig{}, g.named(err)
	}
	return c, nil
}

const memtreeGroup = "MEMTREE_LLM_*"

// envNames holds the names of the variables of one group.
type envNames struct{ source, model, baseURL, apiKey string }

// pickGroup returns the group to use, and false if nothing is set.
func pickGroup(get func(string) string) (envNames, bool) {
	memtree := envNames{memtreeGroup, "MEMTREE_LLM_MODEL", "MEMTREE_LLM_BASE_URL", "MEMTREE_LLM_API_KEY"}
	if memtree.firstSet(get) != "" || get("MEMTREE_LLM_PROVIDER") != "" {
		return memtree, true
	}
	// Midscene uses address and key from OpenAI's variables if only its name is set.
	midscene := envNames{"MIDSCENE_MODEL_*", "MIDSCENE_MODEL_NAME", "MIDSCENE_MODEL_BASE_URL", "MIDSCENE_MODEL_API_KEY"}
	if midscene.firstSet(get) != "" {
		alone := get(midscene.baseURL) == "" && get(midscene.apiKey) == ""
		if alone && (get("OPENAI_BASE_URL") != "" || get("OPENAI_API_KEY") != "") {
			midscene.baseURL, midscene.apiKey = "OPENAI_BASE_URL", "OPENAI_API_KEY"
		}
		return midscene, true
	}
	openai := envNames{"OPENAI_*", "OPENAI_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"}
	if openai.firstSet(get) != "" {
		return openai, true
	}
	return memtree, get("MEMTREE_LLM_EMBED_MODEL") != ""
}

// firstSet returns the name of a variable of the group that is set, "" if none is.
func (g envNames) firstSet(get func(string) string) string {
	for _, name := range []string{g.model, g.baseURL, g.apiKey} {
		if get(name) != "" {
			return name
		}
	}
	return ""
}

// whatIsSet returns the name of the variable that made pickGroup choose the group.
func (g envNames) whatIsSet(get func(string) string) string {
	if name := g.firstSet(get); name != "" {
		return name
	}
	if get("MEMTREE_LLM_PROVIDER") != "" {
		return "MEMTREE_LLM_PROVIDER"
	}
	return "MEMTREE_LLM_EMBED_MODEL"
}

// providerName returns the provider of the group; only memtree's own variables can choose one.
func (g envNames) providerName(get func(string) string) string {
	if p := get("MEMTREE_LLM_PROVIDER"); p != "" && g.source == memtreeGroup {
		return strings.ToLower(p)
	}
	return OpenAI
}

// readSettings reads the variables that apply to any group.
func (c *ModelConfig) readSettings(get func(string) string) error {
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
	switch s := get("MEMTREE_LLM_IMAGES"); s {
	case "", "off":
	case "on":
		c.Images = true
	default:
		return fmt.Errorf("MEMTREE_LLM_IMAGES is %q: write on for a model that takes images, or off", s)
	}
	return nil
}

// A fieldError is an invalid setting of a ModelConfig.
type fieldError struct{ name, problem string }

func (e *fieldError) Error() string { return "the " + e.name + " " + e.problem }

// The names of settings in a fieldError.
const (
	theModel = "model"
	theURL   = "base URL"
	theKey   = "API key"
)

// named returns an error of check with the name of the variable.
func (g envNames) named(err error) error {
	f, ok := errors.AsType[*fieldError](err)
	if !ok {
		return fmt.Errorf("%s: %w", g.source, err)
	}
	return errors.New(map[string]string{theModel: g.model, theURL: g.baseURL, theKey: g.apiKey}[f.name] + " " + f.problem)
}

// check returns an error for settings on which a provider's client would fail later.
func (c ModelConfig) check() error {
	switch c.Provider {
	case OpenAI, Anthropic, Ollama:
	default:
		return fmt.Errorf("provider %q is not known: use %s (also for compatible servers), %s or %s", c.Provider, OpenAI,
			Anthropic, Ollama)
	}
	if strings.ContainsFunc(string(c.APIKey), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) ||
			r > unicode.MaxASCII
	}) {
		return &fieldError{theKey, "has a space, a line break or a character that is not ASCII in it: copy it again"}
	}
	for _, name := range []string{c.Model, c.EmbedModel} {
		if strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return &fieldError{theModel,
				fmt.Sprintf("is %q, which has a space in it: write one name as the provider spells it", name)}
		}
	}
	_, err := c.base()
	return err
}

// base returns the address to which the paths of the provider are added.
func (c ModelConfig) base() (*url.URL, error) {
	raw := c.BaseURL
	if raw == "" {
		raw = map[string]string{OpenAI: "https://api.openai.com/v1", Anthropic: "https://api.anthropic.com/v1",
			Ollama: "http://127.0.0.1:11434"}[c.Provider]
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, &fieldError{theURL, "cannot be read: write one such as http://localhost:8000/v1"}
	}
	switch {
	case u.User != nil:
		return nil, &fieldError{theURL, "has a password in it: give it as the API key"}
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, &fieldError{theURL,
			fmt.Sprintf("is %q: write one such as http://localhost:8000/v1, with nothing after the path",
				redacted(raw, c.APIKey))}
	}
	return u, nil
}
