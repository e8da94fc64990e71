package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// schema is the part of JSON Schema (draft 2020-12) that the structured output of every provider supports: types,
// required fields, closed lists and ranges. parseSchema rejects everything else, so no rule is silently ignored. A
// general validator would cost a dependency and start-up time for objects of five fields; a test compares this one with
// such a validator.
type schema struct {
	Types      types              `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Closed     *bool              `json:"additionalProperties"`
	Items      *schema            `json:"items"`
	Enum       []json.RawMessage  `json:"enum"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MinLength  *int               `json:"minLength"`
	MaxLength  *int               `json:"maxLength"`
	MinItems   *int               `json:"minItems"`
	MaxItems   *int               `json:"maxItems"`

	// Annotations are allowed and have no effect.
	Dialect     string          `json:"$schema"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
}

// types is one type name or a list of them.
type types []string

func (t *types) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(t))
}

// parseSchema reads a schema. An empty one accepts any object.
func parseSchema(raw json.RawMessage) (*schema, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return &schema{Types: types{"object"}}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	s := new(schema)
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return s, s.checkSelf("schema")
}

// checkSelf returns an error for a type name outside JSON Schema, or a null.
func (s *schema) checkSelf(at string) error {
	for _, t := range s.Types {
		if !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean", "null"}, t) {
			return fmt.Errorf("read schema: %s: type %q is not known", at, t)
		}
	}
	for name, p := range s.Properties {
		if p == nil {
			return fmt.Errorf("read schema: %s.%s is null", at, name)
		}
		if err := p.checkSelf(at + "." + name); err != nil {
			return err
		}
	}
	if s.Items != nil {
		return s.Items.checkSelf(at + "[]")
	}
	return nil
}

// check appends to bad the violations of v, a value from decodeValue at the path at, and returns it. The order does not
// depend on map order.
func (s *schema) check(at string, v any, bad []string) []string {
	if len(bad) >= maxViolations {
		return bad
	}
	if len(s.Types) > 0 && !slices.ContainsFunc(s.Types, func(t string) bool { return isType(v, t) }) {
		return append(bad, fmt.Sprintf("%s: must be %s, not %s", at, strings.Join(s.Types, " or "), typeOf(v)))
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e json.RawMessage) bool { return equalJSON(e, v) }) {
		bad = append(bad, fmt.Sprintf("%s: must be one of %s, not %s", at, joinRaw(s.Enum), shorten(v)))
	}
	switch v := v.(type) {
	case map[string]any:
		bad = s.checkObject(at, v, bad)
	case []any:
		bad = s.checkArray(at, v, bad)
	case string:
		bad = checkCount(at, "characters", utf8.RuneCountInString(v), s.MinLength, s.MaxLength, bad)
	case float64:
		bad = s.checkNumber(at, v, bad)
	}
	return bad
}

func (s *schema) checkObject(at string, v map[string]any, bad []string) []string {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			bad = append(bad, fmt.Sprintf("%s: the field %q is missing", at, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p, known := s.Properties[name]
		switch {
		case known:
			bad = p.check(join(at, name), v[name], bad)
		case s.Closed != nil && !*s.Closed:
			bad = append(bad, fmt.Sprintf("%s: the field %s is not asked for", at, shorten(name)))
		}
	}
	return bad
}

func (s *schema) checkArray(at string, v []any, bad []string) []string {
	bad = checkCount(at, "items", len(v), s.MinItems, s.MaxItems, bad)
	if s.Items == nil {
		return bad
	}
	for i, item := range v {
		if bad = s.Items.check(fmt.Sprintf("%s[%d]", at, i), item, bad); len(bad) >= maxViolations {
			break
		}
	}
	return bad
}

func (s *schema) checkNumber(at string, v float64, bad []string) []string {
	if s.Minimum != nil && v < *s.Minimum {
		bad = append(bad, fmt.Sprintf("%s: must be at least %v, not %v", at, *s.Minimum, v))
	}
	if s.Maximum != nil && v > *s.Maximum {
		bad = append(bad, fmt.Sprintf("%s: must be at most %v, not %v", at, *s.Maximum, v))
	}
	return bad
}

func checkCount(at, what string, n int, least, most *int, bad []string) []string {
	if least != nil && n < *least {
		bad = append(bad, fmt.Sprintf("%s: has %d %s, must have at least %d", at, n, what, *least))
	}
	if most != nil && n > *most {
		bad = append(bad, fmt.Sprintf("%s: has %d %s, must have at most %d", at, n, what, *most))
	}
	return bad
}

func isType(v any, name string) bool {
	if n, ok := v.(float64); ok && name == "integer" {
		return n == math.Trunc(n)
	}
	return typeOf(v) == name
}

func typeOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	default:
		return "null"
	}
}

func equalJSON(raw json.RawMessage, v any) bool {
	want, err := decodeValue(raw)
	if err != nil {
		return false
	}
	x, errX := json.Marshal(want)
	y, errY := json.Marshal(v)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func join(at, name string) string {
	if at == root {
		return name
	}
	return at + "." + name
}

func joinRaw(list []json.RawMessage) string {
	s := make([]string, len(list))
	for i, r := range list {
		s[i] = string(r)
	}
	return strings.Join(s, ", ")
}

// shorten returns a model's value as JSON, cut to 60 characters, for a message.
func shorten(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	r := []rune(string(b))
	if len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return string(r)
}
