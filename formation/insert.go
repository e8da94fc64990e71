package formation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// attach proposes one more occurrence of a case, unless it has that already.
func attach(n tree.Node, x *facts, near bool, out *Formed) {
	out.Verdict.Node = n.ID
	o := occurrence(x, near)
	if slices.ContainsFunc(n.Occurrences, func(p tree.Occurrence) bool { return p.Evaluation == o.Evaluation }) {
		return
	}
	n.Occurrences = append(slices.Clone(n.Occurrences), o)
	slices.SortStableFunc(n.Occurrences, func(a, b tree.Occurrence) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Evaluation, b.Evaluation))
	})
	if extra := len(n.Occurrences) - tree.MaxOccurrences; extra > 0 {
		n.Occurrences = n.Occurrences[extra:] // the newest stay
	}
	if o.At.After(n.Metadata.UpdatedAt) {
		n.Metadata.UpdatedAt = o.At
	}
	if n.Occurrences[len(n.Occurrences)-1].Evaluation == o.Evaluation {
		n.Scope = moved(n.Scope, scope(x.e.Scope))
		n.Scope.Build = x.e.Scope.Build
	}
	if o.At.Before(n.Metadata.CreatedAt) { // runs may be recorded in any order
		n.Metadata.CreatedAt = o.At
	}
	why := "the same wrong verdict on the same evidence"
	if near {
		why = "nearly the same wrong verdict on nearly the same evidence"
	}
	out.Changes = append(out.Changes, tree.NewChange(tree.OpAttach, n, n.Revision, "formation", fmt.Sprintf("%s, in evaluation %s", why, inline(o.Evaluation))))
}

// moved is where a memory applies after its newest run: in a suite that changed, at
// the place where its test stands now. A run of another test or suite, or of
// none, moves nothing.
func moved(was, is tree.Scope) tree.Scope {
	if was.Product == is.Product && was.Suite == is.Suite && was.PlaceTest() != "" && was.PlaceTest() == is.PlaceTest() {
		return is
	}
	return was
}

// What counts as nearly the same: Jaccard similarity of character 5-grams.
const (
	nearShingle    = 5
	nearJaccard    = 0.90
	nearCandidates = 5
	nearText       = 8 << 10 // bytes of each text that are compared
)

// recurrence looks for an older case that the new one is a recurrence of: nearly the
// same evidence, or the same test with the same miss.
func recurrence(ctx context.Context, v View, n *tree.Node) (tree.Node, bool, error) {
	list, err := v.Similar(ctx, n, nearCandidates)
	if err != nil {
		return tree.Node{}, false, err
	}
	if o, ok := nearDuplicate(list, n); ok {
		return o, true, nil
	}
	slices.SortStableFunc(list, func(a, b tree.Node) int {
		return cmp.Or(a.Metadata.CreatedAt.Compare(b.Metadata.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	for i := range list {
		if recurs(&list[i], n) {
			return list[i], true, nil
		}
	}
	return tree.Node{}, false, nil
}

// recurs reports whether a case is of the test of an older one and missed the
// same: the same check on the same things, whatever words the agent and the
// evaluator used. A case about which nobody says anything is the older one again, of which
// somebody did.
func recurs(o, n *tree.Node) bool {
	a, b := o.CaseData, n.CaseData
	if a == nil || o.ID == n.ID || !o.Live() || o.Direction != n.Direction || len(a.Misses) == 0 || len(b.Misses) == 0 ||
		a.TestCase.CaseID == "" || a.TestCase.CaseID != b.TestCase.CaseID || a.TestCase.Prompt != b.TestCase.Prompt {
		return false
	}
	was, is := &a.Misses[0], &b.Misses[0]
	if is.Check == "" {
		return is.How == "" && is.Instead == "" && len(b.Misses) == 1 && was.Check != "" && was.From == tree.FromPerson
	}
	return was.Check == is.Check && (was.From == tree.FromPerson || sameThings(was.What, is.What))
}

func sameThings(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// nearDuplicate looks for an older case of the same partition and scene with
// nearly the same evidence. Prompt and verdict must each be nearly the same and
// the ground truth the same: with a long prompt, opposite verdicts on it would
// look alike as one text.
func nearDuplicate(list []tree.Node, n *tree.Node) (tree.Node, bool) {
	var prompt, verdict []uint64
	for _, o := range list {
		if !mayBeNear(&o, n) {
			continue
		}
		if verdict == nil {
			prompt, verdict = shingles(n.CaseData.TestCase.Prompt), shingles(verdictText(n))
		}
		if alike(verdict, verdictText(&o), verdictText(n)) && alike(prompt, o.CaseData.TestCase.Prompt, n.CaseData.TestCase.Prompt) {
			return o, true
		}
	}
	return tree.Node{}, false
}

// mayBeNear sorts out what cannot be a near-duplicate without looking at grams.
func mayBeNear(o, n *tree.Node) bool {
	if o.CaseData == nil || o.ID == n.ID || !o.Live() ||
		o.ErrorType != n.ErrorType || o.Direction != n.Direction || o.Scene != n.Scene {
		return false
	}
	return string(o.CaseData.TestCase.GroundTruth.Canonical()) == string(n.CaseData.TestCase.GroundTruth) &&
		sameLength(verdictText(o), verdictText(n)) && sameLength(o.CaseData.TestCase.Prompt, n.CaseData.TestCase.Prompt)
}

// sameLength allows what a Jaccard similarity of 0.9 can come to, generously.
func sameLength(a, b string) bool {
	return 5*min(len(a), len(b)) >= 4*max(len(a), len(b))
}

func verdictText(n *tree.Node) string {
	return n.CaseData.AgentJudgment + "\n" + n.CaseData.EvaluatorReason
}

func alike(grams []uint64, a, b string) bool {
	return a == b || text.Jaccard(grams, shingles(a)) >= nearJaccard
}

func shingles(s string) []uint64 { return text.Shingles(firstBytes(s, nearText), nearShingle) }
