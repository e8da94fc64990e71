// Package judgment reads what a judgment says. An agent's judgment and the
// ground truth it is held against may be any JSON: a bare true, "FAIL: the
// button is missing", {"has_defect": false}, a list of tool calls. This package
// is the one place that knows how verdicts are spelled, in English and Chinese.
//
// Of any value it tells the polarity (PolarityOf: passes, fails or unread), the
// reasoning (Reasoning), whether the verdict calls itself flaky (Flaky), the
// defects it lists (Defects) and the actions it lists (ActionsIn). Of a pair it
// tells whether the two say the same (Compare), which way the first is wrong
// (Direction), and what an evaluation claims against both (Contradiction).
//
// All functions are pure. They take what Decode returns, nil for no value, and
// never fail: what they cannot read, they say nothing about.
package judgment

import (
	"bytes"
	"encoding/json"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Polarity is what a verdict says about the thing judged.
type Polarity int8

// The polarities.
const (
	Unread Polarity = iota // it has no verdict, or one that contradicts itself
	Passes                 // the thing is as it should be: pass, success, no defect
	Fails                  // the thing is not: fail, failure, defect found
)

// Opposite returns the other verdict; the opposite of Unread is Unread.
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

// Decode reads JSON and keeps its numbers as written (json.Number). What is not
// JSON, or nests deeper than tree.MaxDepth, is nil.
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

// PolarityOf reads the verdict in a value. A bare true is a pass, as in an
// assertion that holds. A text counts where it is a verdict and nothing else, or
// begins with one that is set off. An object that contradicts itself is Unread.
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
	found := Unread
	for k, v := range o {
		p := memberPolarity(Fold(k), v)
		switch {
		case p == Unread:
		case found == Unread:
			found = p
		case found != p:
			return Unread
		}
	}
	return found
}

// memberPolarity reads the verdict of one field of an object, its name folded.
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

// defectPolarity reads the value of a field such as has_defect: true, 1 and
// "yes" mean that there is one.
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

// Flaky reports whether a verdict says of itself that it cannot be relied on.
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

// Direction tells which way a wrong judgment went. A run that was declared done
// while the actions it took are not those that were needed is a false pass.
func Direction(judgment, truth any) taxonomy.Direction {
	said, is := PolarityOf(judgment), PolarityOf(truth)
	switch {
	case said == Passes && is == Fails:
		return taxonomy.FalsePass
	case said == Fails && is == Passes:
		return taxonomy.FalseFail
	case said == Passes && is == Unread && expectsActions(truth):
		return taxonomy.FalsePass
	default:
		return taxonomy.Other
	}
}
