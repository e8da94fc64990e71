package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// model reads which model is configured. It does not open the model, because most commands
// need none. A key alone does not configure a model: many people have set one for other programs.
func (a *app) model() (langchain.Config, error) {
	c, err := langchain.FromEnv(a.getenv)
	var half *langchain.MissingError
	if errors.As(err, &half) && !strings.HasPrefix(half.Set, "MEMTREE_") {
		return langchain.Config{}, nil
	}
	if err != nil {
		return c, &failure{a.say("the model is not configured as it must be: %s", err), err}
	}
	return c, nil
}

// generator opens the configured model for a command that forms cases. It returns nil if the
// command needs no model or none is configured.
func (a *app) generator(how access) (llm.Generator, error) {
	if how == reading || how == making {
		return nil, nil
	}
	c, err := a.model()
	if how == asking && (err != nil || c.Model != "") {
		return later{}, nil //nolint:nilerr // a question needs no model, so a wrong setting does not stop it
	}
	if err != nil || c.Model == "" {
		return nil, err
	}
	m, err := langchain.Open(c)
	if err != nil {
		return nil, &failure{a.say("the model cannot be opened: %s", err), err}
	}
	return m, nil
}

// embedder opens the configured embedding model. It returns nil for the built-in table. If
// the model cannot be opened, a command that makes vectors fails, and a question is
// answered by words alone.
func (a *app) embedder(how access) (llm.Embedder, error) {
	if how == making {
		return nil, nil
	}
	c, err := a.model()
	if err == nil && c.EmbedModel != "" {
		var e *langchain.EmbeddingModel
		if e, err = langchain.OpenEmbedder(c); err == nil {
			return e, nil
		}
		err = &failure{a.say("the embedding model cannot be opened: %s", err), err}
	}
	if how == asking || how == reading {
		return nil, nil
	}
	return nil, err
}

// later stands in for the model where a command has to answer at once. It analyses no run;
// the runs wait for the next record.
type later struct{}

func (later) Generate(ctx context.Context, _ llm.Request) (llm.Answer, error) {
	<-ctx.Done()
	return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: ctx.Err()}
}

// modelLine describes the model and does not print its key.
func (a *app) modelLine(c langchain.Config) string {
	if !c.Configured() {
		return a.say("none set; the rules analyst needs none (set MEMTREE_LLM_MODEL and MEMTREE_LLM_API_KEY to use one)")
	}
	parts := []string{c.Provider}
	if c.Model != "" {
		parts = append(parts, c.Model)
	}
	if c.EmbedModel != "" {
		parts = append(parts, a.say("embedding with %s", c.EmbedModel))
	}
	parts = append(parts, cmp.Or(c.BaseURL, a.say("the provider's own address")))
	key := a.say("key set")
	if c.APIKey == "" {
		key = a.say("no key")
	}
	parts = append(parts, key, a.say("from %s", c.Source))
	return strings.Join(parts, " · ")
}
