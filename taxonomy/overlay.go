package taxonomy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits on an overlay, in bytes unless noted otherwise.
const (
	maxOverlay    = 256 << 10
	maxErrorTypes = 200     // a count
	maxSceneTypes = 500     // a count
	maxGroups     = 50      // a count
	maxCues       = 1000    // a count, for one error type
	maxAliases    = 100     // a count, for one scene type
	maxPrices     = 200     // a count
	maxLine       = 8 << 10 // the YAML parser takes quadratic time in a line's length
	maxName       = 80
	maxSentence   = 600
	maxPhrase     = 100
	maxProblems   = 20   // a count: an error lists this many, and reports the number of the rest
	mostProblems  = 1000 // a count: problems beyond it are dropped
)

// ParseError is one mistake in an overlay. Parse refuses an overlay with any.
type ParseError struct {
	File    string
	Line    int    // from 1; 0: the file as a whole
	Field   string // path of the field, such as errorTypes[2].name
	Problem string // rest of a sentence that begins with the field: what is wrong, and what to do
}

func (e *ParseError) Error() string {
	s := e.File
	if e.Line > 0 {
		s += fmt.Sprintf(":%d", e.Line)
	}
	if e.Field != "" {
		return s + ": " + e.Field + " " + e.Problem
	}
	return s + ": " + e.Problem
}

// Parse returns the built-in taxonomy with an overlay on it. The overlay is YAML in the form of builtin.yaml and
// checks/*.yaml. It has errorTypes, sceneTypes, checks and groups, each a list of entries with an id. It may also have
// evolution, a list of EvolutionRule; prices, a list of models with their prices, see PriceOf; and withoutModel, a list
// of products, see WithoutModel. An empty overlay changes nothing.
//
// An entry with a new id is added. An entry with a known id changes the fields that it sets. Its cues, aliases, example
// sentences, shows and facts are added to the existing ones; a cue with weight 0 removes the cue with the same phrase.
//
// file names the overlay in errors. The error joins a *ParseError for each problem, sorted by line: the first twenty,
// and one with the number of the rest. See Problems.
func Parse(file string, overlay []byte) (*Taxonomy, error) {
	doc, unread, err := decode(file, overlay)
	if err != nil {
		return nil, err
	}
	t, unfit := doc.onto(file, Default())
	if len(unread)+len(unfit) > 0 {
		return nil, joined(file, unread, unfit)
	}
	return t, nil
}

// document is the content of an overlay. A field that is not set is its zero value.
type document struct {
	groups []at[errorGroup]
	errors []at[ErrorType]
	scenes []at[SceneType]
	checks []at[Check]

	evolution []at[EvolutionRule]
	prices    []at[modelPrice]

	withoutModel []string
}

// at is a value with its position in the file.
type at[T any] struct {
	value T
	line  int
	field string
}

// merger applies a document to a taxonomy and collects the problems.
type merger struct {
	file     string
	problems []*ParseError
}

// bad adds a problem of a field. The text continues the sentence after the field.
func (m *merger) bad(line int, field, problem string, args ...any) {
	if len(m.problems) < mostProblems {
		m.problems = append(m.problems, &ParseError{File: m.file, Line: line, Field: field,
			Problem: fmt.Sprintf(problem, args...)})
	}
}

// onto returns base with the document applied, or the problems. base is not changed. The order matters: an entry may
// refer to declarations of an earlier list.
func (d *document) onto(file string, base *Taxonomy) (*Taxonomy, []*ParseError) {
	m := &merger{file: file}
	t := &Taxonomy{
		groups: slices.Clone(base.groups), errors: slices.Clone(base.errors),
		scenes: slices.Clone(base.scenes), checks: slices.Clone(base.checks),
	}
	m.groups(t, d.groups)
	m.errorTypes(t, d.errors)
	m.sceneTypes(t, d.scenes)
	m.checks(t, d.checks)
	m.evolution(t, d.evolution)
	m.prices(t, d.prices)
	t.withoutModel = d.withoutModel
	if len(m.problems) > 0 {
		return nil, m.problems
	}
	t.index()
	return t, nil
}

func (m *merger) groups(t *Taxonomy, list []at[errorGroup]) {
	for _, g := range list {
		if !m.id(g.line, g.field, g.value.ID, list) {
			continue
		}
		i := slices.IndexFunc(t.groups, func(o errorGroup) bool { return o.ID == g.value.ID })
		if i < 0 {
			m.need(g.line, g.field, "name", g.value.Name)
			t.groups = append(t.groups, g.value)
			continue
		}
		t.groups[i].Name = over(t.groups[i].Name, g.value.Name)
	}
	m.atMost(len(t.groups), maxGroups, "groups")
}

func (m *merger) errorTypes(t *Taxonomy, list []at[ErrorType]) {
	for _, e := range list {
		v := e.value
		if !m.id(e.line, e.field, v.ID, list) {
			continue
		}
		if _, known := t.group(v.Group); v.Group != "" && !known {
			m.bad(e.line, e.field+".group", "is %s, which is no group; use one of %s, or declare it under groups",
				quote(v.Group), ids(t.groups))
		}
		i := slices.IndexFunc(t.errors, func(o ErrorType) bool { return o.ID == v.ID })
		if i < 0 {
			if v.Group == "" {
				m.bad(e.line, e.field+".group", "is missing; use one of %s", ids(t.groups))
			}
			m.need(e.line, e.field, "name", v.Name)
			m.need(e.line, e.field, "description", v.Description)
			m.need(e.line, e.field, "checklist", v.Checklist)
			t.errors = append(t.errors, ErrorType{ID: v.ID})
			i = len(t.errors) - 1
		}
		o := &t.errors[i]
		if v.Group != "" {
			o.Group = v.Group
		}
		if v.Checklist != (Text{}) {
			o.Brief = Text{} // it abridges the old checklist
		}
		o.Name, o.Description = over(o.Name, v.Name), over(o.Description, v.Description)
		o.Checklist, o.Brief = over(o.Checklist, v.Checklist), over(o.Brief, v.Brief)
		o.Cues = addCues(o.Cues, v.Cues)
		if len(o.Cues) > maxCues {
			m.bad(e.line, e.field+".cues", "makes %d phrases; the most is %d", len(o.Cues), maxCues)
		}
	}
	m.atMost(len(t.errors), maxErrorTypes, "errorTypes")
}

func (m *merger) sceneTypes(t *Taxonomy, list []at[SceneType]) {
	for _, s := range list {
		v := s.value
		if !m.id(s.line, s.field, v.ID, list) {
			continue
		}
		i := slices.IndexFunc(t.scenes, func(o SceneType) bool { return o.ID == v.ID })
		if i < 0 {
			m.need(s.line, s.field, "name", v.Name)
			t.scenes = append(t.scenes, SceneType{ID: v.ID})
			i = len(t.scenes) - 1
		}
		o := &t.scenes[i]
		if v.Parent != "" {
			o.Parent = v.Parent
		}
		o.Name, o.Checklist = over(o.Name, v.Name), over(o.Checklist, v.Checklist)
		o.Aliases = addWords(o.Aliases, v.Aliases)
		if len(o.Aliases) > maxAliases {
			m.bad(s.line, s.field+".aliases", "makes %d words; the most is %d", len(o.Aliases), maxAliases)
		}
	}
	m.atMost(len(t.scenes), maxSceneTypes, "sceneTypes")
	parents := make(map[string]string, len(t.scenes))
	for _, s := range t.scenes {
		parents[s.ID] = s.Parent
	}
	for _, s := range list {
		m.ancestors(s.line, s.field+".parent", s.value.ID, "scene type", "sceneTypes", parents)
	}
}

// ancestors checks the chain of parents of an entry: each parent must be declared, and none may be the entry itself.
// above maps each id to its parent. The members of a cycle are removed from above, so that it is reported once.
func (m *merger) ancestors(line int, field, id, what, list string, above map[string]string) {
	name := field[strings.LastIndexByte(field, '.')+1:]
	p := above[id]
	_, known := above[p]
	switch {
	case p == id && p != "":
		m.bad(line, field, "is %s itself; leave %s out, or name another", quote(id), name)
		above[id] = ""
		return
	case p != "" && !known:
		m.bad(line, field, "is %s, which is no %s; declare it under %s, or leave %s out", quote(p), what, list, name)
		return
	}
	ring := []string{id}
	for at := p; at != "" && len(ring) <= len(above); at = above[at] {
		if at != id {
			ring = append(ring, at)
			continue
		}
		m.bad(line, field, "makes %s its own ancestor (%s); leave %s out of one of them", quote(id),
			strings.Join(append(ring, id), " → "), name)
		for _, of := range ring {
			above[of] = ""
		}
		return
	}
}

// id reports whether the id of an entry is valid and the first of its list, and
// adds a problem when it is not. list is one of the []at lists of a document.
func (m *merger) id(line int, field, id string, list any) bool {
	if id == "" {
		m.bad(line, field+".id", "is missing; give a name of lower-case letters, digits and _")
		return false
	}
	if _, check := list.([]at[Check]); !slug(id) && !(check && IsOwn(id)) {
		m.bad(line, field+".id", "is %s; use up to 64 lower-case letters, digits and _, a letter first", quote(id))
		return false
	}
	first := 0
	switch list := list.(type) {
	case []at[errorGroup]:
		first = firstLine(list, func(g errorGroup) bool { return g.ID == id })
	case []at[ErrorType]:
		first = firstLine(list, func(e ErrorType) bool { return e.ID == id })
	case []at[SceneType]:
		first = firstLine(list, func(s SceneType) bool { return s.ID == id })
	case []at[Check]:
		first = firstLine(list, func(c Check) bool { return c.ID == id })
	}
	if first != line {
		m.bad(line, field+".id", "is %s again, as in line %d; put both into one entry", quote(id), first)
		return false
	}
	return true
}

// firstLine returns the line of the first entry for which same is true, 0 if none is.
func firstLine[T any](list []at[T], same func(T) bool) int {
	for _, a := range list {
		if same(a.value) {
			return a.line
		}
	}
	return 0
}

func (m *merger) need(line int, field, what string, t Text) {
	if t.EN == "" && t.ZH == "" {
		m.bad(line, field+"."+what, "is missing; a new entry needs it in en, zh or both")
	}
}

func (m *merger) atMost(n, most int, field string) {
	if n > most {
		m.bad(0, field, "makes %d with the built-in ones; the most is %d", n, most)
	}
}

// over returns base with the languages that t sets replaced.
func over(base, t Text) Text {
	if t.EN != "" {
		base.EN = t.EN
	}
	if t.ZH != "" {
		base.ZH = t.ZH
	}
	return base
}

// addCues returns base with more. A phrase that base has gets the new weight, and
// one with weight 0 is removed.
func addCues(base, more []Cue) []Cue {
	if len(more) == 0 {
		return base
	}
	place := make(map[string]int, len(base)+len(more))
	out := slices.Clone(base)
	for i, c := range out {
		place[c.Phrase] = i
	}
	for _, c := range more {
		if i, ok := place[c.Phrase]; ok {
			out[i].Weight = c.Weight
			continue
		}
		place[c.Phrase] = len(out)
		out = append(out, c)
	}
	return slices.DeleteFunc(out, func(c Cue) bool { return c.Weight == 0 })
}

func addWords(base, more []string) []string {
	out := slices.Clone(base)
	for _, w := range more {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

func ids(groups []errorGroup) string {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.ID
	}
	return strings.Join(names, ", ")
}

// slug reports whether s can be an id. Ids are also names of folders in a store.
func slug(s string) bool {
	for i, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func quote(s string) string {
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}

// textProblem returns why a text of an overlay cannot be used, or "".
func textProblem(s string, limit int) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "is empty; write something or leave the field out"
	case len(s) > limit:
		return fmt.Sprintf("has %d bytes; the most is %d, shorten it", len(s), limit)
	case !utf8.ValidString(s):
		return "is not valid UTF-8; save the file as UTF-8"
	case strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "has a line break or control character in it; write it in one line"
	}
	return ""
}

func weightProblem(f float64) string {
	if math.IsNaN(f) || f < 0 || f > 10 {
		return fmt.Sprintf("is %v; use 0 to 10, where 1 hints and 3 says it", f)
	}
	return ""
}
