// Package model opens the language model that the environment names, or recordings of one, for a command. It limits its
// calls, counts what they cost, and explains what is wrong with its settings.
package model

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/langchain"
)

// Model holds the models of one command: which are configured, what limits their calls, and what they have cost.
type Model struct {
	*say.Voice
	Folder func() string // returns the store's folder, where memtree.yaml may have prices
	callLimits
	Spending
}

// Config returns which model is configured. It does not open the model, because most commands need none. A key alone
// does not configure a model: many people have set one for other programs.
//
// If recordings are played there is no model, and the variables of the model are ignored.
func (m *Model) Config() (langchain.ModelConfig, error) {
	if err := m.tapeProblem(); err != nil || m.Playing() {
		return langchain.ModelConfig{}, err
	}
	c, err := langchain.FromEnv(m.Getenv)
	var half *langchain.MissingError
	if errors.As(err, &half) && !strings.HasPrefix(half.Set, "MEMTREE_") {
		return langchain.ModelConfig{}, nil
	}
	if problem := m.settingProblem(); problem != "" {
		return langchain.ModelConfig{}, &say.Failure{Text: problem, Cause: err}
	}
	if half != nil {
		return c, &say.Failure{Text: m.missingSentence(half), Cause: err}
	}
	if err != nil {
		return c, m.Fail(err, "the model is not configured as it must be: %s", err)
	}
	return c, nil
}

// Generator opens the configured chat model, or the recordings that replace it. It returns nil if there is neither. If
// ask is false, the command asks the model nothing, so nothing is recorded.
func (m *Model) Generator(ask bool) (llm.Generator, error) {
	c, err := m.Config()
	switch {
	case err != nil:
		return nil, err
	case m.Playing():
		if m.player, err = m.Recordings(); err != nil {
			return nil, err
		}
		if answers, _ := m.player.Len(); answers == 0 {
			return nil, nil
		}
		return m.metered(m.player, playedModel), nil
	case !c.Configured() && m.Env(RecordVariable) != "":
		return nil, m.Fail(nil, "%s is set, and there is no model to record; set MEMTREE_LLM_MODEL", RecordVariable)
	case c.Model == "":
		return nil, nil
	}
	opened, err := langchain.Open(c)
	if err != nil {
		return nil, m.Fail(err, "the model cannot be opened: %s", err)
	}
	g := llm.Generator(opened)
	if ask {
		if g, err = m.Recorded(opened, c); err != nil {
			return nil, err
		}
	}
	return m.metered(g, c.Model), nil
}

// Later returns a generator that calls no model, for a command that has to answer at once: each call waits until its
// context ends and fails as canceled, so the work stays for a later command. A setting that cannot be read counts as a
// configured model. It returns nil if neither a model nor recordings are configured.
func (m *Model) Later() llm.Generator {
	if c, err := m.Config(); err == nil && c.Model == "" && !m.Playing() {
		return nil
	}
	return later{}
}

// Embedder opens the configured embedding model, or recordings of one. It returns nil if there is neither, which means
// the built-in encoder.
func (m *Model) Embedder() (llm.Embedder, error) {
	c, err := m.Config()
	switch {
	case err != nil:
		return nil, err
	case m.Playing():
		return m.playedEmbedder()
	case c.EmbedModel == "":
		return nil, nil
	}
	opened, err := langchain.OpenEmbedder(c)
	if err != nil {
		return nil, m.Fail(err, "the embedding model cannot be opened: %s", err)
	}
	e, err := m.recordedTexts(opened, c)
	if err != nil {
		return nil, err
	}
	return m.meteredTexts(e, c.EmbedModel), nil
}

// later replaces the model where a command has to answer at once. It analyses no run; the runs wait for the next
// record.
type later struct{}

func (later) Generate(ctx context.Context, _ llm.Request) (llm.Answer, error) {
	<-ctx.Done()
	return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: ctx.Err()}
}

// Line returns one line for people on the model c, without its key.
func (m *Model) Line(c langchain.ModelConfig) string {
	if m.Playing() {
		return m.Say("none asked; answers are played from %s", m.Env(ReplayVariable))
	}
	if !c.Configured() {
		return m.Say("none set; the rules analyst needs none (set MEMTREE_LLM_MODEL and MEMTREE_LLM_API_KEY to use one)")
	}
	parts := []string{c.Provider}
	if c.Model != "" {
		parts = append(parts, c.Model)
	}
	if c.EmbedModel != "" {
		parts = append(parts, m.Say("embedding with %s", c.EmbedModel))
	}
	parts = append(parts, cmp.Or(c.BaseURL, m.Say("the provider's own address")))
	key := m.Say("key set")
	if c.APIKey == "" {
		key = m.Say("no key")
	}
	parts = append(parts, key, m.Say("from %s", c.Source))
	return strings.Join(parts, " · ")
}
