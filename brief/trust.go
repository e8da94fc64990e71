package brief

import "fmt"

// Words are the control of a reader. They find a memory for half of the tests that need one and for few of the
// others (retrieval/testdata/suites.golden), and capable readers name a memory for .83 to .97 of the tests for which
// words find one (quality/reader/testdata/trust.golden). A reader that names none for most of them, as a model
// of 1.5 billion parameters did, would take from these tests what words give.
const (
	leastNamed = 0.25 // share of the tests with found memories for which a reader names one
	fewFound   = 8    // fewer tests with found memories say nothing of a reader
	leastFound = 0.2  // share of all its tests; words find a memory for up to .18 of tests that need none
)

// record counts the tests that one reader has read.
type record struct{ tests, found, named int }

// trusted reports whether the answers of a reader are used.
func (r record) trusted() bool {
	return r.found < fewFound || float64(r.found) <= leastFound*float64(r.tests) ||
		float64(r.named) >= leastNamed*float64(r.found)
}

// String explains a record that is not trusted.
func (r record) String() string {
	return fmt.Sprintf("the reader is not trusted: it named a memory for %d of %d tests for which words find one; "+
		"words answer for all its tests", r.named, r.found)
}

// count adds a brief to the record of its reader, or takes it out with n = -1. The caller holds the lock.
func (b *Book) count(f *Brief, n int) {
	if f.UpTo == 0 {
		return
	}
	r := b.readers[f.Read.By]
	r.tests += n
	if f.Found {
		r.found += n
	}
	if f.Found && f.Named {
		r.named += n
	}
	b.readers[f.Read.By] = r
}

// usable reports whether something was read for a test, could be used, and is of a reader that is
// trusted. The caller holds the lock.
func (b *Book) usable(f *Brief) bool {
	return f != nil && f.UpTo > 0 && !f.Refused && b.readers[f.Read.By].trusted()
}
