package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/memtree/memtree/internal/whole"
)

// version is that of the rules: a log that other rules made is folded anew.
const version = 2

// mostBytes bounds a saved log.
const mostBytes = 1 << 30

type savedLog struct {
	Version int                   `json:"version"`
	Runs    map[string]*runRecord `json:"runs"`
}

// Save writes the runs to w as JSON with a checksum. The same ledger gives the same bytes.
func (l *Log) Save(w io.Writer) error {
	data, err := json.Marshal(savedLog{version, l.runs})
	if err == nil {
		_, err = w.Write(whole.Seal(data))
	}
	if err != nil {
		return fmt.Errorf("save the runs: %w", err)
	}
	return nil
}

// Load reads a Log that Save wrote. Damaged data is an error.
func Load(r io.Reader) (*Log, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostBytes))
	if err == nil {
		data, err = whole.Unseal(data)
	}
	var s savedLog
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("load the runs: %w", err)
	}
	if s.Version != version {
		return nil, fmt.Errorf("load the runs: they are of version %d", s.Version)
	}
	l := NewLog()
	for id, from := range s.Runs {
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
