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

// MaxAnswer is the longest text, in bytes, that [Decode] looks at.
const MaxAnswer = 1 << 20

const (
	root          = "answer" // how violations name the whole object
	maxViolations = 20
	maxDepth      = 64 // nesting of an answer
	maxStarts     = 64 // places where an object may begin: bounds the search in "{{{{…"
)

// Invalid says what is wrong with an answer, in sentences a model can act on.
type Invalid struct {
	// Violations has at least one sentence, each naming the field.
	Violations []string
	// Answer is the text that was refused.
	Answer string
}

func (e *Invalid) Error() string { return strings.Join(e.Violations, "; ") }

// Decode finds the JSON object in what a model wrote, and checks it.
//
// Prose, Markdown fences and a <think> part around the object are ignored, as
// are braces that are no JSON. The first object that satisfies schema is the
// answer, returned compact; a second, different one makes the text ambiguous and
// is refused, and so are objects that name a field twice. An empty schema takes
// any object. The error is an [*Error]: too large, malformed (with an [*Invalid]
// inside), or bad request when the schema itself cannot be read.
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
	return pick(objects(body), s, text)
}

// pick takes the one object that satisfies s; of several refused ones it
// reports the first.
func pick(found search, s *schema, text string) (json.RawMessage, error) {
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
	case found.open:
		return nil, malformed(text, root+": the JSON object has no end")
	default:
		return nil, malformed(text, root+": there is no JSON object")
	}
}

func malformed(text string, violations ...string) error {
	return &Error{Kind: KindMalformed, Err: &Invalid{Violations: violations, Answer: text}}
}

// search is what objects found.
type search struct {
	objects []json.RawMessage // compact, in order, not nested in each other
	open    bool              // some brace was never closed
}

// objects collects the outermost pieces of text that are JSON objects.
func objects(text string) search {
	var found search
	for range maxStarts {
		i := strings.IndexByte(text, '{')
		if i < 0 {
			break
		}
		text = text[i:]
		n := balanced(text)
		if n == 0 {
			found.open = true
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

// balanced returns the length of the braces that text begins with, strings
// skipped over; 0 when they are never closed or nest too deep.
func balanced(text string) int {
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

// decodeValue reads one JSON value. It refuses an object that names a field
// twice, for readers would disagree on which one counts, and a number that no
// float64 can hold.
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
			return nil, fmt.Errorf("the field %s is given twice", short(name))
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
