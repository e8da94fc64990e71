package judgment

import (
	"encoding/json"
)

// maxAnswer is the maximum length in bytes of a text that is compared as an answer; a longer one is prose.
const maxAnswer = 96

// Why two cannot be compared, in a sentence for people.
const (
	whyShape = "judgment and ground truth have nothing in common that could be compared; say correct: true or false"
	whyProse = "judgment or ground truth is free text; say correct: true or false"
)

// Compare reports whether judgment and truth agree. If both have a verdict, it compares the verdicts. Otherwise it
// compares the values; of objects, each field of the ground truth with the same field of the judgment. In texts it
// ignores case, additional white space, quotes around them and a final stop. It cannot compare long texts that differ,
// a sentence with a bare verdict, or values that have nothing in common: then same is false, and why is a sentence on
// what to do. Otherwise why is "".
func Compare(judgment, truth any) (same bool, why string) {
	said, is := PolarityOf(judgment), PolarityOf(truth)
	switch {
	case said != Unread && is != Unread:
		return said == is, ""
	case is != Unread && IsSentence(judgment), said != Unread && IsSentence(truth):
		return false, whyProse
	}
	t, ok := truth.(map[string]any)
	if !ok {
		return compareValues(judgment, truth)
	}
	return compareObjects(judgment, t)
}

// Equal reports whether got, a value of a judgment, equals want, the value of its ground truth. Unlike [Compare] it
// compares objects field by field even if both have a verdict. It ignores fields that only got has.
func Equal(got, want any) bool {
	same, _ := compareValues(got, want)
	return same
}

// compareObjects compares the fields of the ground truth that are not null. It ignores other fields of the judgment.
func compareObjects(judgment any, truth map[string]any) (same bool, why string) {
	j, ok := judgment.(map[string]any)
	if !ok {
		return false, whyShape
	}
	told, shared, equal := 0, 0, 0 // fields of the truth that are not null, that the judgment has, that agree
	prose := false                 // a field cannot be compared
	for k, want := range truth {
		if want == nil {
			continue
		}
		told++
		got, there := Field(j, k)
		actions := Actions(want) != nil
		if !there && !actions {
			continue
		}
		if !there {
			got = []any{} // an agent that did nothing writes no list of actions
		}
		shared++
		switch same, why := compareValues(got, want); {
		case same, actions && sameActions(got, want):
			equal++
		case why != "":
			prose = true
		}
	}
	switch {
	case shared == 0:
		return false, whyShape
	case equal == shared && shared == told:
		return true, ""
	case prose:
		return false, whyProse
	default:
		return false, "" // a field differs, or the judgment lacks one
	}
}

func compareValues(got, want any) (same bool, why string) {
	switch w := want.(type) {
	case nil:
		return false, whyShape
	case string:
		return compareText(got, w)
	case json.Number:
		return compareNumber(got, w.String())
	case bool:
		p := PolarityOf(got)
		if p == Unread {
			return false, whyShape
		}
		return (p == Passes) == w, ""
	case []any:
		g, ok := got.([]any)
		if !ok {
			return false, whyShape
		}
		return compareLists(g, w)
	case map[string]any:
		return compareObjects(got, w)
	}
	return false, whyShape
}

func compareText(got any, want string) (same bool, why string) {
	switch g := got.(type) {
	case json.Number:
		return sameNumber(g.String(), want), ""
	case string:
		switch {
		case FoldText(g) == FoldText(want), sameAmount(g, want):
			return true, ""
		case len(g) > maxAnswer || len(want) > maxAnswer:
			return false, whyProse
		default:
			return false, ""
		}
	}
	p, w := PolarityOf(got), label(want)
	if p == Unread || w == Unread {
		return false, whyShape
	}
	return p == w, ""
}

func compareNumber(got any, want string) (same bool, why string) {
	switch g := got.(type) {
	case json.Number:
		return sameNumber(g.String(), want), ""
	case string:
		if len(g) > maxAnswer {
			return false, whyProse
		}
		return sameNumber(g, want), ""
	}
	return false, whyShape
}

func compareLists(got, want []any) (same bool, why string) {
	if len(got) != len(want) {
		return false, ""
	}
	for i := range want {
		if same, why := compareValues(got[i], want[i]); !same {
			return false, why
		}
	}
	return true, ""
}
