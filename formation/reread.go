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

// Waits reports whether n is a case in use that no model has read yet, because none was configured or it did not
// answer. It returns false for a case whose analysis or checks (CaseData.About) a person has decided.
func Waits(n *tree.Node) bool {
	return n.Type == tree.Case && n.Live() && n.CaseData != nil && n.CaseData.About == nil && n.Provenance.Unread() &&
		n.Provenance.By == "formation"
}

// Again has the model read stored cases for which Waits is true, from their evidence, in prompts of up to
// prompts.MaxRuns cases. It returns the updated cases in read. A case for which the model gave no answer is not among
// them, and continues to wait. If the model answers and the answer cannot be used, the case keeps the analysis of the
// rules and waits no longer. why has the error of each case that the model did not read, by id.
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
