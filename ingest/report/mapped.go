package report

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/tree"
)

// walker finds the runs of a file by a mapping.
type walker struct {
	*fileDecoder
	j       *jsonReader
	m       *Mapping
	objects *ingest.Objects
	above   []map[string]json.RawMessage // members of the enclosing objects, from outside in
	wanted  map[string]bool              // which of their members are needed
}

// longestAbove bounds the stored members of an object around a run, in bytes.
const longestAbove = 4 << 10

// mapped reads any JSON by the mapping of the options.
func (d *fileDecoder) mapped(j *jsonReader) error {
	w := &walker{fileDecoder: d, j: j, m: d.rd.o.Mapping, objects: ingest.NewObjects(d.name, d.rd.o.Run),
		wanted: map[string]bool{}}
	for _, x := range w.m.fields {
		if x.above {
			w.wanted[x.path[0].name] = true
		}
	}
	j.begin()
	for {
		if _, err := j.peek(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		err := w.walk(w.m.runs)
		var broken *brokenError
		if errors.As(err, &broken) && len(w.m.runs) == 0 && j.depth == 0 {
			if err := d.bad(broken.line, "", broken.problem); err != nil {
				return err
			}
			err = j.skipLine()
		}
		if err != nil {
			return err
		}
	}
}

// skipLine continues after a broken line of JSON.
func (j *jsonReader) skipLine() error {
	for {
		c, err := j.r.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err //nolint:wrapcheck // the reader's own
		case c == '\n':
			j.line++
			return nil
		}
	}
}

// walk follows a path to the runs.
func (w *walker) walk(path []pathStep) error {
	if len(path) == 0 {
		c, err := w.j.peek()
		if err != nil {
			return w.j.failed(err)
		}
		if c == '[' && len(w.m.runs) == 0 {
			return w.j.array(w.run)
		}
		return w.run()
	}
	s, at := path[0], 0
	if s.each || s.at >= 0 {
		return w.j.array(func() error {
			if at++; !s.each && at-1 != s.at {
				return w.j.skip()
			}
			return w.walk(path[1:])
		})
	}
	members := map[string]json.RawMessage{}
	w.above = append(w.above, members)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	return w.j.object(func(key string) error {
		switch {
		case key == s.name:
			return w.walk(path[1:])
		case w.wanted[key]:
			b, err := w.j.scan(longestAbove)
			members[strings.Clone(key)] = slices.Clone(b)
			return err
		}
		return w.j.skip()
	})
}

// run reads one run.
func (w *walker) run() error {
	line := w.j.line
	b, err := w.j.raw()
	switch {
	case err != nil:
		return err
	case b == nil:
		return w.bad(line, "", "is longer than 8 MiB; shorten it")
	case b[0] != '{':
		return w.bad(line, "", "is no object; every run is an object")
	}
	if err := tree.Raw(b).Check(); err != nil {
		return w.bad(line, "", err.Error())
	}
	w.met = true
	var r row
	for _, x := range w.m.fields {
		if x.path != nil {
			r.set(x.field, w.cell(x, b))
		}
	}
	w.m.constants(&r)
	if w.m.none(&r) {
		w.rd.Skipped++
		return nil
	}
	e, err := w.objects.Read(line, r.object())
	return w.give(e, err)
}

// cell returns the value of a field in a run.
func (w *walker) cell(x mapped, run []byte) tree.Raw {
	var v json.RawMessage
	if !x.above {
		v = find(run, x.path)
	}
	for i := len(w.above) - 1; x.above && v == nil && i >= 0; i-- {
		if first := w.above[i][x.path[0].name]; first != nil {
			v = find(first, x.path[1:])
		}
	}
	var s string
	if len(v) > 0 && v[0] == '"' && json.Unmarshal(v, &s) == nil {
		if s == "" && x.field != "judgment" {
			return nil
		}
		return typed(x.field, w.m.word(x.field, s))
	}
	switch {
	case x.field == "judgment" || x.field == "ground_truth":
		if means := w.m.word(x.field, string(v)); means != string(v) {
			return tree.Quote(means)
		}
	case len(v) > 0 && v[0] != '{' && v[0] != '[' && x.field != "at" && x.field != "attempt" && x.field != "correct" &&
		x.field != "scope.position" && string(v) != "null":
		return tree.Quote(string(v)) // a number where a text is expected, such as an id
	}
	return tree.Raw(v)
}
