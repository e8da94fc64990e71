package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/transfer"
)

// The results of importing a tally, the verdict statistics of a file.
const (
	riskLeft    = "left"    // ignored
	riskTaken   = "taken"   // imported
	riskRemoved = "removed" // an earlier tally of the same team was removed
	riskOwn     = "own"     // ignored, because it is of this tree
)

// riskFlags choose how to import the tally of a file.
type riskFlags struct{ take, remove bool }

// importedRisk is the tally of a file, and the result of importing it.
type importedRisk struct {
	*ledger.Tally
	Done string `json:"done"` // left, taken, removed or own
}

// importRisk imports the tally of a file as the flags require; nil if there is none.
func importRisk(
	ctx context.Context, v *say.Voice, m *memtree.Memory, t *ledger.Tally, how riskFlags, dry bool,
) (*importedRisk, error) {
	if t == nil {
		return nil, nil //nolint:nilnil // a file says nothing of verdicts unless its team asked for that
	}
	out := &importedRisk{Tally: t, Done: riskLeft}
	var err error
	switch {
	case how.remove:
		out.Done = riskRemoved
		if !dry {
			err = m.Transfer().Forget(ctx, t.Origin)
		}
	case how.take:
		out.Done = riskTaken
		if !dry {
			err = m.Transfer().Believe(ctx, t)
		}
	}
	if errors.Is(err, transfer.ErrOwnRisk) {
		out.Done, err = riskOwn, nil
	}
	return out, err
}

// tallyLine describes a tally in one line.
func tallyLine(v *say.Voice, t *ledger.Tally) string {
	names := map[ledger.RowOf][]string{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Name != "" && !slices.Contains(names[r.Of], text.Line(r.Name)) {
			names[r.Of] = append(names[r.Of], text.Line(r.Name))
		}
	}
	parts := []string{v.Say("right and wrong ones of %d are counted", t.Verdicts)}
	for _, of := range []struct {
		of   ledger.RowOf
		name string
	}{{ledger.OfJudge, v.Say("judges")}, {ledger.OfProduct, v.Say("products")}, {ledger.OfScene,
		v.Say("types of scene")}} {
		if list := names[of.of]; len(list) > 0 {
			parts = append(parts, of.name+" "+someOf(list))
		}
	}
	if len(t.Shapes) > 0 {
		parts = append(parts, v.Say("what the lengths and tone of wrong ones have in common"))
	}
	return strings.Join(parts, " · ")
}

// riskLines describe the result for a tally.
func riskLines(v *say.Voice, r *importedRisk, dry bool) []string {
	var done string
	switch r.Done {
	case riskTaken:
		done = v.Say("Until enough truths are known here they help to rank verdicts.")
	case riskRemoved:
		done = v.Say("What this team counted has no effect here any more.")
	case riskOwn:
		done = v.Say("This tree counted them itself, so they add nothing.")
	default:
		done = v.Say("They are not used; --risk ranks verdicts by them.")
	}
	if dry {
		done = v.Say("Nothing was written.")
	}
	counted := v.Say("Of %d verdicts the tree %s counted the right and wrong ones.", r.Verdicts, text.Line(r.Origin))
	return append(v.Wrap("  "+counted), v.Wrap("  "+done)...)
}
