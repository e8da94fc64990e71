// Package llm is what memtree needs from a model: one JSON object that fits a
// schema, and vectors for texts. It is declared here once; llm/langchain opens
// real providers, llm/llmtest gives predictable ones for tests, and embed needs
// no network at all.
//
// A model's answer is hostile input. [Decode] finds the object in whatever text
// came back and checks it; [Ask] adds the caller's own check and makes exactly
// one repair try. Nothing else in memtree reads what a model wrote.
package llm

import (
	"context"
	"encoding/json"
)

// A Generator answers a request with one JSON object.
//
// The object in a returned Answer satisfies r.Schema; when no such object can be
// had the error is an [*Error] (find it with errors.As). Generate blocks until
// the answer is complete, ctx ends, or the implementation's own deadline passes.
// It keeps nothing of r. Implementations are safe for concurrent use.
type Generator interface {
	Generate(ctx context.Context, r Request) (Answer, error)
}

// An Embedder turns texts into vectors that lie near each other when the texts
// mean similar things.
//
// Embed returns one vector per text in the order of texts, each of Dims()
// finite numbers with Euclidean length 1; a text without anything to embed (an
// empty one) is the zero vector. No texts give no vectors and no error. The same
// text under the same ID gives the same vector, up to a provider's rounding.
// Implementations are safe for concurrent use.
type Embedder interface {
	// ID names the model and whatever else decides the vectors. Vectors of
	// different IDs must not be compared.
	ID() string
	// Dims is the length of every vector; 0 means not known before the first Embed.
	Dims() int
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// A Request asks for one JSON object.
type Request struct {
	// Name says which prompt this is, as "id@version". It appears in logs and
	// errors and names the schema to the provider; it is not sent as text.
	Name string
	// System is the standing instruction, "" for none.
	System string
	// Prompt is what to do now, with its data.
	Prompt string
	// Schema is the JSON Schema the answer must satisfy, in the subset that
	// [Decode] knows. Empty means any object.
	Schema json.RawMessage
	// MaxTokens bounds the answer; 0 takes the generator's default.
	MaxTokens int
	// Repair words the one repair try of [Ask] in the language of the prompt: it
	// gets the answer that was refused ("" when none came) and the reasons, and
	// returns the whole new prompt. Nil repeats Prompt with the reasons in plain
	// English. Generators ignore it.
	Repair func(answer string, violations []string) (string, error) `json:"-"`
}

// Usage counts tokens as the provider counted them; 0 where it did not say.
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
	// Usage is the cost of this answer, of all tries together.
	Usage Usage
}
