package run

import (
	"errors"
	"fmt"
	"io"

	"github.com/memtree/memtree/internal/whole"
)

// version is that of the rules: a log that other rules made is folded anew.
const version = 3

// Save writes the runs to w as JSON with a checksum. The same ledger gives the same bytes.
func (l *Log) Save(w io.Writer) error {
	if err := whole.SaveJSON(w, version, l.runs); err != nil {
		return fmt.Errorf("save the runs: %w", err)
	}
	return nil
}

// Load reads a Log that Save wrote. Damaged data is an error.
func Load(r io.Reader) (*Log, error) {
	var runs map[string]*runRecord
	if err := whole.LoadJSON(r, version, &runs); err != nil {
		return nil, fmt.Errorf("load the runs: %w", err)
	}
	l := NewLog()
	for id, from := range runs {
		if from == nil || from.ID != id {
			return nil, errors.New("load the runs: a run is not what its name says")
		}
		r := newRecord(from.Run)
		if from.Keys != nil {
			r.Keys = from.Keys
		}
		for i, t := range r.Tasks {
			r.tasks[t.ID] = i
		}
		for i, v := range r.Visited {
			r.pages[v.Page] = i
		}
		for i, t := range r.Tested {
			r.tested[t.Page+"\n"+t.Name] = i
		}
		for name, value := range r.Values {
			r.values += len(name) + len(value)
		}
		l.runs[id] = r
	}
	return l, nil
}
