package look

import (
	"context"
	"errors"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/decide"
	"github.com/memtree/memtree/llm/meter"
)

// The questions to a model that decides. It quotes nothing, so its look is a probability, and counts by how often looks
// with such a probability were right in the store.
var deciding = []decide.DecisionQuestion{
	{Name: "holds", Kind: decide.Yes, Ask: "By the evidence alone, does the verdict hold? A run is a success only if " +
		"everything that the task demands was done. What the agent or the judge claims is no evidence."},
	{Name: "by", Kind: decide.Choice, Ask: "If the run failed, who is to blame?",
		Options: []string{"agent", "beyond", "none", "unseen"}},
}

// bins is the number of codes for probabilities, after Refuted.
const bins = 10

// decided asks a model that decides about one verdict.
func (s *Looks) decided(ctx context.Context, of *meter.Meter, o *Options, a *verdictQuestion) (Look, error) {
	got, err := of.Decider(o.Decider, o.Price.Of).Decide(ctx, a.in.State(), deciding)
	if err != nil {
		return Look{}, err //nolint:wrapcheck // the caller reports it
	}
	holds, ok := got.Of["holds"]
	if !ok {
		return Look{}, &llm.Error{Kind: llm.KindRefused, Err: errors.New("it gave no probability")}
	}
	at := placeOf(&a.e)
	l := Look{
		Evaluation: at.evaluation, Seen: at.seen, At: s.a.Now().UTC(), By: got.Model, P: &holds.P, Points: []TaskPoint{},
		Holds: unseen, Blame: unseen,
	}
	if by, ok := got.Of["by"]; ok {
		l.Blame = deciding[1].Options[by.Best]
	}
	switch {
	case holds.P > 0.5:
		l.Holds = yes
	case holds.P < 0.5:
		l.Holds = no
	}
	return l, nil
}

// bin returns the code of a probability that the verdict holds: the lower it is, the higher the code.
func bin(p float64) uint8 {
	return Refuted + 1 + uint8(min(bins-1, max(0, int((1-p)*bins+1e-9)))) //nolint:gosec // bounded
}
