// Package taxonomy holds the words of memtree: the types of error an agent
// makes, the types of scene it makes them in, and the two directions a
// judgement can go wrong. The built-in set is in builtin.yaml; a team extends
// it with an overlay in the same form.
//
// A Taxonomy is immutable once made and safe for concurrent use.
package taxonomy

// Direction says which way a judgement went wrong. A lesson that cures one
// direction causes the other when over-applied, so they are never mixed.
type Direction string

// The directions. None is the direction of a right verdict.
const (
	None      Direction = ""
	FalsePass Direction = "false_pass" // a defect was missed (漏报)
	FalseFail Direction = "false_fail" // a defect was reported that is not there (误报)
	Other     Direction = "other"      // wrong, but neither of the two
)

// Valid reports whether d is one of the three directions of a wrong verdict.
func (d Direction) Valid() bool {
	return d == FalsePass || d == FalseFail || d == Other
}

// Opposite returns the direction an over-applied lesson of d errs in, and d
// itself for Other and None.
func (d Direction) Opposite() Direction {
	switch d {
	case FalsePass:
		return FalseFail
	case FalseFail:
		return FalsePass
	default:
		return d
	}
}

// OtherError is the error type of what no analyst would force into a type.
// Such cases are stored and found by exact scene, and are never abstracted.
const OtherError = "other_error"

// Text is a text in both languages of the product.
type Text struct {
	EN string `yaml:"en"`
	ZH string `yaml:"zh"`
}

// In returns the text in lang, "zh" or anything else for English.
func (t Text) In(lang string) string {
	if lang == "zh" && t.ZH != "" {
		return t.ZH
	}
	if t.EN == "" {
		return t.ZH
	}
	return t.EN
}
