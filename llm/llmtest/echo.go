package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/memtree/memtree/llm"
)

// Echo is an llm.Generator that answers with the request. Without a schema the answer is {"system": …, "prompt":
// …}. With one, it is the smallest object that fits: the prompt in every string, the first of each list of choices,
// and the least of each range. Usage counts bytes as tokens.
type Echo struct{}

// Generate returns r as an object. It fails if ctx has ended, if the schema is invalid, or if the object does not fit
// it, such as a prompt below a minimum length.
func (Echo) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	if err := ctx.Err(); err != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	var v any = map[string]string{"system": r.System, "prompt": r.Prompt}
	if len(bytes.TrimSpace(r.Schema)) > 0 {
		var s schemaShape
		if err := json.Unmarshal(r.Schema, &s); err != nil {
			return llm.Answer{}, &llm.Error{Kind: llm.KindBadRequest, Err: err}
		}
		v = s.smallest(r.Prompt)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindMalformed, Err: err}
	}
	return decodeAnswer("echo", b.String(), llm.Usage{InputTokens: len(r.System) + len(r.Prompt), OutputTokens: b.Len()},
		r.Schema)
}

// schemaShape is the part of a schema that Echo needs.
type schemaShape struct {
	Type       json.RawMessage         `json:"type"`
	Enum       []json.RawMessage       `json:"enum"`
	Properties map[string]*schemaShape `json:"properties"`
	Required   []string                `json:"required"`
	Items      *schemaShape            `json:"items"`
	Minimum    float64                 `json:"minimum"`
	MinItems   int                     `json:"minItems"`
	MaxLength  *int                    `json:"maxLength"`
}

// smallest returns the smallest value that fits the schema.
func (s *schemaShape) smallest(prompt string) any {
	if s == nil {
		return nil
	}
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	switch s.kind() {
	case "object":
		object := map[string]any{}
		for _, name := range s.Required {
			object[name] = s.Properties[name].smallest(prompt)
		}
		return object
	case "array":
		return slices.Repeat([]any{s.Items.smallest(prompt)}, s.MinItems)
	case "string":
		if r := []rune(prompt); s.MaxLength != nil && len(r) > *s.MaxLength {
			return string(r[:*s.MaxLength])
		}
		return prompt
	case "number", "integer":
		return s.Minimum
	case "boolean":
		return false
	default:
		return nil
	}
}

// kind returns the first type of the schema.
func (s *schemaShape) kind() string {
	var one string
	if json.Unmarshal(s.Type, &one) == nil {
		return one
	}
	var many []string
	if json.Unmarshal(s.Type, &many) == nil && len(many) > 0 {
		return many[0]
	}
	return ""
}
