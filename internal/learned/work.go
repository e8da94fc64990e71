package learned

import (
	"io"

	"github.com/memtree/memtree/run"
)

// WorkFold keeps the runs of agents, under way and ended (package run), up to date with the ledger.
type WorkFold struct{ *run.Log }

// NewWork returns a WorkFold without runs.
func NewWork() *WorkFold { return &WorkFold{run.NewLog()} }

// Name returns "work".
func (*WorkFold) Name() string { return "work" }

// Reset removes all runs.
func (w *WorkFold) Reset() { w.Log = run.NewLog() }

// Load replaces the runs by those that Save wrote. After an error there are none.
func (w *WorkFold) Load(r io.Reader) error {
	made, err := run.Load(r)
	if err != nil {
		w.Reset()
		return err
	}
	w.Log = made
	return nil
}
