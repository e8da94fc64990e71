package formation

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// Redact returns the evaluation with every text that looks like a secret replaced by
// [redacted:kind], and how many it replaced. Call it before anything is stored, sent
// or logged. JSON stays valid and the names of its fields stay. Redacting twice is
// the same as redacting once. The caller's slices are not changed.
//
// An id with a secret in it becomes a hash of itself, so that it still tells
// evaluations apart.
func Redact(e tree.Evaluation) (tree.Evaluation, int) {
	total := 0
	text := func(s *string, limit int) {
		r, n := RedactText(*s)
		if n > 0 && len(*s) <= limit { // a marker may be longer than what it stands for
			r = clipBytes(r, limit)
		}
		*s = r
		total += n
	}
	if _, n := RedactText(e.ID); n > 0 {
		e.ID = "v_" + tree.Hash(e.ID)
		total += n
	}
	for _, s := range []*string{&e.Prompt, &e.Observation, &e.Reason} {
		text(s, tree.MaxField)
	}
	for _, s := range []*string{
		&e.RunID, &e.CaseID, &e.Scene.ID, &e.Scene.Type, &e.Scene.Route,
		&e.Scope.Product, &e.Scope.Suite, &e.Scope.Test, &e.Scope.Build,
		&e.Agent.Name, &e.Agent.Version, &e.Agent.Model, &e.Trial,
	} {
		text(s, tree.MaxName)
	}
	if slices.ContainsFunc(e.Scope.SuiteTests, func(s string) bool { return suspicious(s) }) {
		e.Scope.SuiteTests = slices.Clone(e.Scope.SuiteTests)
		for i := range e.Scope.SuiteTests {
			text(&e.Scope.SuiteTests[i], tree.MaxName)
		}
	}
	for _, r := range []*tree.Raw{&e.Judgment, &e.GroundTruth} {
		v, n := redactJSON(*r)
		if n > 0 && len(v) > tree.MaxField && len(*r) <= tree.MaxField {
			v = quoteJSON(marker("too long"))
		}
		*r = v
		total += n
	}
	return e, total
}

// RedactText replaces what looks like a secret in s by [redacted:kind], and
// returns how many it found.
func RedactText(s string) (string, int) {
	if !suspicious(s) {
		return s, 0
	}
	spans := secrets(s)
	if len(spans) == 0 {
		return s, 0
	}
	var b strings.Builder
	at, n := 0, 0
	for _, p := range spans {
		if p.from < at { // it begins inside the one before, and may end after it
			at = max(at, p.to)
			continue
		}
		b.WriteString(s[at:p.from])
		b.WriteString(marker(p.kind))
		at = p.to
		n++
	}
	b.WriteString(s[at:])
	return b.String(), n
}

func marker(kind string) string { return "[redacted:" + kind + "]" }

// redactJSON redacts the strings of a JSON value and copies its other bytes. What is
// not JSON is redacted as text.
func redactJSON(r tree.Raw) (tree.Raw, int) {
	if len(r) == 0 || !suspicious(string(r)) {
		return r, 0
	}
	if r.Check() != nil {
		s, n := RedactText(string(r))
		return tree.Raw(s), n
	}
	w := jsonRedactor{in: r}
	w.run()
	if w.found == 0 {
		return r, 0
	}
	return w.out.Bytes(), w.found
}

// jsonRedactor copies valid JSON and redacts each string literal. For a value it
// also considers the name of its field.
type jsonRedactor struct {
	in    []byte
	out   bytes.Buffer
	found int
}

func (w *jsonRedactor) run() {
	name := "" // of the field whose value comes next
	for i := 0; i < len(w.in); {
		c := w.in[i]
		if c != '"' {
			if c == '[' || c == ']' || c == '}' {
				name = ""
			}
			w.out.WriteByte(c)
			i++
			continue
		}
		end := literalEnd(w.in, i)
		isName := nextByte(w.in, end) == ':'
		s, ok := w.literal(w.in[i:end], name)
		if isName && ok {
			name = s
		} else {
			name = ""
		}
		i = end
	}
}

// literal writes one string literal, redacted, and returns its text before that. ok
// is false when the literal cannot be read.
func (w *jsonRedactor) literal(raw []byte, name string) (string, bool) {
	s := string(raw[1 : len(raw)-1])
	if bytes.IndexByte(raw, '\\') >= 0 && json.Unmarshal(raw, &s) != nil {
		w.out.Write(raw)
		return "", false
	}
	said := s
	n := 0
	if kind := secretName(name); kind != "" && secretValue(s, kind) {
		s, n = marker(kind), 1
	} else {
		s, n = RedactText(s)
	}
	if n == 0 {
		w.out.Write(raw)
		return said, true
	}
	w.found += n
	w.out.Write(quoteJSON(s))
	return said, true
}

func quoteJSON(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return []byte(`""`) // a string always encodes
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func literalEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(b)
}

func nextByte(b []byte, i int) byte {
	for ; i < len(b); i++ {
		if c := b[i]; c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c
		}
	}
	return 0
}
