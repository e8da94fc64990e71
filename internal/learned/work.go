package learned

import (
	"io"

	"github.com/memtree/memtree/run"
)

// Work is what the runs of agents do.
type Work struct{ *run.Log }

// NewWork returns a fold of no run.
func NewWork() *Work { return &Work{run.NewLog()} }

// Name is "work".
func (*Work) Name() string { return "work" }

// Reset removes all runs.
func (w *Work) Reset() { w.Log = run.NewLog() }

// Load reads what Save wrote.
func (w *Work) Load(r io.Reader) error {
	made, err := run.Load(r)
	if err != nil {
		w.Reset()
		return err
	}
	w.Log = made
	return nil
}
