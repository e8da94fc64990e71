package learned

import (
	"io"

	"github.com/memtree/memtree/run"
)

// WorkFold is the fold of what runs of agents plan, see and find.
type WorkFold struct{ *run.Log }

// NewWork returns an empty fold.
func NewWork() *WorkFold { return &WorkFold{run.NewLog()} }

// Name is "work".
func (*WorkFold) Name() string { return "work" }

// Reset removes all runs.
func (w *WorkFold) Reset() { w.Log = run.NewLog() }

// Load reads what Save wrote.
func (w *WorkFold) Load(r io.Reader) error {
	made, err := run.Load(r)
	if err != nil {
		w.Reset()
		return err
	}
	w.Log = made
	return nil
}
