package taxonomy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problems returns every ParseError in an error of Parse, in the order of the
// file's lines, for whoever prints one a line. Other errors have none.
func Problems(err error) []*ParseError {
	switch e := err.(type) { //nolint:errorlint // it looks through the wrapping itself
	case *ParseError:
		return []*ParseError{e}
	case interface{ Unwrap() []error }:
		var all []*ParseError
		for _, p := range e.Unwrap() {
			all = append(all, Problems(p)...)
		}
		return all
	case interface{ Unwrap() error }:
		return Problems(e.Unwrap())
	}
	return nil
}

// joined makes one error of what was found: read is wrong with the fields, and
// fit with how the entries go together. What only follows from a field that could
// not be read is left out, and so is what is said already.
func joined(file string, read, fit []*ParseError) error {
	all := slices.Clone(read)
	for _, p := range fit {
		if !slices.ContainsFunc(read, func(r *ParseError) bool { return within(r.Field, p.Field) || within(p.Field, r.Field) }) {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b *ParseError) int { return cmp.Compare(a.Line, b.Line) })
	var out []error
	said := map[string]bool{}
	for _, p := range all {
		if s := p.Error(); !said[s] {
			said[s] = true
			out = append(out, p)
		}
	}
	if more := len(out) - maxProblems; more > 0 {
		out = append(out[:maxProblems], &ParseError{File: file, Problem: fmt.Sprintf("has %d more problems; mend these first", more)})
	}
	return errors.Join(out...)
}

// within reports whether a field is another, or a part of it.
func within(part, whole string) bool {
	rest, ok := strings.CutPrefix(part, whole)
	return ok && whole != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
