package curation

import (
	"context"
	"errors"
	"strings"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// ErrNotCorrected is returned by TakeBack for a verdict that was not corrected, or whose correction was taken back.
var ErrNotCorrected = errors.New("no correction of it is in force")

// TakeBack takes the correction of a verdict back: the agent's own verdict is in use again. evaluation is the id of the
// agent's own verdict, or its beginning. It returns the correction, whose First is the verdict to use. The evidence of
// what corrections achieve stays.
func (c *Curation) TakeBack(ctx context.Context, evaluation string, o Options) (back ledger.Correction, err error) {
	err = c.apply(ctx, o, func() (store.Batch, error) {
		found := map[string]ledger.Correction{}
		for e, err := range c.door.Tree.Ledger(ctx, 0) {
			if err != nil {
				return store.Batch{}, err
			}
			x := e.Correction
			switch {
			case x == nil || evaluation == "" || !strings.HasPrefix(x.Evaluation, evaluation):
			case x.Back:
				delete(found, x.Evaluation)
			case x.Changed:
				found[x.Evaluation] = *x
			}
		}
		x, ok := found[evaluation]
		for _, only := range found {
			if !ok && len(found) == 1 {
				x, ok = only, true
			}
		}
		if !ok {
			return store.Batch{}, ErrNotCorrected
		}
		x.Back, x.By, x.Changed, x.Now = true, o.By, false, x.First
		back = x
		return store.Batch{Entries: []ledger.Entry{{At: c.door.Now(), Correction: &x}}}, nil
	})
	if err != nil {
		return ledger.Correction{}, wrap(tree.DecisionUndo, evaluation, err)
	}
	return back, nil
}
