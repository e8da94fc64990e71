package langchain

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memtree/memtree/llm"
)

// The forms in which a provider is asked to keep to a schema, strictest first.
const (
	formSchema = iota // the schema itself: response_format, a forced tool, format
	formObject        // any JSON object
	formNone          // nothing but the words of the prompt
)

// plainest is the last form worth a try.
func plainest(provider string) int {
	if provider == Anthropic {
		return formObject // which is nothing but words already
	}
	return formNone
}

// shape changes langchaingo's request: the schema goes in, in the given form, and
// what langchaingo leaves to the provider is settled.
func shape(provider string, body []byte, c *call, form int, warm bool) ([]byte, error) {
	if c.inputs > 0 {
		return body, nil
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if warm {
		delete(fields, "temperature")
	}
	schema := c.schema
	if len(schema) == 0 {
		form = max(form, formObject)
		schema = json.RawMessage(`{"type":"object"}`)
	}
	switch provider {
	case Anthropic:
		shapeAnthropic(fields, schema, form)
	case Ollama:
		shapeOllama(fields, schema, form)
	default:
		shapeOpenAI(fields, schema, form, schemaName(c.name))
	}
	return json.Marshal(fields)
}

func shapeOpenAI(fields map[string]json.RawMessage, schema json.RawMessage, form int, name string) {
	delete(fields, "response_format")
	switch form {
	case formSchema:
		fields["response_format"] = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"` + name + `","strict":true,"schema":` + string(schema) + `}}`)
	case formObject:
		fields["response_format"] = json.RawMessage(`{"type":"json_object"}`)
	}
}

// shapeAnthropic has the answer given as the input of a tool, the one way in
// which every model of the provider keeps to a schema.
func shapeAnthropic(fields map[string]json.RawMessage, schema json.RawMessage, form int) {
	if form == formSchema {
		fields["tools"] = json.RawMessage(`[{"name":"answer","description":"Give the answer.","input_schema":` + string(schema) + `}]`)
		fields["tool_choice"] = json.RawMessage(`{"type":"tool","name":"answer"}`)
	}
}

func shapeOllama(fields map[string]json.RawMessage, schema json.RawMessage, form int) {
	// langchaingo leaves stream out when it is false, which the server takes as true.
	fields["stream"] = json.RawMessage(`false`)
	switch form {
	case formSchema:
		fields["format"] = schema
	case formObject:
		fields["format"] = json.RawMessage(`"json"`)
	default:
		delete(fields, "format")
	}
}

// schemaName keeps what providers allow in a name.
func schemaName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, s)
	if s == "" {
		return "answer"
	}
	return s[:min(len(s), 64)]
}

// inspect looks at a reply with status 200 before langchaingo does, which takes a
// half answer for a whole one, panics at a null choice, and loses the order of
// embeddings. It returns the body to pass on.
func inspect(provider string, body []byte, c *call, key Secret) ([]byte, *llm.Error) {
	if !json.Valid(body) {
		what := "the reply is no JSON"
		if strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "<") {
			what = "the reply is a web page: is the base URL right?"
		}
		return nil, malformed(what)
	}
	if e := errorInside(body, key); e != nil {
		return nil, e
	}
	switch {
	case c.inputs > 0 && provider == Ollama:
		return body, inspectOllamaVectors(body)
	case c.inputs > 0:
		return inspectOpenAIVectors(body, c)
	case provider == Anthropic:
		return body, inspectAnthropic(body, c)
	case provider == Ollama:
		return body, inspectOllama(body, c)
	default:
		return body, inspectOpenAI(body, c)
	}
}

// errorInside finds the error of a provider that reports it with status 200.
func errorInside(body []byte, key Secret) *llm.Error {
	var reply struct {
		Error json.RawMessage `json:"error"`
	}
	// A body of another shape has no such field; the checks after this one say so.
	_ = json.Unmarshal(body, &reply)
	message, code := providerError(body)
	if message == "" || len(reply.Error) == 0 || string(reply.Error) == "null" {
		return nil
	}
	e := &llm.Error{Kind: llm.KindUnavailable, Err: errors.New(shown(message, key))}
	if status, err := strconv.Atoi(code); err == nil && status >= 400 && status < 600 {
		e.Kind, e.Status = kindOfStatus(status), status
	}
	return e
}

func malformed(what string) *llm.Error {
	return &llm.Error{Kind: llm.KindMalformed, Err: errors.New(what)}
}

// ended maps the provider's word for why the model stopped.
func ended(reason string) *llm.Error {
	switch reason {
	case "length", "max_tokens", "model_context_window_exceeded":
		return &llm.Error{Kind: llm.KindTruncated, Err: errors.New("the answer was cut off at the token limit: raise MEMTREE_LLM_MAX_TOKENS")}
	case "content_filter", "refusal", "safety":
		return &llm.Error{Kind: llm.KindRefused, Err: errors.New("the provider's filter stopped the answer")}
	default:
		return nil
	}
}

func inspectOpenAI(body []byte, c *call) *llm.Error {
	var reply struct {
		Model   string `json:"model"`
		Choices []*struct {
			FinishReason string `json:"finish_reason"`
			Message      *struct {
				Content *string `json:"content"`
				Refusal string  `json:"refusal"`
			} `json:"message"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return malformed("the reply has another shape than chat completions: " + shown(err.Error(), ""))
	}
	c.model, c.usage = reply.Model, llm.Usage{InputTokens: reply.Usage.Prompt, OutputTokens: reply.Usage.Completion}
	if len(reply.Choices) == 0 {
		return malformed("the reply has no choices")
	}
	for _, choice := range reply.Choices {
		if choice == nil || choice.Message == nil {
			return malformed("the reply has an empty choice")
		}
	}
	first := reply.Choices[0]
	if first.Message.Refusal != "" {
		return &llm.Error{Kind: llm.KindRefused, Err: errors.New(shown(first.Message.Refusal, ""))}
	}
	if e := ended(first.FinishReason); e != nil {
		return e
	}
	if first.Message.Content == nil || *first.Message.Content == "" {
		return malformed("the answer is empty")
	}
	return nil
}

func inspectAnthropic(body []byte, c *call) *llm.Error {
	var reply struct {
		Model      string            `json:"model"`
		Content    []json.RawMessage `json:"content"`
		StopReason string            `json:"stop_reason"`
		Usage      struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return malformed("the reply has another shape than messages: " + shown(err.Error(), ""))
	}
	c.model, c.usage = reply.Model, llm.Usage{InputTokens: reply.Usage.Input, OutputTokens: reply.Usage.Output}
	if e := ended(reply.StopReason); e != nil {
		return e
	}
	if len(reply.Content) == 0 {
		return malformed("the answer is empty")
	}
	return nil
}

func inspectOllama(body []byte, c *call) *llm.Error {
	var reply struct {
		Model   string `json:"model"`
		Message *struct {
			Content string `json:"content"`
		} `json:"message"`
		Done       bool   `json:"done"`
		DoneReason string `json:"done_reason"`
		Prompt     int    `json:"prompt_eval_count"`
		Eval       int    `json:"eval_count"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return malformed("the reply has another shape than chat: " + shown(err.Error(), ""))
	}
	c.model, c.usage = reply.Model, llm.Usage{InputTokens: reply.Prompt, OutputTokens: reply.Eval}
	if e := ended(reply.DoneReason); e != nil {
		return e
	}
	if !reply.Done || reply.Message == nil || reply.Message.Content == "" {
		return malformed("the answer is empty or not complete")
	}
	return nil
}
