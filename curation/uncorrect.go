package curation

import (
	"context"
	"errors"
	"strings"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// The errors of TakeBack.
var (
	// ErrNotCorrected means that no correction of the verdict is in force, or that several fit the beginning of a key.
	ErrNotCorrected = errors.New("no correction of it is in force")
	// ErrTakenBack means that a person took the correction back before.
	ErrTakenBack = errors.New("its correction was taken back before")
)

// TakeBack takes the correction of a verdict back, so that the agent's own verdict is in use again. evaluation is the
// key of the corrected evaluation, or the beginning of the key if it fits only one correction. TakeBack returns the
// correction, even with ErrTakenBack; its First is the verdict to use.
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
			case x.Back || x.Changed:
				found[x.Evaluation] = *x
			}
		}
		x, ok := meant(found, evaluation)
		switch {
		case !ok:
			return store.Batch{}, ErrNotCorrected
		case x.Back:
			back = x
			return store.Batch{}, ErrTakenBack
		}
		x.Back, x.By, x.Changed, x.Now = true, o.By, false, x.First
		back = x
		return store.Batch{Entries: []ledger.Entry{{At: c.door.Now(), Correction: &x}}}, nil
	})
	switch {
	case errors.Is(err, ErrTakenBack):
		return back, wrap(tree.DecisionUndo, evaluation, err)
	case err != nil:
		return ledger.Correction{}, wrap(tree.DecisionUndo, evaluation, err)
	}
	return back, nil
}

// meant returns the correction of an evaluation, or of the only one whose id begins so: of those in force, else of
// those taken back.
func meant(found map[string]ledger.Correction, evaluation string) (x ledger.Correction, ok bool) {
	if x, ok = found[evaluation]; ok {
		return x, true
	}
	for _, back := range []bool{false, true} {
		n := 0
		for _, of := range found {
			if of.Back == back {
				x, n = of, n+1
			}
		}
		if n > 0 {
			return x, n == 1
		}
	}
	return ledger.Correction{}, false
}
