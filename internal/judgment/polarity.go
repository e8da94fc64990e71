// Package judgment reads judgments. An agent's judgment and the ground truth that it is compared with may be any JSON:
// a bare true, "FAIL: the button is missing", {"has_defect": false}, a list of tool calls. Only this package reads the
// spellings of verdicts, in English and Chinese.
//
// For one value there are PolarityOf (it passes, fails or is unread), Reasoning, Flaky (the verdict is marked as
// unreliable) and ActionsIn. For a judgment and its ground truth there are Compare (whether they agree), Direction
// (which way the judgment is wrong) and Denied (whether the claims of an evaluation contradict both).
//
// Where to look: reading.go and words.go (the spellings of verdicts), compare.go, direction.go, denied.go and
// opposite.go (two values beside each other), actions.go, confidence.go (how sure a judge is).
//
// All functions are pure and safe for concurrent use. They take results of Decode, nil for no value. None of them
// fails: a value that they cannot read is Unread or empty.
package judgment

import (
	"bytes"
	"encoding/json"

	"github.com/memtree/memtree/tree"
)

// Polarity is whether a verdict is a pass or a fail.
type Polarity int8

// The values of a Polarity.
const (
	Unread Polarity = iota // no verdict, or verdicts that contradict each other
	Passes                 // no defect: pass, success
	Fails                  // a defect: fail, failure, defect found
)

// Opposite returns Fails for Passes, Passes for Fails, and Unread for Unread.
func (p Polarity) Opposite() Polarity {
	switch p {
	case Passes:
		return Fails
	case Fails:
		return Passes
	default:
		return Unread
	}
}

// Decode returns the JSON r as a Go value, with numbers as json.Number, so that their spelling stays. It returns nil
// for text that is not JSON or nests deeper than tree.MaxDepth.
func Decode(r tree.Raw) any {
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

// PolarityOf returns the verdict in v. A bare true is a pass, as in an assertion that holds. A text has a verdict if it
// consists of one, or begins with one that a mark such as a colon follows ("FAIL: …"). An object has the verdict of its
// fields; if they contradict each other, it is Unread.
func PolarityOf(v any) Polarity {
	switch v := v.(type) {
	case bool:
		if v {
			return Passes
		}
		return Fails
	case string:
		return label(v)
	case map[string]any:
		return objectPolarity(v)
	}
	return Unread
}

func objectPolarity(o map[string]any) Polarity {
	agreed := Unread
	for k, v := range o {
		p := memberPolarity(Fold(k), v)
		switch {
		case p == Unread:
		case agreed == Unread:
			agreed = p
		case agreed != p:
			return Unread
		}
	}
	return agreed
}

// memberPolarity reads the verdict of one field of an object. name is folded.
func memberPolarity(name string, v any) Polarity {
	switch {
	case among(defectFields, name):
		return defectPolarity(v)
	case !among(verdictFields, name):
		return Unread
	}
	switch v.(type) {
	case bool, string:
		return PolarityOf(v)
	}
	return Unread
}

// defectPolarity reads the value of a field such as has_defect. There true, 1 and "yes" mean a defect.
func defectPolarity(v any) Polarity {
	switch v := v.(type) {
	case bool:
		return PolarityOf(v).Opposite()
	case string:
		return label(v).Opposite()
	case json.Number:
		switch v.String() {
		case "0":
			return Passes
		case "1":
			return Fails
		}
	}
	return Unread
}

// Flaky reports whether v marks its verdict as unreliable: "flaky", {"verdict": "unstable"}, {"is_flaky": true}.
func Flaky(v any) bool {
	switch v := v.(type) {
	case string:
		return among(flakyWords, Fold(v))
	case map[string]any:
		for k, x := range v {
			name := Fold(k)
			if s, ok := x.(string); ok && among(verdictFields, name) && among(flakyWords, Fold(s)) {
				return true
			}
			if b, ok := x.(bool); ok && b && among(flakyWords, trimIs(name)) {
				return true
			}
		}
	}
	return false
}
