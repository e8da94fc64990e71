package tape

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memtree/memtree/internal/whole"
	"github.com/memtree/memtree/llm"
)

// Recorder is an llm.Generator that passes requests to another one and records the results in files. A result is an
// answer, or a failure that the model caused: a malformed answer, a refusal, or an answer that was cut off. Other
// failures are the provider's and are not recorded. A repeated request replaces its recording. It is safe for
// concurrent use.
type Recorder struct {
	of    llm.Generator
	dir   string
	model string
	scrub func(string) string

	mu    sync.Mutex
	n     int
	first error // of a recording that could not be written
}

// NewRecorder returns a Recorder that passes requests to g and writes to the folder dir, which it makes if there is
// none. model is recorded as the model's name in failures, which do not contain the name. scrub removes secrets from a
// text. Generate returns the scrubbed text too, so that a replay continues with the same text as the recording run.
// The error is a [*FolderError].
func NewRecorder(g llm.Generator, dir, model string, scrub func(string) string) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return nil, &FolderError{Path: dir, Problem: IsFile, Err: err}
		}
		return nil, &FolderError{Path: dir, Problem: NotWritable, Err: err}
	}
	f, err := os.CreateTemp(dir, "*.tmp")
	if err != nil {
		return nil, &FolderError{Path: dir, Problem: NotWritable, Err: err}
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return nil, &FolderError{Path: dir, Problem: NotWritable, Err: err}
	}
	return &Recorder{of: g, dir: dir, model: model, scrub: scrub}, nil
}

// Unwrap returns the generator to which r passes requests, for [llm.Find].
func (r *Recorder) Unwrap() any { return r.of }

// Recorded returns how many recordings r has written, and the first error of writing one. Generate returns an answer
// even if recording it failed.
func (r *Recorder) Recorded() (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n, r.first
}

// Generate passes q to the other generator, records the result and returns it.
func (r *Recorder) Generate(ctx context.Context, q llm.Request) (llm.Answer, error) {
	a, err := r.of.Generate(ctx, q)
	c, ok := r.recordingOf(q, a, err)
	if !ok {
		return a, err
	}
	r.write(Key(q), &c)
	if c.Failure == llm.KindRefused || c.Failure == llm.KindTruncated {
		return a, err // it has more details than the recording
	}
	return c.play(q)
}

// recordingOf returns the recording of an answer or failure, and false if it is not to be recorded.
func (r *Recorder) recordingOf(q llm.Request, a llm.Answer, err error) (recording, bool) {
	c := recording{
		Format: format,
		Name:   r.line(cmp.Or(q.Name, unnamed)),
		Model:  r.line(cmp.Or(a.Model, r.model, unnamed)),
		Usage:  a.Usage,
	}
	if err == nil {
		c.Answer = scrubJSON(a.JSON, r.scrub)
		return c, true
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || !recorded(e.Kind) {
		return c, false
	}
	c.Failure, c.Usage = e.Kind, e.Usage
	if invalid, ok := errors.AsType[*llm.Invalid](err); ok && e.Kind == llm.KindMalformed {
		c.Text = r.scrub(strings.ToValidUTF8(invalid.Answer, "\uFFFD"))
	}
	return c, true
}

// line returns a name in the form that a recording requires: one line, scrubbed and clipped.
func (r *Recorder) line(s string) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, r.scrub(strings.ToValidUTF8(s, "\uFFFD")))
	if chars := []rune(s); len(chars) > maxName {
		s = string(chars[:maxName])
	}
	return s
}

func (r *Recorder) write(key string, c *recording) {
	err := r.save(key, c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.n++
	} else if r.first == nil {
		r.first = fmt.Errorf("record %s: %w", c.Name, err)
	}
}

// save writes the file atomically, because the same request may run twice at once, and the process may be killed.
func (r *Recorder) save(key string, c *recording) error {
	b, err := c.encode()
	if err != nil {
		return err
	}
	return whole.Bytes(filepath.Join(r.dir, key+suffix), 0o600, b)
}

// scrubJSON scrubs the strings of an object, including the names of its fields. Without a secret the bytes remain
// unchanged.
func scrubJSON(raw json.RawMessage, scrub func(string) string) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw // impossible: it is an answer
	}
	changed := false
	v = scrubValue(v, func(s string) string {
		t := scrub(s)
		changed = changed || t != s
		return t
	})
	if !changed {
		return raw
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return raw // impossible: it was decoded from JSON
	}
	return bytes.TrimSpace(b.Bytes())
}

func scrubValue(v any, scrub func(string) string) any {
	switch v := v.(type) {
	case string:
		return scrub(v)
	case []any:
		for i := range v {
			v[i] = scrubValue(v[i], scrub)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) { // sorted, because two names may become one
			out[scrub(name)] = scrubValue(v[name], scrub)
		}
		return out
	}
	return v
}
