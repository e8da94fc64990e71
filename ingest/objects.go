package ingest

import (
	"slices"

	"github.com/memtree/memtree/tree"
)

// Objects reads runs from JSON objects that the caller has split from one file: the rows of a table, or parts of a
// larger whole. It gives runs without an id one as Read does.
type Objects struct {
	name string
	of   *runs
}

// NewObjects returns a reader of runs for JSON objects that were split from one file; name is that file in error
// messages. run is the run id of objects with neither id nor run id; equal ones after the first get a number in it. If
// run is empty, such objects get a run id as the function Read describes.
func NewObjects(name, run string) *Objects { return &Objects{name: name, of: newRuns(run)} }

// Read returns the run in the JSON object data, which begins at the given line of the file. It does not retain data.
// The error is a *LineError.
func (o *Objects) Read(line int, data []byte) (tree.Evaluation, error) {
	e, bad := rawObject{data: data, line: line}.evaluation(&parser{})
	if bad != nil {
		return tree.Evaluation{}, &LineError{File: o.name, Line: line, Field: bad.field, Problem: bad.problem}
	}
	o.of.identify(&e)
	return e, nil
}

// Fields returns the names of the fields of a run that a file can have, as tree.Evaluation has them.
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
