package formation

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// Judged says whether a verdict was right, as far as anything says.
type Judged struct {
	// Labelled is false when nothing says what was true, or when it cannot be
	// compared with the judgment. Then the rest is zero: a failing test is not a
	// wrong agent.
	Labelled  bool
	Correct   bool
	Direction taxonomy.Direction // of a wrong verdict, None of any other
	// Note is a sentence for people about what did not fit together: what was
	// explicit has won, or nothing has been decided. Empty when all agrees.
	Note string

	prose bool // both are in words, so that a reader could tell more than this comparison
}

// Detect says whether the judgment of e was right, and which way it was wrong.
//
// correct and direction count as given. Where they are absent, judgment and
// ground truth are compared: the verdicts of both where both have one (bool;
// pass, 失败 and the like; has_defect), else field by field over what the ground
// truth says, texts trimmed and without regard to case. Long free texts that
// differ, and a sentence against a bare verdict, are left undecided: a Former
// with a model asks it then. The direction is false_pass when the agent said
// pass while a failure or a defect is true, false_fail when it is the other way
// round, and other when either cannot be read.
func Detect(e *tree.Evaluation) Judged {
	return detect(e, decode(e.Judgment), decode(e.GroundTruth))
}

func detect(e *tree.Evaluation, judgment, truth any) Judged {
	said, is := polarityOf(judgment), polarityOf(truth)
	derived, why := compare(judgment, truth, said, is)
	switch {
	case e.Correct != nil && *e.Correct:
		j := Judged{Labelled: true, Correct: true}
		switch {
		case e.Direction != taxonomy.None:
			j.Note = "correct is true although a direction is given; it counts as right"
		case said != unread && is != unread && said != is:
			j.Note = "correct is true although judgment and ground truth contradict each other; it counts as right"
		}
		return j
	case e.Correct != nil || e.Direction.Valid():
		return explicitlyWrong(e, judgment, truth, derived)
	case e.GroundTruth.Null():
		return Judged{}
	case flaky(judgment) || flaky(truth):
		return Judged{Note: "a flaky result is no misjudgement; say correct: true or false to have it count"}
	}
	switch derived {
	case same:
		return Judged{Labelled: true, Correct: true}
	case different:
		return Judged{Labelled: true, Direction: direction(judgment, truth), prose: said == unread && is == unread && sentence(judgment) && sentence(truth)}
	default:
		return Judged{Note: why, prose: inWords(judgment) && (inWords(truth) || is != unread)}
	}
}

// sentence reports whether a value is a text of several words; short answers and
// names are not.
func sentence(v any) bool {
	s, ok := v.(string)
	if !ok {
		return false
	}
	const leastWords, leastHan = 4, 6
	s = firstBytes(s, 4*maxAnswer)
	han := 0
	for _, r := range s {
		if isHan(r) {
			han++
		}
	}
	return han >= leastHan || len(strings.Fields(s)) >= leastWords
}

// inWords reports whether a value says something in a sentence.
func inWords(v any) bool {
	if o, ok := v.(map[string]any); ok {
		for _, x := range o {
			if sentence(x) {
				return true
			}
		}
	}
	return sentence(v)
}

func explicitlyWrong(e *tree.Evaluation, judgment, truth any, derived comparison) Judged {
	j := Judged{Labelled: true, Direction: e.Direction}
	read := direction(judgment, truth)
	switch {
	case !j.Direction.Valid():
		j.Direction = read
	case read != taxonomy.Other && read != j.Direction:
		j.Note = "direction is " + string(j.Direction) + " although judgment and ground truth read as " + string(read) + "; it counts as given"
	}
	if derived == same && !e.GroundTruth.Null() {
		j.Note = "it is marked wrong although judgment and ground truth say the same; it counts as wrong"
	}
	return j
}

// direction reads which way a wrong verdict went. A run that was declared done
// while the actions it took are not those that were needed is a false pass.
func direction(judgment, truth any) taxonomy.Direction {
	said, is := polarityOf(judgment), polarityOf(truth)
	switch {
	case said == passes && is == fails:
		return taxonomy.FalsePass
	case said == fails && is == passes:
		return taxonomy.FalseFail
	case said == passes && is == unread && expectsActions(truth):
		return taxonomy.FalsePass
	default:
		return taxonomy.Other
	}
}

// comparison is what comparing two values came to.
type comparison int8

const (
	undecided comparison = iota
	same
	different
)

// maxAnswer is the longest text, in bytes, that counts as an answer to compare
// rather than as prose.
const maxAnswer = 96

const (
	whyShape = "judgment and ground truth have nothing in common that could be compared; say correct: true or false"
	whyProse = "judgment or ground truth is free text; say correct: true or false"
)

func compare(judgment, truth any, said, is polarity) (comparison, string) {
	if said != unread && is != unread {
		if said == is {
			return same, ""
		}
		return different, ""
	}
	if (said == unread) != (is == unread) && (said == unread && sentence(judgment) || is == unread && sentence(truth)) {
		return undecided, whyProse
	}
	t, ok := truth.(map[string]any)
	if !ok {
		return compareValues(judgment, truth)
	}
	return compareObjects(judgment, t)
}

// compareObjects looks only at what the ground truth says.
func compareObjects(judgment any, truth map[string]any) (comparison, string) {
	j, ok := judgment.(map[string]any)
	if !ok {
		return undecided, whyShape
	}
	shared, equal := 0, 0
	prose := false
	for k, want := range truth {
		got, there := field(j, k)
		actions := actionList(want) != nil
		switch {
		case want == nil:
			continue
		case !there && !actions:
			continue
		case !there:
			got = []any{} // an agent that did nothing writes no list of actions
		}
		shared++
		switch c, _ := compareValues(got, want); {
		case c == same, actions && sameActions(got, want):
			equal++
		case c == undecided:
			prose = true
		}
	}
	said := 0
	for _, want := range truth {
		if want != nil {
			said++
		}
	}
	switch {
	case shared == 0:
		return undecided, whyShape
	case equal == shared && shared == said:
		return same, ""
	case equal < shared && !prose:
		return different, ""
	case prose:
		return undecided, whyProse
	default:
		return different, "" // something the truth names is not in the judgment
	}
}

func compareValues(got, want any) (comparison, string) {
	switch w := want.(type) {
	case nil:
		return undecided, whyShape
	case string:
		g, ok := got.(string)
		if !ok {
			if n, isNumber := got.(json.Number); isNumber {
				return compareNumbers(n.String(), w), ""
			}
			return compareLabel(got, w)
		}
		if foldText(g) == foldText(w) || compareNumbers(g, w) == same {
			return same, ""
		}
		if len(g) > maxAnswer || len(w) > maxAnswer {
			return undecided, whyProse
		}
		return different, ""
	case json.Number:
		switch g := got.(type) {
		case json.Number:
			return compareNumbers(g.String(), w.String()), ""
		case string:
			if len(g) > maxAnswer {
				return undecided, whyProse
			}
			return compareNumbers(g, w.String()), ""
		}
		return undecided, whyShape
	case bool:
		if p := polarityOf(got); p != unread {
			if (p == passes) == w {
				return same, ""
			}
			return different, ""
		}
		return undecided, whyShape
	}
	return compareJSON(got, want)
}

// compareLabel compares a bool or an object with a text: by their verdicts, or
// not at all.
func compareLabel(got any, want string) (comparison, string) {
	p, w := polarityOf(got), label(want)
	switch {
	case p == unread || w == unread:
		return undecided, whyShape
	case p == w:
		return same, ""
	default:
		return different, ""
	}
}

// compareJSON compares lists and objects as wholes.
func compareJSON(got, want any) (comparison, string) {
	if g, ok := got.([]any); ok {
		w, ok := want.([]any)
		if !ok {
			return undecided, whyShape
		}
		return compareLists(g, w)
	}
	if w, ok := want.(map[string]any); ok {
		return compareObjects(got, w)
	}
	return undecided, whyShape
}

func compareLists(got, want []any) (comparison, string) {
	if len(got) != len(want) {
		return different, ""
	}
	for i := range want {
		if c, why := compareValues(got[i], want[i]); c != same {
			return c, why
		}
	}
	return same, ""
}

func compareNumbers(a, b string) comparison {
	x, okX := canonicalNumber(a)
	y, okY := canonicalNumber(b)
	switch {
	case !okX || !okY:
		return different
	case x == y:
		return same
	default:
		return different
	}
}

// canonicalNumber spells a JSON number in the one way its equals share.
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

// foldText makes texts equal that differ in case, white space or a final stop.
func foldText(s string) string {
	s = text.Squeeze(strings.ToLower(s))
	return strings.TrimRight(strings.Trim(s, "\"'“”‘’`*"), ".。!！ ")
}

// field finds a field whatever the spelling of its name; of several spellings
// the exact one, else the first in the order of bytes.
func field(o map[string]any, name string) (any, bool) {
	if v, ok := o[name]; ok {
		return v, true
	}
	folded := foldLabel(name)
	var found []string
	for k := range o {
		if foldLabel(k) == folded {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return nil, false
	}
	return o[slices.Min(found)], true
}

// decode reads JSON with its numbers as written. What cannot be read, or nests
// deeper than tree.MaxDepth, is nil.
func decode(r tree.Raw) any {
	if len(r) == 0 || r.Check() != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(r))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}
