package judgment

import (
	"encoding/json"
	"strings"

	"github.com/memtree/memtree/tree"
)

// Comparison is the result of comparing a judgment with the ground truth.
type Comparison int8

// The comparisons.
const (
	Undecided Comparison = iota // the two cannot be compared
	Same
	Different
)

// maxAnswer is the maximum length in bytes of a text that is compared as an answer; a longer one is prose.
const maxAnswer = 96

// Why a comparison is undecided, in a sentence for people.
const (
	whyShape = "judgment and ground truth have nothing in common that could be compared; say correct: true or false"
	whyProse = "judgment or ground truth is free text; say correct: true or false"
)

// Compare compares a judgment with the ground truth. When both have a verdict, it compares the verdicts. Otherwise it
// compares the fields of the ground truth with those of the judgment. It ignores case, white space and a final stop of
// a text. Long texts that differ are undecided, and so is a sentence against a bare verdict; why is then a sentence on
// what to do.
func Compare(judgment, truth any) (c Comparison, why string) {
	said, is := PolarityOf(judgment), PolarityOf(truth)
	switch {
	case said != Unread && is != Unread:
		if said == is {
			return Same, ""
		}
		return Different, ""
	case is != Unread && IsSentence(judgment), said != Unread && IsSentence(truth):
		return Undecided, whyProse
	}
	t, ok := truth.(map[string]any)
	if !ok {
		return compareValues(judgment, truth)
	}
	return compareObjects(judgment, t)
}

// Equal reports whether a value of a judgment and one of its ground truth are the
// same. Unlike Compare it does not stop at equal verdicts.
func Equal(got, want any) bool {
	c, _ := compareValues(got, want)
	return c == Same
}

// compareObjects compares the fields of the ground truth that are not null. It ignores other fields of the judgment.
func compareObjects(judgment any, truth map[string]any) (Comparison, string) {
	j, ok := judgment.(map[string]any)
	if !ok {
		return Undecided, whyShape
	}
	told, shared, equal := 0, 0, 0 // fields of the truth that are not null, that the judgment has, that agree
	prose := false                 // a field is undecided
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
		switch c, _ := compareValues(got, want); {
		case c == Same, actions && sameActions(got, want):
			equal++
		case c == Undecided:
			prose = true
		}
	}
	switch {
	case shared == 0:
		return Undecided, whyShape
	case equal == shared && shared == told:
		return Same, ""
	case prose:
		return Undecided, whyProse
	default:
		return Different, "" // a field differs, or the judgment lacks one
	}
}

func compareValues(got, want any) (Comparison, string) {
	switch w := want.(type) {
	case nil:
		return Undecided, whyShape
	case string:
		return compareText(got, w)
	case json.Number:
		return compareNumber(got, w.String())
	case bool:
		p := PolarityOf(got)
		if p == Unread {
			return Undecided, whyShape
		}
		return sameOrDifferent((p == Passes) == w), ""
	case []any:
		g, ok := got.([]any)
		if !ok {
			return Undecided, whyShape
		}
		return compareLists(g, w)
	case map[string]any:
		return compareObjects(got, w)
	}
	return Undecided, whyShape
}

// sameOrDifferent turns a comparison that is decided into its result.
func sameOrDifferent(same bool) Comparison {
	if same {
		return Same
	}
	return Different
}

func compareText(got any, want string) (Comparison, string) {
	switch g := got.(type) {
	case json.Number:
		return sameOrDifferent(sameNumber(g.String(), want)), ""
	case string:
		switch {
		case FoldText(g) == FoldText(want), sameNumber(g, want):
			return Same, ""
		case len(g) > maxAnswer || len(want) > maxAnswer:
			return Undecided, whyProse
		default:
			return Different, ""
		}
	}
	p, w := PolarityOf(got), label(want)
	if p == Unread || w == Unread {
		return Undecided, whyShape
	}
	return sameOrDifferent(p == w), ""
}

func compareNumber(got any, want string) (Comparison, string) {
	switch g := got.(type) {
	case json.Number:
		return sameOrDifferent(sameNumber(g.String(), want)), ""
	case string:
		if len(g) > maxAnswer {
			return Undecided, whyProse
		}
		return sameOrDifferent(sameNumber(g, want)), ""
	}
	return Undecided, whyShape
}

func compareLists(got, want []any) (Comparison, string) {
	if len(got) != len(want) {
		return Different, ""
	}
	for i := range want {
		if c, why := compareValues(got[i], want[i]); c != Same {
			return c, why
		}
	}
	return Same, ""
}

func sameNumber(a, b string) bool {
	x, okX := canonicalNumber(a)
	y, okY := canonicalNumber(b)
	return okX && okY && x == y
}

// canonicalNumber returns the canonical spelling of a JSON number of at most 64 bytes: equal numbers (3, 3.0, 3e0)
// give equal texts. ok is false if s is no number.
func canonicalNumber(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 64 || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) || !json.Valid([]byte(s)) {
		return "", false
	}
	if !strings.ContainsAny(s, ".eE") {
		s += ".0" // so that 3 and 3.0 are spelt by the same rule
	}
	return string(tree.Raw(s).Canonical()), true
}
