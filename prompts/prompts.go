// Package prompts has one template and one typed function for every text that memtree sends to a model, in Chinese and
// English. The function cleans, cuts and fences texts from outside before the template sees them, so no template can
// omit that. Guidance and Second leave texts unchanged, because package enhance has cleaned them.
//
// To add a prompt, add: the templates templates/NAME.en.tmpl and NAME.zh.tmpl; a file NAME.go with the typed input,
// its method fields (the input of the template) and a method on [Set] that ends in render; and, in
// the tests, a line in samples and golden files with full, sparse and hostile input.
//
// Where to look:
//   - load.go: loading of templates; data.go: fences and limits for texts from outside
//   - analyse.go, evolve.go, judge.go, brief.go, look.go and others: a prompt each
package prompts

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Prompt is a text for a model, and the form of the answer.
type Prompt struct {
	// ID names the template, such as "analyse.zh".
	ID string
	// Version is the number in the template's first line and a hash of its content,
	// such as "1+9f86d081". It changes whenever the wording does.
	Version string
	System  string // the system prompt; may be ""
	Text    string // the prompt itself
	// Schema is the JSON Schema of the answer, nil for none.
	Schema json.RawMessage
}

// Name returns the name of the prompt in logs and caches: "analyse.zh@1+9f86d081".
func (p Prompt) Name() string { return p.ID + "@" + p.Version }

// langOf returns "zh" for Chinese and "en" for everything else.
func langOf(lang string) string {
	if lang == "zh" || strings.HasPrefix(lang, "zh-") || strings.HasPrefix(lang, "zh_") {
		return "zh"
	}
	return "en"
}

// load returns the template with an id.
func (s *Set) load(id string) (loadedTemplate, error) {
	load := s.templates[id]
	if load == nil {
		return loadedTemplate{}, fmt.Errorf("prompt %s: there is no such template", id)
	}
	t, err := load()
	if err != nil {
		return t, fmt.Errorf("prompt %s: %w", id, err)
	}
	return t, nil
}

// render executes the template called name in lang.
func (s *Set) render(name, lang string, fields any, schema json.RawMessage) (Prompt, error) {
	id := name + "." + langOf(lang)
	t, err := s.load(id)
	if err != nil {
		return Prompt{}, err
	}
	system, text, err := t.fill(fields)
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt %s: %w", id, err)
	}
	return Prompt{ID: id, Version: t.version, System: system, Text: text, Schema: schema}, nil
}
