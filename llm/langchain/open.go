// Package langchain opens real models through langchaingo, which no other package imports. It supports OpenAI and every
// compatible server, Anthropic and Ollama.
//
// Our http.RoundTripper does what langchaingo does not: a deadline, a limit on the body, errors with a kind, retries
// with jitter that obey Retry-After, a circuit breaker, the JSON Schema in the request, a check of the reply before
// langchaingo reads it, and the key, which langchaingo never sees. A panic in provider code becomes an error.
//
// Where to look:
//   - config.go: environment variables; probe.go: the resulting address and request form
//   - transport.go, fault.go, providers.go: the RoundTripper, errors by kind, requests and replies
//   - generate.go, embed.go, vectors.go: the calls; parameter.go, habits.go: what a model rejects
package langchain

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/memtree/memtree/llm"
)

// tuning holds constants that tests change.
type tuning struct {
	tries    uint          // most requests per call
	first    time.Duration // wait before the second request, before jitter
	longest  time.Duration // if the provider requests a longer wait, the call fails
	maxReply int64         // bytes of a body
	trip     uint32        // consecutive failed calls after which the breaker opens
	rest     time.Duration // how long the breaker remains open
}

func defaults() tuning {
	return tuning{tries: 3, first: 500 * time.Millisecond, longest: 20 * time.Second, maxReply: 16 << 20, trip: 4,
		rest: 30 * time.Second}
}

// ChatModel is an llm.Generator that calls a provider. It is safe for concurrent use.
type ChatModel struct {
	config ModelConfig
	client llms.Model
	http   *transport
}

var _ llm.Generator = (*ChatModel)(nil)

// Open returns the chat model of c. It sends nothing before the first Generate. If c has no such model, the error is an
// llm.Error of KindNotSet.
func Open(c ModelConfig) (*ChatModel, error) { return openModel(c, defaults()) }

func openModel(c ModelConfig, t tuning) (*ChatModel, error) {
	if c.Model == "" {
		return nil, &llm.Error{Kind: llm.KindNotSet,
			Err: errors.New("no model is configured: set MEMTREE_LLM_MODEL and MEMTREE_LLM_API_KEY or MEMTREE_LLM_BASE_URL")}
	}
	rt, err := newTransport(c, t)
	if err != nil {
		return nil, err
	}
	client, err := newClient(c, c.Model, rt)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.Provider, err)
	}
	return &ChatModel{config: c.withDefaults(), client: client, http: rt}, nil
}

// Close closes idle connections to the provider. Running calls continue.
func (m *ChatModel) Close() { m.http.close() }

// withDefaults returns c with defaults for missing limits.
func (c ModelConfig) withDefaults() ModelConfig {
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.MaxTokens <= 0 {
		c.MaxTokens = defaultMaxTokens
	}
	return c
}

// placeholder is the key for langchaingo, which requires one. The transport puts the real key into the request.
const placeholder = "-"

// noRedirect prevents that a request is sent to another address than its own.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// newClient returns a client of langchaingo. It sets everything that the client would otherwise read from the
// environment.
//
//nolint:ireturn // langchaingo's clients have no other type in common
func newClient(c ModelConfig, model string, rt *transport) (llms.Model, error) {
	base := strings.TrimRight(rt.base.String(), "/")
	client := &http.Client{Transport: rt, CheckRedirect: noRedirect}
	switch c.Provider {
	case Anthropic:
		return anthropic.New(anthropic.WithToken(placeholder), anthropic.WithModel(model), anthropic.WithBaseURL(base),
			anthropic.WithHTTPClient(client))
	case Ollama:
		return ollama.New(ollama.WithModel(model), ollama.WithServerURL(base), ollama.WithHTTPClient(client),
			ollama.WithFormat("json"))
	default:
		return openai.New(openai.WithToken(placeholder), openai.WithModel(model), openai.WithBaseURL(base),
			openai.WithOrganization(""), openai.WithHTTPClient(client))
	}
}
