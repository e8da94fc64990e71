package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// model reads which model is configured. It does not open the model, because most commands need none. A key alone
// does not configure a model: many people have set one for other programs.
//
// If recordings are played there is no model, and the variables of the model are ignored.
func (a *app) model() (langchain.Config, error) {
	if err := a.tapeProblem(); err != nil || a.playing() {
		return langchain.Config{}, err
	}
	c, err := langchain.FromEnv(a.getenv)
	var half *langchain.MissingError
	if errors.As(err, &half) && !strings.HasPrefix(half.Set, "MEMTREE_") {
		return langchain.Config{}, nil
	}
	if problem := a.settingProblem(); problem != "" {
		return langchain.Config{}, &failure{problem, err}
	}
	if half != nil {
		return c, &failure{a.missingSentence(half), err}
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
	switch {
	case how == asking && (err != nil || c.Model != "" || a.playing()):
		return later{}, nil //nolint:nilerr // a question needs no model, so a wrong setting does not stop it
	case err != nil:
		return nil, err
	case a.playing():
		p, err := a.player()
		if err != nil {
			return nil, err
		}
		a.spending.player = p
		if answers, _ := p.Len(); answers == 0 {
			return nil, nil
		}
		return a.metered(p, playedModel), nil
	case !c.Configured() && a.set(recordVariable) != "" && how != asking:
		return nil, &failure{a.say("%s is set, and there is no model to record; set MEMTREE_LLM_MODEL", recordVariable), nil}
	case c.Model == "":
		return nil, nil
	}
	m, err := langchain.Open(c)
	if err != nil {
		return nil, &failure{a.say("the model cannot be opened: %s", err), err}
	}
	g := llm.Generator(m)
	if how != planning { // which calls no model
		if g, err = a.recorded(m, c); err != nil {
			return nil, err
		}
	}
	return a.metered(g, c.Model), nil
}

// embedder opens the configured embedding model. It returns nil for the built-in table. If the model cannot be
// opened, a command that computes vectors fails, and a query is answered by lexical search alone.
func (a *app) embedder(how access) (llm.Embedder, error) {
	if how == making {
		return nil, nil
	}
	e, err := a.openEmbedder()
	if err != nil && (how == asking || how == reading) {
		return nil, nil // a query is answered without it
	}
	return e, err
}

// openEmbedder opens the configured embedding model, or the recordings of one. It returns nil if there is none.
func (a *app) openEmbedder() (llm.Embedder, error) {
	c, err := a.model()
	switch {
	case err != nil:
		return nil, err
	case a.playing():
		return a.playedEmbedder()
	case c.EmbedModel == "":
		return nil, nil
	}
	m, err := langchain.OpenEmbedder(c)
	if err != nil {
		return nil, &failure{a.say("the embedding model cannot be opened: %s", err), err}
	}
	e, err := a.recordedTexts(m, c)
	if err != nil {
		return nil, err
	}
	return a.meteredTexts(e, c.EmbedModel), nil
}

// later replaces the model where a command has to answer at once. It analyses no run; the runs wait for the next
// record.
type later struct{}

func (later) Generate(ctx context.Context, _ llm.Request) (llm.Answer, error) {
	<-ctx.Done()
	return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: ctx.Err()}
}

// modelLine describes the model without its key.
func (a *app) modelLine(c langchain.Config) string {
	if a.playing() {
		return a.say("none asked; answers are played from %s", a.set(replayVariable))
	}
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
