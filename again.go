package memtree

import (
	"errors"

	"github.com/memtree/memtree/tree"
)

// mostPlans bounds how often a plan is made because a node it was made on changed
// meanwhile.
const mostPlans = 8

// untilFresh plans and applies until the plan is not stale.
func (m *Memory) untilFresh(plan func() error) error {
	for try := 1; ; try++ {
		err := plan()
		if !errors.Is(err, tree.ErrConflict) || try == mostPlans {
			return err
		}
		m.counts.conflicts.Add(1)
		m.opts.Logger.Debug("plan was stale, planning again", "try", try)
	}
}
