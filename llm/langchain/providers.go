package langchain

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memtree/memtree/llm"
)

// The ways to request JSON of a schema from a provider, strictest first.
const (
	formSchema = iota // with the schema, in response_format, a forced tool or format
	formObject        // for any JSON object
	formNone          // by the prompt alone
)

// plainestForm returns the last form worth trying with a provider.
func plainestForm(provider string) int {
	if provider == Anthropic {
		return formObject // it has no such mode, so this is already by the prompt alone
	}
	return formNone
}

// shapeRequest changes the request of langchaingo: it adds the schema in the given form, and removes the parameters in
// lacks. An embedding request has no schema.
func shapeRequest(provider string, body []byte, c *call, form int, lacks parameters) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if c.inputs > 0 {
		lacks.removeFrom(fields)
		return json.Marshal(fields)
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
	lacks.removeFrom(fields)
	return json.Marshal(fields)
}

// shapeOpenAI sets response_format, or removes it for formNone.
func shapeOpenAI(fields map[string]json.RawMessage, schema json.RawMessage, form int, name string) {
	delete(fields, "response_format")
	switch form {
	case formSchema:
		fields["response_format"] = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"` + name +
			`","strict":true,"schema":` + string(schema) + `}}`)
	case formObject:
		fields["response_format"] = json.RawMessage(`{"type":"json_object"}`)
	}
}

// shapeAnthropic requests the answer as the input of a tool. Only that way does every model of the provider follow a
// schema.
func shapeAnthropic(fields map[string]json.RawMessage, schema json.RawMessage, form int) {
	if form == formSchema {
		fields["tools"] = json.RawMessage(`[{"name":"answer","description":"Give the answer.","input_schema":` +
			string(schema) + `}]`)
		fields["tool_choice"] = json.RawMessage(`{"type":"tool","name":"answer"}`)
	}
}

func shapeOllama(fields map[string]json.RawMessage, schema json.RawMessage, form int) {
	// langchaingo omits a false stream, and the server treats a missing one as true.
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

// schemaName replaces the characters that providers do not allow in a name.
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

// inspectReply checks a reply with status 200 before langchaingo reads it, because langchaingo accepts a partial answer
// and panics at a null choice. It returns the body for langchaingo, and stores model, usage and vectors in c.
func inspectReply(provider string, body []byte, c *call, key Secret) ([]byte, *llm.Error) {
	if !json.Valid(body) {
		start := strings.TrimSpace(string(body[:min(len(body), 64)]))
		switch {
		case strings.HasPrefix(start, "<"):
			return nil, &llm.Error{Kind: llm.KindNoAnswer, Err: errPage}
		case strings.HasPrefix(start, "data:") || strings.HasPrefix(start, "event:"):
			return nil, noAnswer("the reply is a stream of events, which was not asked for")
		}
		return nil, noAnswer("the reply is no JSON")
	}
	if e := errorInside(body, key); e != nil {
		return nil, e
	}
	switch {
	case c.inputs > 0:
		var e *llm.Error
		c.vectors, c.usage, e = readVectors(provider, body, c.inputs)
		return body, e
	case provider == Anthropic:
		return body, inspectAnthropic(body, c)
	case provider == Ollama:
		return body, inspectOllama(body, c)
	default:
		return body, inspectOpenAI(body, c)
	}
}

// errorInside returns the error that a provider reports with status 200, nil for none.
func errorInside(body []byte, key Secret) *llm.Error {
	var reply struct {
		Error json.RawMessage `json:"error"`
	}
	// A body of another shape has no such field; later checks report that.
	_ = json.Unmarshal(body, &reply)
	message, code := providerError(body)
	if message == "" || len(reply.Error) == 0 || string(reply.Error) == "null" {
		return nil
	}
	e := &llm.Error{Kind: llm.KindUnavailable, Err: errors.New(redacted(message, key))}
	if status, err := strconv.Atoi(code); err == nil && status >= 400 && status < 600 {
		e.Kind, e.Status = kindOfStatus(status), status
	}
	return e
}

// errPage is the error for a web page as a reply.
var errPage = errors.New("the reply is a web page: is the base URL right?")

func noAnswer(what string) *llm.Error {
	return &llm.Error{Kind: llm.KindNoAnswer, Err: errors.New(what)}
}

// usageOf returns the counts of a provider. A negative count is treated as unknown.
func usageOf(in, out int) llm.Usage {
	return llm.Usage{InputTokens: max(0, in), OutputTokens: max(0, out)}
}

func malformed(what string) *llm.Error {
	return &llm.Error{Kind: llm.KindMalformed, Err: errors.New(what)}
}

// stopError returns the error for the reason why the model stopped, nil if it was done.
func stopError(reason string) *llm.Error {
	switch reason {
	case "length", "max_tokens", "model_context_window_exceeded":
		return &llm.Error{Kind: llm.KindTruncated, Err: errors.New("the answer was cut off at the token limit: raise " +
			"MEMTREE_LLM_MAX_TOKENS")}
	case "content_filter", "refusal", "safety":
		return &llm.Error{Kind: llm.KindRefused, Err: errors.New("the provider's filter stopped the answer")}
	default:
		return nil
	}
}

// inspectOpenAI checks a chat completion: every choice has a message, and the first one has a complete answer.
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
		return noAnswer("the reply has another shape than chat completions: " + redacted(err.Error(), ""))
	}
	c.model, c.usage = reply.Model, usageOf(reply.Usage.Prompt, reply.Usage.Completion)
	if len(reply.Choices) == 0 {
		return noAnswer("the reply has no choices")
	}
	for _, choice := range reply.Choices {
		if choice == nil || choice.Message == nil {
			return noAnswer("the reply has an empty choice")
		}
	}
	first := reply.Choices[0]
	if first.Message.Refusal != "" {
		return &llm.Error{Kind: llm.KindRefused, Err: errors.New(redacted(first.Message.Refusal, ""))}
	}
	if e := stopError(first.FinishReason); e != nil {
		return e
	}
	if first.Message.Content == nil || *first.Message.Content == "" {
		return noAnswer("the answer is empty")
	}
	return nil
}

// inspectAnthropic checks a message: it is complete and has content.
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
		return noAnswer("the reply has another shape than messages: " + redacted(err.Error(), ""))
	}
	c.model, c.usage = reply.Model, usageOf(reply.Usage.Input, reply.Usage.Output)
	if e := stopError(reply.StopReason); e != nil {
		return e
	}
	if len(reply.Content) == 0 {
		return noAnswer("the answer is empty")
	}
	return nil
}

// inspectOllama checks a chat reply: it is complete and has content.
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
		return noAnswer("the reply has another shape than chat: " + redacted(err.Error(), ""))
	}
	c.model, c.usage = reply.Model, usageOf(reply.Prompt, reply.Eval)
	if e := stopError(reply.DoneReason); e != nil {
		return e
	}
	if !reply.Done || reply.Message == nil || reply.Message.Content == "" {
		return noAnswer("the answer is empty or not complete")
	}
	return nil
}
