package formation

import (
	"encoding/json"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// evidence makes the part of a case that never changes. The id is a hash of the stored data, so that it can be
// computed again.
func (f *Former) evidence(x *facts) tree.Node {
	e := x.e
	n := tree.Node{
		Type: tree.Case, Level: tree.Case.Level(), Direction: x.judged.Direction,
		Scene: tree.Scene{ID: e.Scene.ID, Type: f.sceneType(x), Route: tree.Route(e.Scene.Route)},
		Scope: scope(e.Scope), Lang: x.lang, Status: tree.Active, Origin: f.origin,
		Children: []string{},
		Metadata: tree.Metadata{CreatedAt: e.At, UpdatedAt: e.At},
		CaseData: &tree.CaseData{
			TestCase: tree.TestCase{
				CaseID: e.CaseID, SceneID: e.Scene.ID,
				Prompt: text.ClipBytes(e.Prompt, tree.MaxNodeText), GroundTruth: clipJSON(e.GroundTruth),
			},
			AgentJudgment:   text.ClipBytes(e.Judgment.Text(), tree.MaxNodeText),
			EvaluatorReason: text.ClipBytes(e.Reason, tree.MaxNodeText),
			Evidence:        e.Evidence.Clone(),
		},
		Occurrences: []tree.Occurrence{occurrence(x, false)},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

// scope returns where the memory of a run applies. Without a suite this is the whole product: the test is stored in
// the evidence, but a lesson bound to one test could never help another. With a suite of ordered tests it is the place
// of the test in it (see tree's SamePlace); attach moves it when the test has moved.
func scope(s tree.Scope) tree.Scope {
	if len(s.SuiteTests) == 0 {
		return tree.Scope{Product: s.Product, Build: s.Build}
	}
	s.Test = ""
	return s
}

// sceneType returns the taxonomy's id for the scene, so that 表单 and form are the same place. It returns a name that
// the taxonomy does not know unchanged.
func (f *Former) sceneType(x *facts) string {
	if x.scene.ID != "" {
		return x.scene.ID
	}
	return x.e.Scene.Type
}

// describe adds the analysis to a case: its facts and, if Options.Words is set, the sentences.
func (f *Former) describe(n *tree.Node, x *facts, a *analysis) {
	n.ErrorType = a.errorType
	n.Provenance = x.signed(a.provenance)
	n.CaseData.Misses = a.misses
	n.CaseData.ActualError, n.CaseData.ErrorReason, n.CaseData.AvoidanceHint = a.actualError, a.errorReason, a.instead
	n.Content = tree.Content{Confidence: a.confidence}
	if f.words != nil {
		f.words(n)
	}
}

func occurrence(x *facts, near bool) tree.Occurrence {
	return tree.Occurrence{Evaluation: x.e.Key(), RunID: x.e.RunID, CaseID: x.e.CaseID, At: x.e.At, Near: near}
}

// clipJSON returns a value in canonical form. A value longer than tree.MaxNodeText
// becomes a JSON string that holds its beginning.
func clipJSON(r tree.Raw) tree.Raw {
	c := r.Canonical()
	if len(c) <= tree.MaxNodeText {
		return c
	}
	for limit := tree.MaxNodeText / 2; ; limit /= 2 { // escapes may make it twice as long, or more
		b, err := json.Marshal(text.ClipBytes(string(c), limit))
		if err != nil || len(b) <= tree.MaxNodeText {
			return tree.Raw(b).Canonical()
		}
	}
}
