package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/tree"
)

// longestMapping bounds a mapping, in bytes.
const longestMapping = 64 << 10

// Mapping describes where a JSON file or a table has the fields of a run. Without one, a table is read by the usual
// names of its columns; JSON needs one.
type Mapping struct {
	runs   []pathStep
	fields []mapped
	words  map[string]string
}

// mapped is the source of a field.
type mapped struct {
	field    string
	path     []pathStep // empty for a constant
	constant tree.Raw
	above    bool   // from an object around the run
	column   string // the exact name, for tables
}

// mappingFile is the file form of a mapping.
type mappingFile struct {
	Runs   string            `yaml:"runs"`
	Fields map[string]string `yaml:"fields"`
	Words  map[string]string `yaml:"words"`
}

// ReadMapping reads a Mapping in YAML. runs is the path of the objects that are runs; without it each object of the
// file is a run. fields maps names of [ingest.Fields] to the path within a run, or to the column of a table; prompt and
// judgment are required. words maps verdicts of the file to pass, fail or, for none, "". The error for an invalid
// mapping is a *ingest.FileError.
//
// A path is names with full stops between them; [0] is the first element of an array, ["a.b"] a name with a full stop.
// [] is each element, in fields the first that has the value. A path that begins with ^. starts at the nearest object
// around the run that has such a member before the run. A value that begins with = is a constant.
func ReadMapping(name string, r io.Reader) (*Mapping, error) {
	b, err := io.ReadAll(io.LimitReader(r, longestMapping+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var f mappingFile
	if len(b) > longestMapping {
		err = errors.New("has more than 64 KiB")
	} else if err = yaml.UnmarshalWithOptions(b, &f, yaml.Strict()); err != nil {
		err = errors.New("is no mapping: " + oneLine(yaml.FormatError(err, false, false)))
	}
	var m *Mapping
	if err == nil {
		m, err = f.mapping()
	}
	if err != nil {
		return nil, &ingest.FileError{File: name, Problem: err.Error()}
	}
	return m, nil
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

func (f *mappingFile) mapping() (*Mapping, error) {
	m := &Mapping{words: f.Words}
	var err error
	if m.runs, err = parsePath(f.Runs); err != nil {
		return nil, fmt.Errorf("has a path that cannot be read: runs: %w", err)
	}
	for field, from := range f.Fields {
		if !slices.Contains(ingest.Fields(), field) {
			return nil, fmt.Errorf("names the field %s, which there is not; the fields are %s", field,
				strings.Join(ingest.Fields(), ", "))
		}
		x := mapped{field: field, column: from}
		if constant, ok := strings.CutPrefix(from, "="); ok {
			x.constant = typed(field, constant)
		} else {
			from, x.above = strings.CutPrefix(from, "^.")
			if x.path, err = parsePath(from); err != nil || len(x.path) == 0 {
				return nil, fmt.Errorf("has a path that cannot be read: %s: %s", field, from)
			}
		}
		m.fields = append(m.fields, x)
	}
	slices.SortFunc(m.fields, func(a, b mapped) int { return strings.Compare(a.field, b.field) })
	for _, must := range []string{"prompt", "judgment"} {
		if _, ok := f.Fields[must]; !ok {
			return nil, fmt.Errorf("does not say where %s is; write fields: with %s and its path", must, must)
		}
	}
	for word, means := range f.Words {
		if means != "pass" && means != "fail" && means != "" {
			return nil, fmt.Errorf("says that %s means %q; a word means pass, fail or, where there is no verdict, nothing", word,
				means)
		}
	}
	return m, nil
}

// column returns the field of a column of this name.
func (m *Mapping) column(name string) string {
	if m == nil {
		return columnField(name)
	}
	for _, x := range m.fields {
		if x.path != nil && x.column == name {
			return x.field
		}
	}
	return ""
}

// word returns the meaning of a verdict of the file.
func (m *Mapping) word(field, said string) string {
	if m != nil && (field == "judgment" || field == "ground_truth") {
		if means, ok := m.words[said]; ok {
			return means
		}
	}
	return said
}

// constants sets the fields that are the same for every run.
func (m *Mapping) constants(r *row) {
	if m == nil {
		return
	}
	for _, x := range m.fields {
		if x.path == nil {
			r.set(x.field, x.constant)
		}
	}
}

// none reports whether a run has no verdict, because its verdict is mapped to none.
func (m *Mapping) none(r *row) bool {
	if m == nil {
		return false
	}
	i := slices.Index(r.names, "judgment")
	return i >= 0 && string(r.values[i]) == `""`
}
