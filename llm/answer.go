package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxAnswer is the longest text, in bytes, that [Decode] accepts.
const MaxAnswer = 1 << 20

const (
	root          = "answer" // name of the whole object in violations
	maxViolations = 20
	maxDepth      = 64 // nesting of an answer
	maxStarts     = 64 // places where an object may begin: bounds the search in "{{{{…"
)

// Invalid is the error for an answer that Decode or the check of Ask rejects. It holds the reasons as sentences that a
// model can act on.
type Invalid struct {
	// Violations holds the reasons, at least one. A reason of Decode begins with the field, or with "answer" for the
	// whole object.
	Violations []string
	// Answer is the rejected text of the model, "" if it is not valid UTF-8.
	Answer string
}

func (e *Invalid) Error() string { return strings.Join(e.Violations, "; ") }

// Decode finds the JSON object in the text of a model, and checks it.
//
// It ignores prose, Markdown fences and a <think> part around the object, and braces that are not JSON. The first
// object that satisfies the schema is the answer, returned compact. If a different object satisfies the schema too, the
// text is ambiguous and rejected. An object with a duplicate field satisfies no schema. An empty schema accepts any
// other object.
// The error is an [*Error] of kind too large, malformed (wrapping an [*Invalid]), or bad request if the schema is
// invalid.
func Decode(text string, schemaJSON json.RawMessage) (json.RawMessage, error) {
	s, err := parseSchema(schemaJSON)
	if err != nil {
		return nil, &Error{Kind: KindBadRequest, Err: err}
	}
	if len(text) > MaxAnswer {
		return nil, &Error{Kind: KindTooLarge, Err: fmt.Errorf("the answer has %d bytes, more than %d", len(text), MaxAnswer)}
	}
	if !utf8.ValidString(text) {
		return nil, malformed("", root+": is not valid UTF-8")
	}
	body := text
	if i := strings.LastIndex(body, "</think>"); i >= 0 {
		body = body[i+len("</think>"):]
	}
	return pickObject(findObjects(body), s, text)
}

// pickObject returns the one object that satisfies s. If none does, the error has the violations of the first.
func pickObject(found candidates, s *schema, text string) (json.RawMessage, error) {
	var answer json.RawMessage
	var bad []string
	for _, raw := range found.objects {
		v, err := decodeValue(raw)
		var wrong []string
		if err != nil {
			wrong = []string{root + ": " + err.Error()}
		} else {
			wrong = s.check(root, v, nil)
		}
		switch {
		case len(wrong) > 0 && bad == nil:
			bad = wrong
		case len(wrong) == 0 && answer == nil:
			answer = raw
		case len(wrong) == 0 && !bytes.Equal(answer, raw):
			return nil, malformed(text, root+": there are two different objects; give one")
		}
	}
	switch {
	case answer != nil:
		return answer, nil
	case bad != nil:
		return nil, malformed(text, bad...)
	case found.unclosed:
		return nil, malformed(text, root+": the JSON object has no end")
	default:
		return nil, malformed(text, root+": there is no JSON object")
	}
}

func malformed(text string, violations ...string) error {
	return &Error{Kind: KindMalformed, Err: &Invalid{Violations: violations, Answer: text}}
}

// candidates is the result of findObjects.
type candidates struct {
	objects  []json.RawMessage // compact, in order, not nested in each other
	unclosed bool              // some brace has no end
}

// findObjects returns the outermost parts of text that are JSON objects.
func findObjects(text string) candidates {
	var found candidates
	for range maxStarts {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		text = text[i:]
		n := objectLength(text)
		if n == 0 {
			found.unclosed = true
			text = text[1:]
			continue
		}
		var b bytes.Buffer
		if json.Compact(&b, []byte(text[:n])) != nil {
			text = text[1:]
			continue
		}
		found.objects = append(found.objects, b.Bytes())
		text = text[n:]
	}
	return found
}

// objectLength returns the length of the object at the start of text, by counting brackets outside strings; 0 if it has
// no end or nests too deeply.
func objectLength(text string) int {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return 0
			}
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// decodeValue decodes one JSON value. It rejects an object with a duplicate field, because readers disagree on which
// one to use, and a number that does not fit into a float64.
func decodeValue(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	v, err := readValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return v, nil
}

// readValue reads the next value; objects become map[string]any, lists []any.
func readValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("is no JSON: %w", err)
	}
	switch t {
	case json.Delim('{'):
		return readObject(d)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	default:
		return t, nil
	}
}

func readObject(d *json.Decoder) (any, error) {
	object := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("is no JSON: %w", err)
		}
		name, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("is no JSON: %v is no field name", t)
		}
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("the field %s is given twice", shorten(name))
		}
		v, err := readValue(d)
		if err != nil {
			return nil, err
		}
		object[name] = v
	}
	_, err := d.Token()
	return object, err
}
