package formation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// attach proposes one more occurrence of case n, unless n has one of the same evaluation already. near is whether the
// evidence is only nearly the same.
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
		n.Scope = movedTo(n.Scope, scope(x.e.Scope))
		n.Scope.Build = x.e.Scope.Build
	}
	if n.CaseData.Evidence.Empty() && !x.e.Evidence.Empty() { // the first run that left some
		d := *n.CaseData
		d.Evidence = x.e.Evidence.Clone()
		n.CaseData = &d
	}
	if o.At.Before(n.Metadata.CreatedAt) { // runs may be recorded in any order
		n.Metadata.CreatedAt = o.At
	}
	why := "the same wrong verdict on the same evidence"
	if near {
		why = "nearly the same wrong verdict on nearly the same evidence"
	}
	out.Changes = append(out.Changes, tree.NewChange(tree.OpAttach, n, n.Revision, "formation",
		fmt.Sprintf("%s, in evaluation %s", why, inline(o.Evaluation))))
}

// movedTo returns where a memory applies after its newest run. If the run is of the same test in the same suite, this
// is the present place of the test, since the suite may have changed. Otherwise it is where the memory applied before.
func movedTo(was, is tree.Scope) tree.Scope {
	sameSuite := was.Product == is.Product && was.Suite == is.Suite
	if sameSuite && was.PlaceTest() != "" && was.PlaceTest() == is.PlaceTest() {
		return is
	}
	return was
}

// Two texts are nearly the same when the Jaccard similarity of their character
// 5-grams is at least nearJaccard.
const (
	nearShingle    = 5 // characters
	nearJaccard    = 0.90
	nearCandidates = 5       // similar cases that are compared
	nearText       = 8 << 10 // bytes of each text that are compared
)

// olderCase returns an older case of which n is an occurrence: one with nearly the same evidence, or one of the same
// test with the same miss. found is false for none.
func olderCase(ctx context.Context, v treeView, n *tree.Node) (tree.Node, bool, error) {
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

// recurring reports whether a case may get one more occurrence of other evidence. A banned one may: it stays out of
// use, and no new case of the same mistake takes its place.
func recurring(o *tree.Node) bool { return o.Live() || o.Mark == tree.Banned }

// recurs reports whether case n is of the same test as the older case o and missed the same: the same check on the
// same things. The texts of the agent and of the evaluator do not matter. When n has no note, it recurs if a person
// described the miss of o.
func recurs(o, n *tree.Node) bool {
	a, b := o.CaseData, n.CaseData
	if a == nil || o.ID == n.ID || !recurring(o) || o.Direction != n.Direction ||
		len(a.Misses) == 0 || len(b.Misses) == 0 ||
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

// nearDuplicate returns an older case of the same partition and scene with nearly the same evidence. The prompt and
// the verdict are compared separately: as one text with a long prompt, two opposite verdicts would be nearly the same.
// The ground truth must be the same.
func nearDuplicate(list []tree.Node, n *tree.Node) (tree.Node, bool) {
	var prompt, verdict []uint64
	for _, o := range list {
		if !mayBeNear(&o, n) {
			continue
		}
		if verdict == nil {
			prompt, verdict = shingles(n.CaseData.TestCase.Prompt), shingles(verdictText(n))
		}
		if nearlySame(verdict, verdictText(&o), verdictText(n)) &&
			nearlySame(prompt, o.CaseData.TestCase.Prompt, n.CaseData.TestCase.Prompt) {
			return o, true
		}
	}
	return tree.Node{}, false
}

// mayBeNear returns false for a case that cannot be a near duplicate. It is cheap, since it does not compute n-grams.
func mayBeNear(o, n *tree.Node) bool {
	if o.CaseData == nil || o.ID == n.ID || !recurring(o) ||
		o.ErrorType != n.ErrorType || o.Direction != n.Direction || o.Scene != n.Scene {
		return false
	}
	return string(o.CaseData.TestCase.GroundTruth.Canonical()) == string(n.CaseData.TestCase.GroundTruth) &&
		sameLength(verdictText(o), verdictText(n)) && sameLength(o.CaseData.TestCase.Prompt, n.CaseData.TestCase.Prompt)
}

// sameLength reports whether two texts differ by at most a fifth in length. Texts
// that differ more cannot have a Jaccard similarity of 0.9.
func sameLength(a, b string) bool {
	return 5*min(len(a), len(b)) >= 4*max(len(a), len(b))
}

func verdictText(n *tree.Node) string {
	return n.CaseData.AgentJudgment + "\n" + n.CaseData.EvaluatorReason
}

// nearlySame reports whether two texts are nearly the same. grams are those of b.
func nearlySame(grams []uint64, a, b string) bool {
	return a == b || text.Jaccard(grams, shingles(a)) >= nearJaccard
}

func shingles(s string) []uint64 { return text.Shingles(firstBytes(s, nearText), nearShingle) }
