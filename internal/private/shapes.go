package private

import (
	"regexp"
	"sync"
)

// lazy compiles a shape when it is first asked for.
func lazy(shape string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(shape) })
}

// The shapes that are easier said than written by hand. Each is asked for a
// bounded piece of text alone.
var (
	wholeDate = lazy(`^((19|20)\d\d[-/. ]?(0?[1-9]|1[0-2])[-/. ]?(0?[1-9]|[12]\d|3[01])|` +
		`(0?[1-9]|[12]\d|3[01])[-/. ](0?[1-9]|[12]\d|3[01])[-/. ](19|20)\d\d)$`)
	dateIn      = lazy(`(19|20)\d\d-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(T\d{2,6})?`)
	stateBefore = lazy(states + `,? $`)
	explicit    = lazy(`(?i)(#|\bno\.?|number|ending( in| with)?|\bid|code|尾号|号)( is|[:：])? ?$`)
	inPlace     = lazy(`\b(in|at) $`)
	unit        = lazy(`^ ?[a-zA-Z%]+s?\b`)
	colour      = lazy(`^([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9]*[a-fA-F][0-9a-fA-F]{0,7})$`)
	ours        = lazy(`^[a-z]_[a-z2-7]{16,20}$`)
	size        = lazy(`^\d+[xX]\d+$`)
	quantity    = lazy(`^\d{1,8}([a-z]{1,3}|[KMGT]i?B|Hz|GHz|MHz)$`)
	uuid        = lazy(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`) // RFC 9562
	// name_name_1234, as sign-up pages propose
	account = lazy(`^[A-Za-z]{2,}[_.-][A-Za-z]{2,}([_.-][A-Za-z]+)*[_-]?\d{4,}$`)
	// or bg-gray-100
	shortAccount   = lazy(`^[A-Za-z]{2,}[_.-][A-Za-z]{2,}([_.-][A-Za-z]+)*[_-]?\d{3}$`)
	dottedAccount  = lazy(`^[A-Za-z]{2,}(\.[A-Za-z]{2,})+[._]?\d{2,}\b`)
	clock          = lazy(`^\d{1,2}T\d{2}`)
	ibanHead       = lazy(`^[A-Z]{2}\d{2}[A-Z0-9]*$`)
	ibanRest       = lazy(`^( [A-Z0-9]{4}){2,7}( [A-Z0-9]{1,3}\b)?`)
	letterPostcode = lazy(`^([A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z][ -]\d[A-Z]\d)\b`)
)
