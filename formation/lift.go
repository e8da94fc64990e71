package formation

import (
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Lift adds misses to case n if it has none, because it was stored before cases had misses. It reads the misses from
// the evidence, and writes the sentences of the case again. The texts of a person or a model remain.
func (f *Former) Lift(n *tree.Node) {
	d := n.CaseData
	if d == nil || len(d.Misses) > 0 {
		return
	}
	x := f.factsOf(n)
	t := x.secrets()
	d.Misses = f.misses(x, t)
	if n.ErrorType == taxonomy.OtherError {
		n.ErrorType = d.Misses[0].ErrorType // the rules could not classify it before
	}
	for i := range d.Misses {
		if d.Misses[i].Check == "" {
			d.Misses[i].ErrorType = n.ErrorType
		}
	}
	r := &missReader{facts: x, f: f, truths: t}
	if lead := &d.Misses[0]; n.Provenance.Analyst != "rules" {
		lead.Instead = r.how(text.Sentences(text.Line(d.AvoidanceHint))...)
		if lead.How == "" {
			lead.How, lead.From = r.how(text.Sentences(text.Line(d.ErrorReason))...), tree.FromModel
		}
	}
	if f.words != nil {
		f.words(n)
	}
}

// factsOf reads the facts of a stored case from its evidence.
func (f *Former) factsOf(n *tree.Node) *facts {
	d := n.CaseData
	judgment := tree.Raw(d.AgentJudgment)
	if judgment.Check() != nil || len(judgment) == 0 {
		judgment = tree.Quote(d.AgentJudgment)
	}
	wrong := false
	e := tree.Evaluation{
		CaseID: d.TestCase.CaseID, Prompt: d.TestCase.Prompt, GroundTruth: d.TestCase.GroundTruth, Judgment: judgment,
		Correct: &wrong, Direction: n.Direction, Reason: d.EvaluatorReason, Scene: n.Scene, Scope: n.Scope,
	}
	x := f.read(&e)
	x.judged.Direction, x.lang = n.Direction, n.Lang
	f.readWrong(x)
	return x
}
