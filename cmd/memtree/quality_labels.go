package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// mostLabelled is the size of a file of labelled runs, in bytes, that is read: it is held in memory.
const mostLabelled = 512 << 20

// labelledRun is a run of a file with the object that it was read of.
type labelledRun struct {
	tree.Evaluation
	line int
	raw  json.RawMessage
}

// eachObject gives each object of a JSON Lines file, or of a file with one array, with the line it begins on.
func (a *app) eachObject(ctx context.Context, name string, take func(line int, raw json.RawMessage) error) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return &usageError{a.say("%s is a folder; name a file", name)}
	}
	b, err := readAtMost(name, mostLabelled)
	if err != nil {
		return err
	}
	if len(b) > mostLabelled {
		return &usageError{a.say("%s is larger than %s; split it", name, byteCount(mostLabelled))}
	}
	return a.objects(ctx, name, bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), take)
}

// objects gives each object of the content of a file.
func (a *app) objects(
	ctx context.Context, name string, b []byte, take func(line int, raw json.RawMessage) error,
) error {
	d := json.NewDecoder(bytes.NewReader(b))
	end := ""
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		_, _ = d.Token() // the bracket that was seen
		end = "]"
	}
	line, at := 1, 0
	for d.More() {
		if err := ctx.Err(); err != nil {
			return err
		}
		var raw json.RawMessage
		err := d.Decode(&raw)
		begin := max(at, int(d.InputOffset())-len(raw))
		line, at = line+bytes.Count(b[at:begin], []byte("\n")), begin
		if err != nil {
			return &usageError{a.say("%s:%d: this cannot be read as JSON (%s)", name, line, err)}
		}
		if !bytes.HasPrefix(raw, []byte("{")) {
			return &usageError{a.say("%s:%d: this is no JSON object, and a run is one", name, line)}
		}
		if err := take(line, raw); err != nil {
			return err
		}
	}
	if rest := bytes.TrimSpace(b[d.InputOffset():]); string(rest) != end {
		line += bytes.Count(b[at:d.InputOffset()], []byte("\n"))
		return &usageError{a.say("%s:%d: this cannot be read as JSON (%s)", name, line, text.Clip(oneLine(string(rest)), 40))}
	}
	return nil
}

func readAtMost(name string, most int64) ([]byte, error) {
	f, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(f, most+1))
}

// labelledRuns reads a file of runs. One that cannot be used ends the reading: a measure of the rest would be of
// something else than the file.
func (a *app) labelledRuns(ctx context.Context, name string) ([]labelledRun, error) {
	var out []labelledRun
	err := a.eachObject(ctx, name, func(line int, raw json.RawMessage) error {
		for e, err := range ingest.Read(name, bytes.NewReader(raw)) {
			if bad, ok := errors.AsType[*ingest.LineError](err); ok {
				return &usageError{a.rejectLine(reject{File: name, Line: line, Field: bad.Field, Error: bad.Problem})}
			}
			if err != nil {
				return fmt.Errorf("%s:%d: %w", name, line, err)
			}
			e.Identify()
			out = append(out, labelledRun{e, line, raw})
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		return nil, &usageError{a.say("%s has no run in it", name)}
	}
	return out, err
}

// labelOf returns what a field of a run says, "" if it is missing, empty or null. A name without a dot
// is also looked for among the labels.
func (a *app) labelOf(name string, r *labelledRun, field string) (string, error) {
	path := strings.Split(field, ".")
	raw := dig(r.raw, path)
	if raw == nil && len(path) == 1 {
		raw = dig(r.raw, []string{"labels", field})
	}
	if raw == nil || string(raw) == "null" {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", &usageError{a.rejectLine(reject{
			File: name, Line: r.line, Field: field, Error: a.say("is no text, so it is no label"),
		})}
	}
	return strings.TrimSpace(s), nil
}

// dig returns the value at a path into objects, nil if there is none.
func dig(raw json.RawMessage, path []string) json.RawMessage {
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			return nil
		}
		if raw = object[name]; raw == nil {
			return nil
		}
	}
	return raw
}

// labelFields returns the names of the labels that runs have, sorted.
func labelFields(runs []labelledRun) []string {
	var out []string
	for i := range runs {
		var labels map[string]json.RawMessage
		_ = json.Unmarshal(dig(runs[i].raw, []string{"labels"}), &labels) // what is no object has no names
		for name := range labels {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// classOf returns the error type that a label names: by its id, its name or the id of one of its checks. known is
// false for a label of which the taxonomy knows nothing; it is its own class.
func classOf(tax *taxonomy.Taxonomy, label string) (class string, known bool) {
	if _, ok := tax.ErrorType(label); ok {
		return label, true
	}
	for _, t := range tax.ErrorTypes() {
		if strings.EqualFold(label, t.ID) || strings.EqualFold(label, t.Name.EN) || label == t.Name.ZH {
			return t.ID, true
		}
	}
	if c, ok := tax.Check(label); ok {
		return c.ErrorType(), true
	}
	return label, false
}
