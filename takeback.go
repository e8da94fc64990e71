package memtree

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memtree/memtree/tree"
)

// ErrNotCorrected is returned by TakeBack for a verdict that was not corrected, or whose correction was taken back.
var ErrNotCorrected = errors.New("no correction of it is in force")

// TakeBack takes a correction back: the agent's own verdict is in use again. evaluation is the id of the agent's own
// verdict, or its beginning. It returns the correction, whose First is the verdict to use. The evidence of what
// corrections achieve stays. Advanced.
func (m *Memory) TakeBack(ctx context.Context, evaluation, by string) (tree.Correction, error) {
	if m.opts.ReadOnly {
		return tree.Correction{}, fmt.Errorf("take back: %w", tree.ErrReadOnly)
	}
	if err := m.waitAll(ctx); err != nil {
		return tree.Correction{}, fmt.Errorf("take back: %w", err)
	}
	found := map[string]tree.Correction{}
	for e, err := range m.store.Ledger(ctx, 0) {
		if err != nil {
			return tree.Correction{}, fmt.Errorf("take back: %w", err)
		}
		c := e.Correction
		switch {
		case c == nil || evaluation == "" || !strings.HasPrefix(c.Evaluation, evaluation):
		case c.Back:
			delete(found, c.Evaluation)
		case c.Changed:
			found[c.Evaluation] = *c
		}
	}
	c, ok := found[evaluation]
	for _, only := range found {
		if !ok && len(found) == 1 {
			c, ok = only, true
		}
	}
	if !ok {
		return tree.Correction{}, fmt.Errorf("take back %s: %w", evaluation, ErrNotCorrected)
	}
	c.Back, c.By, c.Changed, c.Now = true, by, false, c.First
	err := m.core.Apply(ctx, tree.Batch{Entries: []tree.Entry{{At: m.opts.Now(), Correction: &c}}})
	if err != nil {
		return tree.Correction{}, fmt.Errorf("take back: %w", err)
	}
	return c, nil
}
