package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
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
	*tree.Tally
	Done string `json:"done"` // left, taken, removed or own
}

// importRisk imports the tally of a file as the flags require; nil if there is none.
func (a *app) importRisk(
	ctx context.Context, m *memtree.Memory, t *tree.Tally, how riskFlags, dry bool,
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
func (a *app) tallyLine(t *tree.Tally) string {
	names := map[tree.RowOf][]string{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Name != "" && !slices.Contains(names[r.Of], text.Line(r.Name)) {
			names[r.Of] = append(names[r.Of], text.Line(r.Name))
		}
	}
	parts := []string{a.say("right and wrong ones of %d are counted", t.Verdicts)}
	for _, of := range []struct {
		of   tree.RowOf
		name string
	}{{tree.OfJudge, a.say("judges")}, {tree.OfProduct, a.say("products")}, {tree.OfScene, a.say("types of scene")}} {
		if list := names[of.of]; len(list) > 0 {
			parts = append(parts, of.name+" "+someOf(list))
		}
	}
	return strings.Join(parts, " · ")
}

// someOf joins the first names, with an ellipsis if there are more.
func someOf(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// riskLines describe the result for a tally.
func (a *app) riskLines(r *importedRisk, dry bool) []string {
	var done string
	switch r.Done {
	case riskTaken:
		done = a.say("Until enough truths are known here they help to rank verdicts.")
	case riskRemoved:
		done = a.say("What this team counted has no effect here any more.")
	case riskOwn:
		done = a.say("This tree counted them itself, so they add nothing.")
	default:
		done = a.say("They are not used; --risk ranks verdicts by them.")
	}
	if dry {
		done = a.say("Nothing was written.")
	}
	counted := a.say("Of %d verdicts the tree %s counted the right and wrong ones.", r.Verdicts, text.Line(r.Origin))
	return append(a.Wrap("  "+counted), a.Wrap("  "+done)...)
}
