package langchain

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/memtree/memtree/llm"
)

// maxPrompt limits a request, in bytes. Every model rejects more, but only after a long upload.
const maxPrompt = 1 << 20

// errDeadline is the cause of a context ended by our own timeout.
var errDeadline = errors.New("the model took longer than the configured timeout")

// ID returns provider and model, such as "openai:gpt-4o".
func (m *ChatModel) ID() string { return m.config.Provider + ":" + m.config.Model }

// Generate asks the model for an object that fits the schema of r, at temperature 0 unless the model rejects that
// parameter. See [llm.Generator].
func (m *ChatModel) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	if n := len(r.System) + len(r.Prompt); n > maxPrompt {
		return llm.Answer{}, &llm.Error{Kind: llm.KindTooLarge,
			Err: fmt.Errorf("the prompt %s has %d bytes, more than %d", r.Name, n, maxPrompt)}
	}
	if err := m.checkImages(&r); err != nil {
		return llm.Answer{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.config.Timeout, errDeadline)
	defer cancel()
	c := &call{name: r.Name, schema: r.Schema}
	text, err := m.write(withCall(ctx, c), r)
	if err != nil {
		return llm.Answer{}, c.asError(ctx, err)
	}
	raw, err := llm.Decode(text, r.Schema)
	if err != nil {
		return llm.Answer{}, c.asError(ctx, err)
	}
	c.model = cmp.Or(c.model, m.config.Model)
	return llm.Answer{JSON: raw, Model: c.model, Usage: c.usage}, nil
}

// write calls langchaingo and returns the text of the model.
func (m *ChatModel) write(ctx context.Context, r llm.Request) (text string, err error) {
	defer recoverPanic(&err)
	var messages []llms.MessageContent
	if r.System != "" {
		messages = append(messages, llms.TextParts(llms.ChatMessageTypeSystem, r.System))
	}
	asked := llms.TextParts(llms.ChatMessageTypeHuman, r.Prompt)
	for i := range r.Images {
		asked.Parts = append(asked.Parts, m.imagePart(&r.Images[i]))
	}
	messages = append(messages, asked)
	reply, err := m.client.GenerateContent(ctx, messages, m.options(r)...)
	if err != nil {
		return "", err
	}
	if reply == nil {
		return "", errors.New("the provider gave nothing")
	}
	for _, choice := range reply.Choices {
		switch {
		case choice == nil:
			continue
		case len(choice.ToolCalls) > 0 && choice.ToolCalls[0].FunctionCall != nil:
			return choice.ToolCalls[0].FunctionCall.Arguments, nil
		case text == "":
			text = choice.Content
		}
	}
	if text == "" {
		return "", errors.New("the answer is empty")
	}
	return text, nil
}

// Sees reports whether the configuration of m declares that it accepts images.
func (m *ChatModel) Sees() bool { return m.config.Images }

func (m *ChatModel) checkImages(r *llm.Request) error {
	if len(r.Images) > 0 && !m.config.Images {
		return &llm.Error{Kind: llm.KindBadRequest, Err: fmt.Errorf("the prompt %s has images, and the model is not set to "+
			"take them; MEMTREE_LLM_IMAGES=on says that it does", r.Name)}
	}
	return r.CheckImages()
}

// imagePart returns an image in the form of the provider: OpenAI takes the address of one, which may be its bytes.
func (m *ChatModel) imagePart(i *llm.Image) llms.ContentPart { //nolint:ireturn // langchaingo has no other type
	if m.config.Provider == OpenAI {
		return llms.ImageURLPart("data:" + i.Type + ";base64," + base64.StdEncoding.EncodeToString(i.Bytes))
	}
	return llms.BinaryPart(i.Type, i.Bytes)
}

// options returns the settings of a request for langchaingo.
func (m *ChatModel) options(r llm.Request) []llms.CallOption {
	tokens := r.MaxTokens
	if tokens <= 0 {
		tokens = m.config.MaxTokens
	}
	options := []llms.CallOption{llms.WithTemperature(0), llms.WithMaxTokens(tokens)}
	if m.config.Provider == OpenAI && m.config.BaseURL != "" {
		// Compatible servers know the old name of this field; OpenAI requires the new one.
		options = append(options, openai.WithLegacyMaxTokensField())
	}
	return options
}

// recoverPanic turns a panic in provider code into an error. It has to be deferred.
func recoverPanic(err *error) {
	if p := recover(); p != nil {
		*err = &llm.Error{Kind: llm.KindNoAnswer, Err: fmt.Errorf("the provider's client panicked: %v", p)}
	}
}

// asError returns err as an [*llm.Error]: the transport's if it has one, else one for the end of ctx, else one for an
// unreadable reply.
func (c *call) asError(ctx context.Context, err error) error {
	e, ok := errors.AsType[*llm.Error](err)
	switch {
	case c.err != nil:
		e = c.err
	case ok:
	case ctx.Err() != nil:
		e = contextError(ctx)
	default:
		e = &llm.Error{Kind: llm.KindNoAnswer, Err: errors.New(redacted(err.Error(), ""))}
	}
	e.Usage = c.usage
	return e
}
