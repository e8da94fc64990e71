package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// limit adds the tags of a type's fields to a schema: limit:"N", the maximum number of characters of a text or of
// entries of a list, or the maximum of a number, and enum:"a,b", the values of a text. A number is 0 or more. A list
// may not be null.
func limit(s *jsonschema.Schema, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if p == nil || f.Anonymous {
			continue
		}
		if d, ok := described[ownerOf(t, f).Name()+"."+name]; ok {
			p.Description = d
		}
		under := f.Type
		if slices.Equal(p.Types, []string{"null", "array"}) {
			p.Types, p.Type, under = nil, "array", under.Elem()
		}
		if most, err := strconv.Atoi(f.Tag.Get("limit")); err == nil {
			switch p.Type {
			case "array":
				p.MaxItems = &most
			case "integer":
				p.Minimum, p.Maximum = new(0.0), new(float64(most))
			default:
				p.MaxLength = &most
			}
		}
		for word := range strings.SplitSeq(f.Tag.Get("enum"), ",") {
			if word != "" {
				p.Enum = append(p.Enum, word)
			}
		}
		if p.Items != nil {
			if p.Items.Type == "string" && f.Tag.Get("limit") != "" {
				p.Items.MaxLength = new(maxLine)
			}
			limit(p.Items, under)
			continue
		}
		limit(p, under)
	}
}

// ownerOf returns the type that declares a field of t: t itself, or one that t embeds.
func ownerOf(t reflect.Type, f reflect.StructField) reflect.Type {
	if len(f.Index) == 1 {
		return t
	}
	return t.FieldByIndex(f.Index[:len(f.Index)-1]).Type
}

// problem returns why a value violates the schema, as a sentence that includes what to do; "" if it does not. at names
// the value, "" for all arguments. It supports the keywords that schemaOf uses.
func problem(s *jsonschema.Schema, value json.RawMessage, at string) string {
	value = bytes.TrimSpace(value)
	kind := kindOf(value)
	want := s.Type
	switch {
	case want == "" && len(s.Types) == 0:
		return ""
	case slices.Contains(s.Types, "null"):
		if kind == "null" {
			return ""
		}
		want = s.Types[len(s.Types)-1]
	}
	if kind != want && (want != "integer" || kind != "number") {
		return fmt.Sprintf("%s; send %s", is(at, kind), article(want))
	}
	switch want {
	case "object":
		return objectProblem(s, value, at)
	case "array":
		return listProblem(s, value, at)
	case "string":
		return textProblem(s, value, at)
	case "integer":
		return numberProblem(s, value, at)
	}
	return ""
}

// is returns a sentence on the kind of a value.
func is(at, kind string) string {
	if at == "" {
		return "the arguments are " + article(kind)
	}
	return at + " is " + article(kind)
}

func article(kind string) string {
	switch kind {
	case "null":
		return "null"
	case "object", "array", "integer":
		return "an " + kind
	case "":
		return "no JSON"
	}
	return "a " + kind
}

// kindOf returns the JSON Schema name of the type of a value, "" if it is not JSON.
func kindOf(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	if !json.Valid(value) {
		return ""
	}
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func objectProblem(s *jsonschema.Schema, value json.RawMessage, at string) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(value, &fields); err != nil {
		return fmt.Sprintf("%s; send an object", is(at, ""))
	}
	prefix := ""
	if at != "" {
		prefix = at + "."
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if s.Properties[name] == nil {
			return fmt.Sprintf("there is no field %.80q; the fields are %s", prefix+name, strings.Join(s.PropertyOrder, ", "))
		}
	}
	for _, name := range s.Required {
		if _, ok := fields[name]; !ok {
			why := ""
			if p := s.Properties[name]; p != nil && p.Description != "" {
				why = ": " + p.Description
			}
			return fmt.Sprintf("%s%s is missing; send it%s", prefix, name, why)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if why := problem(s.Properties[name], fields[name], prefix+name); why != "" {
			return why
		}
	}
	return ""
}

func listProblem(s *jsonschema.Schema, value json.RawMessage, at string) string {
	var entries []json.RawMessage
	if err := json.Unmarshal(value, &entries); err != nil {
		return fmt.Sprintf("%s; send a list", is(at, ""))
	}
	if s.MaxItems != nil && len(entries) > *s.MaxItems {
		return fmt.Sprintf("%s has %d entries; the most is %d", at, len(entries), *s.MaxItems)
	}
	for i, entry := range entries {
		if why := problem(s.Items, entry, at+"["+strconv.Itoa(i)+"]"); why != "" {
			return why
		}
	}
	return ""
}

func textProblem(s *jsonschema.Schema, value json.RawMessage, at string) string {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return fmt.Sprintf("%s; send a text", is(at, ""))
	}
	if n := utf8.RuneCountInString(text); s.MaxLength != nil && n > *s.MaxLength {
		return fmt.Sprintf("%s has %d characters; the most is %d", at, n, *s.MaxLength)
	}
	if len(s.Enum) == 0 || slices.Contains(s.Enum, any(text)) {
		return ""
	}
	words := make([]string, len(s.Enum))
	for i, w := range s.Enum {
		words[i] = fmt.Sprint(w)
	}
	return fmt.Sprintf("%s is %.40q; use one of %s", at, text, strings.Join(words, ", "))
}

func numberProblem(s *jsonschema.Schema, value json.RawMessage, at string) string {
	n, err := strconv.Atoi(string(value))
	switch {
	case err != nil:
		return fmt.Sprintf("%s is %.40s; send a whole number", at, value)
	case s.Minimum != nil && float64(n) < *s.Minimum, s.Maximum != nil && float64(n) > *s.Maximum:
		return fmt.Sprintf("%s is %d; it goes from %.0f to %.0f", at, n, *s.Minimum, *s.Maximum)
	}
	return ""
}
