package memtree

import (
	"errors"

	"github.com/memtree/memtree/tree"
)

// mostPlans is how often a plan is made before its conflict becomes an error.
const mostPlans = 8

// untilFresh calls plan, which plans and applies. If a node changed after it was planned on,
// apply refuses the plan with tree.ErrConflict, and untilFresh calls plan again.
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
