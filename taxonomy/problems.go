package taxonomy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problems returns every ParseError in an error of Parse, in the order of the file's lines, so that a caller can print
// one on each line. It returns nil for any other error.
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

// joined makes one error of all problems. read are the problems of single fields, fit those between entries. It drops
// a problem of fit when a field at the same place could not be read, since that may be its cause. It also drops a
// problem that is in the list already.
func joined(file string, read, fit []*ParseError) error {
	all := slices.Clone(read)
	for _, p := range fit {
		overlaps := func(r *ParseError) bool {
			return isPartOf(r.Field, p.Field) || isPartOf(p.Field, r.Field)
		}
		if !slices.ContainsFunc(read, overlaps) {
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
		rest := &ParseError{File: file, Problem: fmt.Sprintf("has %d more problems; mend these first", more)}
		out = append(out[:maxProblems], rest)
	}
	return errors.Join(out...)
}

// isPartOf reports whether the field at path part is the one at path whole, or
// lies inside it.
func isPartOf(part, whole string) bool {
	rest, ok := strings.CutPrefix(part, whole)
	return ok && whole != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
