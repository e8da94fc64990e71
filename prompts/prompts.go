// Package prompts has one template and one typed function for every text that memtree sends to a model, in Chinese and
// English. The function cleans, cuts and fences texts from outside before the template sees them, so no template can
// omit that.
//
// To add a prompt, add: the templates templates/NAME.en.tmpl and NAME.zh.tmpl; a file NAME.go with the typed input,
// its method fields (the input of the template) and a method on [Set] that ends in render; a line in samples; and
// golden files with full, sparse and hostile input.
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
	System  string
	Text    string
	// Schema is the JSON Schema of the answer, nil for none.
	Schema json.RawMessage
}

// Name returns the name of the prompt in logs and caches: "analyse.zh@1+9f86d081".
func (p Prompt) Name() string { return p.ID + "@" + p.Version }

// samples returns the inputs with which Load tries every template, and the texts that the result must contain for the
// prompt to make sense.
func samples() map[string]sample {
	return map[string]sample{
		"analyse": {fields: sampleAnalyse.fields, must: []string{"sample_check", "the line", "the place", "the task",
			"the claim", "the truth", "the note", "JSON", "misses", "new: ", "instead"}},
		"brief": {fields: sampleBrief.fields, must: []string{"m1 the memory", "t1 [the product, the place] the task",
			"the objection", "JSON", "because", "told"}},
		"evolve": {fields: sampleEvolve.fields, must: []string{"the task", "the ground truth", "the note",
			"the check", "the lesson", "the objection", "JSON", "apart", "mistake"}},
		"facts": {fields: sampleFacts.fields, must: []string{"the page", "the task", "the note", "JSON", "facts", "quote"}},
		"guidance": {fields: sampleGuidance.fields, must: []string{"the fact", "the product's fact", "the condition",
			"the strategy",
			"the exception", "the finding", "the experience", "the case"}},
		"judge": {fields: sampleJudge.fields, must: []string{"the judgment", "the ground truth", "JSON", "correct",
			"direction"}},
		"names": {fields: sampleNames.fields, must: []string{"e1 /page | button | the name", "JSON", "names"}},
		"look": {fields: sampleLook.fields, must: []string{"the task", "the evidence", "the verdict", "the memory", "JSON",
			"points", "against", "holds", "unseen"}},
		"second": {fields: sampleSecond.fields, must: []string{"the reason"}},
		"survey": {fields: sampleSurvey.fields, must: []string{"k1 the check", "1 the cause", "JSON", "groups", "lines"}},
		"repair": {fields: sampleRepair.fields, must: []string{"the task", "the problem", "JSON"}},
	}
}

type sample struct {
	fields func() any
	must   []string
}

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
