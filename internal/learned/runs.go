package learned

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// RunFold holds the guided runs in the ledger (its trials) and their outcomes. It is never saved, because reading the
// ledger again takes no longer.
type RunFold struct {
	unsaved
	joiner *effect.Joiner
	pos    uint64
}

// NewRuns returns a RunFold without runs.
func NewRuns() *RunFold {
	r := &RunFold{}
	r.Reset()
	return r
}

// Reset removes all runs.
func (r *RunFold) Reset() { r.joiner, r.pos = effect.NewJoiner(), 0 }

// Add adds what the entry e contains about guided runs, such as a trial, an outcome, or an act that changes what runs
// receive.
func (r *RunFold) Add(e *ledger.Entry) {
	r.joiner.Add(e)
	r.pos = e.Seq
}

// Join returns the guided runs whose outcome is known so far, and counts of the others. It calls look to get the
// present state of each memory.
func (r *RunFold) Join(look effect.CandidateOf) effect.Joined { return r.joiner.Join(look) }

// Acts returns the number of decisions that people made since the tree last evolved. It does not count pins.
func (r *RunFold) Acts() int { return r.joiner.Acts() }

// Last returns the number of the last entry that was added, 0 if there is none.
func (r *RunFold) Last() uint64 { return r.pos }

// Save writes the runs so far as JSON, for comparison: it treats every memory as unknown.
func (r *RunFold) Save(w io.Writer) error {
	j := r.Join(func(string) (effect.Candidate, bool) { return effect.Candidate{}, false })
	return saveJSON(w, struct {
		Runs effect.Joined
		Acts int
	}{j, r.Acts()})
}

// unsaved is derived data that is never saved.
type unsaved struct{}

func (unsaved) Name() string         { return "" }
func (unsaved) Load(io.Reader) error { return fmt.Errorf("load: %w", tree.ErrNotFound) }

func saveJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(b)
	}
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}
