// Package llm declares what memtree needs from a model: one JSON object that fits a
// schema, and vectors of texts. llm/langchain opens real providers, llm/llmtest has
// predictable models for tests, and embed needs no network.
//
// A model's answer is hostile input. [Decode] finds the object in the text that came
// back and checks it; [Ask] adds the caller's own check and one repair try. Nothing
// else in memtree reads what a model wrote.
package llm

import (
	"context"
	"encoding/json"
)

// A Generator answers a request with one JSON object.
//
// The object in a returned Answer satisfies r.Schema. If there is no such object, the
// error is an [*Error] (find it with errors.As). Generate blocks until the answer is
// complete, ctx ends, or the implementation's own deadline passes. It keeps nothing
// of r. Implementations are safe for concurrent use.
type Generator interface {
	Generate(ctx context.Context, r Request) (Answer, error)
}

// An Embedder turns texts into vectors; the vectors of texts that mean similar things
// are near each other.
//
// Embed returns one vector per text, in the order of texts. Each has Dims() finite
// numbers and the Euclidean length 1; an empty text has the zero vector. No texts give
// no vectors and no error. The same text under the same ID gives the same vector,
// apart from a provider's rounding. Implementations are safe for concurrent use.
type Embedder interface {
	// ID names the model and everything else that decides the vectors. Vectors of
	// different IDs must not be compared.
	ID() string
	// Dims returns the length of every vector; 0 if it is not known before the first Embed.
	Dims() int
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// A Request asks for one JSON object.
type Request struct {
	// Name says which prompt this is, as "id@version". It is for logs and errors, and
	// it names the schema to the provider; the model does not read it.
	Name string
	// System is the standing instruction, "" for none.
	System string
	// Prompt is the task, with its data.
	Prompt string
	// Schema is the JSON Schema the answer must satisfy, in the subset that
	// [Decode] knows. Empty means any object.
	Schema json.RawMessage
	// MaxTokens bounds the answer; 0 takes the generator's default.
	MaxTokens int
	// Repair words the repair try of [Ask] in the language of the prompt. It gets the
	// refused answer ("" if none came) and the reasons, and returns the whole new
	// prompt. Nil means Prompt followed by the reasons in plain English. Generators
	// ignore it.
	Repair func(answer string, violations []string) (string, error) `json:"-"`
	// Repairing has the reasons why the answer before was refused, on the repair try of
	// [Ask]. They are in Prompt already; who answers by hand shows them.
	Repairing []string `json:"-"`
}

// Usage counts tokens as the provider does; 0 if it does not say.
type Usage struct {
	InputTokens  int `json:"inputTokens"`
	OutputTokens int `json:"outputTokens"`
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{InputTokens: u.InputTokens + v.InputTokens, OutputTokens: u.OutputTokens + v.OutputTokens}
}

// An Answer is what a generator gave.
type Answer struct {
	// JSON is one compact object that satisfies the request's schema.
	JSON json.RawMessage
	// Model is the model that answered, as the provider names it.
	Model string
	// Usage is the cost of this answer, summed over all tries.
	Usage Usage
}
