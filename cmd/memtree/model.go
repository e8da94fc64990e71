package main

import (
	"cmp"
	"strings"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// model reads which model is configured. It opens nothing: most commands need
// none.
func (a *app) model() (langchain.Config, error) {
	c, err := langchain.FromEnv(a.getenv)
	if err != nil {
		return c, &failure{a.say("the model is not configured as it must be: %s", err), err}
	}
	return c, nil
}

// generator opens the configured model, nil if there is none.
func (a *app) generator() (llm.Generator, error) {
	c, err := a.model()
	if err != nil || c.Model == "" {
		return nil, err
	}
	m, err := langchain.Open(c)
	if err != nil {
		return nil, &failure{a.say("the model cannot be opened: %s", err), err}
	}
	return m, nil
}

// modelLine describes the model without its key.
func (a *app) modelLine(c langchain.Config) string {
	if !c.Configured() {
		return a.say("none set; the rules analyst needs none (set MEMTREE_LLM_MODEL and MEMTREE_LLM_API_KEY to use one)")
	}
	parts := []string{c.Provider, c.Model}
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
