package ingest

import (
	"slices"

	"github.com/memtree/memtree/tree"
)

// Objects reads the objects of one file that the caller has split: the rows of a table, or parts of a larger whole. It
// names runs without a name as Read does.
type Objects struct {
	name string
	of   *runs
}

// NewObjects returns a reader of the objects of the named file. run is the run of those without one; it may be empty.
func NewObjects(name, run string) *Objects { return &Objects{name: name, of: newRuns(run)} }

// Read reads one JSON object, which begins at the given line. It does not retain data. A *LineError is why it is no
// evaluation.
func (o *Objects) Read(line int, data []byte) (tree.Evaluation, error) {
	e, bad := rawObject{data: data, line: line}.evaluation(&parser{})
	if bad != nil {
		return tree.Evaluation{}, &LineError{File: o.name, Line: line, Field: bad.field, Problem: bad.problem}
	}
	o.of.identify(&e)
	return e, nil
}

// Fields returns the names of the fields of a run that a file can have, as in tree.Evaluation.
func Fields() []string {
	var out []string
	for _, name := range canonical {
		if name != "" && name != canonical[slotResult] && name != canonical[slotFirst] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
