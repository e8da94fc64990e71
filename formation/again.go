package formation

import (
	"context"

	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// With returns a Former like f that asks another model.
func (f *Former) With(g llm.Generator) *Former {
	c := *f
	c.generator = g
	return &c
}

// Waits reports whether a case waits for a model, because the one that was asked did not answer.
// What a person has said of a case since is not analysed again.
func Waits(n *tree.Node) bool {
	return n.Type == tree.Case && n.Live() && n.CaseData != nil && n.Provenance.Again && n.Provenance.By == "formation"
}

// Again has the model analyse a stored case that waits for it, from its evidence, and returns the
// case as it is then. If the model's answer cannot be used, the analysis of the rules stands and
// the case waits no longer. Any other error of the model is returned: the case waits.
func (f *Former) Again(ctx context.Context, n tree.Node) (tree.Node, error) {
	n = n.Clone()
	x, out := f.factsOf(&n), Formed{}
	t := guard.TruthsOf(x.truth, x.e.Prompt)
	a, err := f.byModel(ctx, x, t, f.byRules(x, t), &out)
	switch {
	case llm.Answered(err):
		n.Provenance.Again = false
		return n, nil
	case err != nil:
		return n, err
	}
	f.describe(&n, x, &a)
	return n, nil
}
