package tree

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrNotFound means that nothing with the requested id exists. Compare with errors.Is.
var ErrNotFound = errors.New("not found")

// FieldError is the error for an invalid value in input.
type FieldError struct {
	Field   string // dotted path of the field, such as scene.route
	Problem string // the rest of a sentence that begins with Field, such as "is missing"
}

func (e *FieldError) Error() string { return e.Field + " " + e.Problem }

// CheckText returns a *FieldError for field if s is longer than limit bytes, is not UTF-8 or contains a NUL, else nil.
func CheckText(field, s string, limit int) error {
	switch {
	case len(s) > limit:
		return &FieldError{Field: field, Problem: fmt.Sprintf("has %d bytes; the most is %d", len(s), limit)}
	case !utf8.ValidString(s):
		return &FieldError{Field: field, Problem: "is not valid UTF-8"}
	case strings.IndexByte(s, 0) >= 0:
		return &FieldError{Field: field, Problem: "has a NUL character in it; remove it"}
	}
	return nil
}

// LawError is the error for a node that breaks a law; see Check.
type LawError struct {
	Node string // id of the node
	Law  string // the law, as a sentence
	Got  string // what the node has instead, as a sentence
}

func (e *LawError) Error() string {
	return fmt.Sprintf("node %s: %s, but %s", e.Node, e.Law, e.Got)
}
