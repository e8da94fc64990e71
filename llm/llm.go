// Package llm declares what memtree needs from a model: one JSON object that fits a schema, and vectors of texts.
// llm/langchain opens real providers, llm/llmtest has predictable models for tests, and internal/embed needs no
// network.
//
// A model's answer is hostile input. [Decode] finds and checks the object in the returned text; [Ask] adds the caller's
// own check and one repair. Nothing else in memtree reads the text of a model.
//
// Where to look:
//   - ask.go: a call with its repair; answer.go, schema.go: the object in an answer
//   - error.go: the kinds of errors; halt.go: a model that is called no more; find.go: what a model can do
//   - image.go: what a model may be shown; tally.go: the tokens that embedders use
package llm

import (
	"context"
	"encoding/json"
)

// Generator is a model that answers a request with one JSON object.
//
// The object in a returned Answer satisfies r.Schema. If there is no such object, the error is an [*Error] (find it
// with errors.As). Generate blocks until the answer is complete, ctx ends, or the implementation's own deadline passes.
// It keeps no reference to r. Implementations are safe for concurrent use.
type Generator interface {
	Generate(ctx context.Context, r Request) (Answer, error)
}

// Embedder is a model that converts texts to vectors; texts with similar meanings have similar vectors.
//
// Embed returns one vector per text, in the order of texts. Each has Dims() finite numbers and Euclidean length 1; an
// empty text has the zero vector. No texts give no vectors and no error. The same text under the same ID gives the same
// vector, apart from a provider's rounding. Implementations are safe for concurrent use.
type Embedder interface {
	// ID identifies the model and everything else that determines the vectors. Vectors of different IDs must not be
	// compared.
	ID() string
	// Dims returns the length of every vector; 0 if it is not known before the first Embed.
	Dims() int
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Request asks a model for one JSON object.
type Request struct {
	// Name identifies the prompt, as "id@version". It is for logs and errors, and the name of the schema for the
	// provider; the model does not see it.
	Name string
	// System is the system instruction, "" for none.
	System string
	// Prompt is the task, with its data.
	Prompt string
	// Images are shown after the prompt, to a model that takes them (see Sees), at most four.
	Images []Image `json:"-"`
	// Schema is the JSON Schema that the answer must satisfy, in the subset that [Decode] supports. Empty means any
	// object.
	Schema json.RawMessage
	// MaxTokens limits the answer; 0 means the generator's default.
	MaxTokens int
	// Repair builds the prompt for the second request of [Ask], in the language of the prompt. It receives the rejected
	// answer ("" if there is none) and the reasons, and returns the whole new prompt. Nil means Prompt followed by the
	// reasons in plain English. Generators ignore it.
	Repair func(answer string, violations []string) (string, error) `json:"-"`
	// Repairing holds the reasons why the first answer was rejected, in the second request of [Ask]. They are already in
	// Prompt; a tool for manual answers shows them.
	Repairing []string `json:"-"`
}

// Usage is the number of tokens that one or more requests used; 0 if unknown.
type Usage struct {
	InputTokens  int `json:"inputTokens"`
	OutputTokens int `json:"outputTokens"`
}

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{InputTokens: u.InputTokens + v.InputTokens, OutputTokens: u.OutputTokens + v.OutputTokens}
}

// Answer is the answer of a model to a Request.
type Answer struct {
	// JSON is one compact object that satisfies the request's schema.
	JSON json.RawMessage
	// Model is the name of the model that answered, as the provider reports it.
	Model string
	// Usage holds the tokens of this answer; from Ask, with those of the rejected first answer.
	Usage Usage
}
