package formation

import (
	"context"
	"slices"

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

// Again has the model read stored cases that wait for it, from their evidence, in questions of up to
// prompts.MaxRuns cases. It returns the cases as they are then, without those that go on waiting because
// the model did not answer. Where its answer cannot be used a second time, the analysis of the
// rules stands and the case waits no longer. why has the errors by id of the cases.
func (f *Former) Again(ctx context.Context, cases []tree.Node) (read []tree.Node, why map[string]error) {
	runs := make([]*Run, len(cases))
	for i := range cases {
		runs[i] = &Run{facts: f.factsOf(&cases[i])}
	}
	f.readAll(ctx, runs)
	why = map[string]error{}
	for i, r := range runs {
		n := cases[i].Clone()
		if err := r.read.err; err != nil {
			why[n.ID] = err
			if n.Provenance.Again = !llm.Answered(err); n.Provenance.Again {
				continue
			}
		} else {
			a := f.analyse(r.facts, r.read)
			f.describe(&n, r.facts, &a)
		}
		read = append(read, n)
	}
	return slices.Clip(read), why
}
