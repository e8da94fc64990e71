// Package taxonomy defines the vocabulary of memtree: the types of error an agent makes, the types of scene it makes
// them in, the checks it misses, and the directions in which a verdict can be wrong. The built-in set is in
// builtin.yaml and checks/*.yaml; a team extends it with an overlay in the same form.
//
// A Taxonomy is immutable once made and safe for concurrent use.
//
// Where to look:
//   - check.go, own.go, examples.go: checks, those of a tree's own, and example sentences
//   - builtin.go: the built-in set; folder.go, overlay.go, decode.go, problems.go: a team's overlay
//   - evolution.go, prices.go: what else an overlay sets
package taxonomy

import (
	"slices"
	"strings"
	"unicode"
)

// Direction is the way in which a verdict is wrong. A lesson against one direction causes mistakes in the other when it
// is applied too widely, so the two are never mixed.
type Direction string

// The directions of a verdict.
const (
	None      Direction = ""           // the verdict is right, or the direction is not known
	FalsePass Direction = "false_pass" // a defect was missed (漏报)
	FalseFail Direction = "false_fail" // a defect was reported that does not exist (误报)
	Other     Direction = "other"      // wrong, but neither a missed defect nor a false alarm

	// Environment means that a run shows nothing about its verdict, because of its surroundings or because the tool
	// repaired or repeated it (环境). It is not Valid.
	Environment Direction = "environment"
)

// Valid reports whether d is one of the three directions of a wrong verdict.
func (d Direction) Valid() bool {
	return d == FalsePass || d == FalseFail || d == Other
}

// Opposite returns FalseFail for FalsePass and the reverse: agents who apply a lesson against d too widely make
// mistakes in that direction. It returns every other direction unchanged.
func (d Direction) Opposite() Direction {
	switch d {
	case FalsePass:
		return FalseFail
	case FalseFail:
		return FalsePass
	default:
		return d
	}
}

// OtherError is the error type of a case to which none of the others applies for certain.
const OtherError = "other_error"

// Text is a text in both languages of memtree.
type Text struct {
	EN string `yaml:"en" json:"en"`
	ZH string `yaml:"zh" json:"zh"`
}

// In returns the Chinese text if lang is "zh", else the English one. If that is empty, it returns the other.
func (t Text) In(lang string) string {
	if lang == "zh" && t.ZH != "" {
		return t.ZH
	}
	if t.EN == "" {
		return t.ZH
	}
	return t.EN
}

// Name returns the name of d for people, and an empty Text for None.
func (d Direction) Name() Text { return directionNames[d] }

var directionNames = map[Direction]Text{
	FalsePass: {EN: "defect missed", ZH: "漏报"}, FalseFail: {EN: "false alarm", ZH: "误报"},
	Other: {EN: "other mistake", ZH: "其他误判"}, Environment: {EN: "environment", ZH: "环境问题"},
}

// errorGroup is a group of error types of one kind.
type errorGroup struct {
	ID   string
	Name Text
}

// ErrorType is one way in which agents misjudge a test, such as missing a wrong sum.
type ErrorType struct {
	ID          string // lower case, digits and _
	Group       string // id of the group of the error type
	Name        Text
	Description Text  // what agents do wrong, one sentence
	Checklist   Text  // one line: what to check and what is right
	Brief       Text  // optional: the checklist in a dozen words, for guidance with much other text
	Cues        []Cue // phrases that are evidence for the error type
}

// Cue is a phrase that is evidence for an error type or a check when it appears in a text.
type Cue struct {
	// Phrase is in English, matched by stems, or in Chinese, matched literally. … matches a few tokens or characters.
	Phrase string
	Weight float64 // 0 to 10; 1 is a hint, 3 is decisive
}

// SceneType is a kind of page or place in a product, such as a form.
type SceneType struct {
	ID        string // lower case, digits and _
	Parent    string // id of the wider scene type, or ""
	Name      Text
	Checklist Text     // one line: what to check and what is right
	Aliases   []string // other names for the scene type, in either language
}

// Taxonomy is a set of error types, scene types and checks, with what else an overlay sets. It is immutable and safe
// for concurrent use.
type Taxonomy struct {
	groups []errorGroup
	errors []ErrorType
	scenes []SceneType
	checks []Check
	rules  []EvolutionRule
	prices []modelPrice

	withoutModel []string

	byWord  map[string]int // folded id, name and alias of a scene type
	byCheck map[string]int // id of a check
}

// ErrorTypes returns all error types, OtherError among them, in the order in which they are declared. The caller may
// change the slice, but not the slices inside its elements.
func (t *Taxonomy) ErrorTypes() []ErrorType { return slices.Clone(t.errors) }

// ErrorType returns the error type with the id, and whether there is one.
func (t *Taxonomy) ErrorType(id string) (ErrorType, bool) {
	i := slices.IndexFunc(t.errors, func(e ErrorType) bool { return e.ID == id })
	if i < 0 {
		return ErrorType{}, false
	}
	return t.errors[i], true
}

// group returns the group with the id.
func (t *Taxonomy) group(id string) (errorGroup, bool) {
	i := slices.IndexFunc(t.groups, func(g errorGroup) bool { return g.ID == id })
	if i < 0 {
		return errorGroup{}, false
	}
	return t.groups[i], true
}

// SceneTypes returns all scene types, in the order in which they are declared. The caller may change the slice, but not
// the slices inside its elements.
func (t *Taxonomy) SceneTypes() []SceneType { return slices.Clone(t.scenes) }

// SceneType returns the scene type with that id, name or alias, in any case (form, Form, 表单, 表单页), and
// whether there is one.
func (t *Taxonomy) SceneType(word string) (SceneType, bool) {
	i, ok := t.byWord[word]
	if !ok {
		i, ok = t.byWord[fold(word)]
	}
	if !ok {
		return SceneType{}, false
	}
	return t.scenes[i], true
}

// WithoutModel reports whether the overlay excludes product from models: no model receives its runs, memories and
// tests. Rules analyse them, and the lexical search finds them.
func (t *Taxonomy) WithoutModel(product string) bool { return slices.Contains(t.withoutModel, product) }

// index fills byCheck and byWord. When two scene types share a name, an id wins over a name, a name over an alias, and
// the one declared first over the other.
func (t *Taxonomy) index() {
	t.byCheck = make(map[string]int, len(t.checks))
	for i := range t.checks {
		t.byCheck[t.checks[i].ID] = i
	}
	t.byWord = make(map[string]int, 8*len(t.scenes))
	put := func(word string, i int) {
		if w := fold(word); w != "" {
			if _, taken := t.byWord[w]; !taken {
				t.byWord[w] = i
			}
		}
	}
	for i := range t.scenes {
		put(t.scenes[i].ID, i)
	}
	for i := range t.scenes {
		put(t.scenes[i].Name.EN, i)
		put(t.scenes[i].Name.ZH, i)
	}
	for i := range t.scenes {
		for _, a := range t.scenes[i].Aliases {
			put(a, i)
		}
	}
}

// fold returns one spelling for names that differ only in case, white space, - and _.
func fold(word string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(word), func(r rune) bool {
		return r == '-' || r == '_' || unicode.IsSpace(r)
	}), " ")
}
