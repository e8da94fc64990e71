package judgment

import (
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Denied returns a *tree.FieldError when a claim of e contradicts its judgment and ground truth, else nil. There are
// four such claims:
//   - correct is true, and the verdicts of judgment and ground truth differ;
//   - correct is false or a direction is given, and judgment and ground truth do not differ at all;
//   - the direction is another than the one that follows from the verdicts;
//   - there is no ground truth, and the direction is one that the verdict of the judgment excludes.
//
// said and is are the names of the judgment and the ground truth in the error, as in the file of e.
//
// Denied returns nil when either verdict cannot be read or is flaky. The direction other contradicts no direction: it
// is only less specific.
func Denied(e *tree.Evaluation, said, is string) error {
	if e.Correct == nil && !e.Direction.Valid() {
		return nil // no claim
	}
	judged, truth := Decode(e.Judgment), Decode(e.GroundTruth)
	a, b := PolarityOf(judged), PolarityOf(truth)
	if e.GroundTruth.Null() && a.Excludes(e.Direction) && !Flaky(judged) {
		return &tree.FieldError{Field: "direction", Problem: "is " + string(e.Direction) + " although " + said +
			" reads as " + a.String() + mend + "leave this one out and it is derived"}
	}
	if a == Unread || b == Unread || Flaky(judged) || Flaky(truth) {
		return nil
	}
	claim := tree.FieldError{Field: "correct", Problem: "is false although "}
	if e.Correct == nil {
		claim = tree.FieldError{Field: "direction", Problem: "is " + string(e.Direction) + " although "}
	}
	right := e.Correct != nil && *e.Correct
	both := said + " reads as " + a.String() + " and " + is + " as " + b.String()
	switch read := Direction(judged, truth); {
	case right && a != b:
		claim.Problem = "is true although " + both + mend + "leave this one out and the two are compared"
	case !right && a == b && sameBesides(judged, truth):
		claim.Problem += said + " and " + is + " both read as " + a.String() + " and differ in nothing else" +
			mend + "say in " + is + " what the " + said + " should have said besides"
	case !right && a != b && e.Direction.Valid() && e.Direction != taxonomy.Other && e.Direction != read:
		claim.Field = "direction"
		claim.Problem = "is " + string(e.Direction) + " although " + both + ", which is " + string(read) +
			mend + "leave this one out and it is derived"
	default:
		return nil
	}
	return &claim
}

// mend precedes in each sentence the second remedy.
const mend = "; mend the one that is wrong, or "

// String returns "pass", "fail" or "unread".
func (p Polarity) String() string {
	switch p {
	case Passes:
		return "pass"
	case Fails:
		return "fail"
	default:
		return "unread"
	}
}

// sameBesides reports whether a judgment and a ground truth with equal verdicts are the same in everything else. They
// differ when the ground truth has a field that the judgment lacks or has with another value. They also differ when
// the judgment lists defects or actions and the ground truth lists none. A reason that only the judgment has is no
// difference.
func sameBesides(judged, truth any) bool {
	if listsMore(judged, truth) {
		return false
	}
	switch t := truth.(type) {
	case string:
		g, ok := judged.(string)
		return Word(t) != Unread || ok && FoldText(g) == FoldText(t)
	case map[string]any:
		o, _ := judged.(map[string]any)
		for k, want := range t {
			if empty(want) || memberPolarity(Fold(k), want) != Unread {
				continue
			}
			got, there := Field(o, k)
			if !there || !Equal(got, want) {
				return false
			}
		}
	}
	return true
}

// listsMore reports whether a judgment lists defects or actions and the ground
// truth lists none.
func listsMore(judged, truth any) bool {
	found, _ := defects(judged)
	known, _ := defects(truth)
	took, _ := ActionsIn(judged)
	return len(found) > 0 && len(known) == 0 || len(took) > 0 && !expectsActions(truth)
}

// empty reports whether a value is null or empty.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
