package formation

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// With returns a Former like f with another model.
func (f *Former) With(g llm.Generator) *Former {
	c := *f
	c.generator = g
	return &c
}

// Waits reports whether no model has read a case yet: none was configured, or it did not answer. A case whose checks
// a person decided (CaseData.About) is not analysed again.
func Waits(n *tree.Node) bool {
	return n.Type == tree.Case && n.Live() && n.CaseData != nil && n.CaseData.About == nil && n.Provenance.Unread() &&
		n.Provenance.By == "formation"
}

// Again reads stored cases that wait for the model, from their evidence, in prompts of up to prompts.MaxRuns cases. It
// returns the updated cases, without those that continue to wait because the model did not answer. If its answer is
// unusable a second time, the case keeps the analysis of the rules and waits no longer. why has the errors by id of
// the cases.
func (f *Former) Again(ctx context.Context, cases []tree.Node) (read []tree.Node, why map[string]error) {
	runs := make([]*DetectedRun, len(cases))
	for i := range cases {
		runs[i] = &DetectedRun{facts: f.factsOf(&cases[i])}
	}
	f.readAll(ctx, runs)
	why = map[string]error{}
	for i, r := range runs {
		n := cases[i].Clone()
		if err := r.read.err; err != nil {
			why[n.ID] = err
			if !llm.Answered(err) {
				continue
			}
			n.Provenance.Again, n.Provenance.Model = false, cmp.Or(llm.NameOf(f.generator), "unnamed")
		} else {
			a := f.analyse(r.facts, r.read)
			f.describe(&n, r.facts, &a)
		}
		read = append(read, n)
	}
	return slices.Clip(read), why
}
