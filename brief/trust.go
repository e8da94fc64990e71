package brief

import "fmt"

// The lexical search is the control of a reader. It finds a memory for half of the tests that need one and for few of
// the others (retrieval/testdata/suites.golden), and capable readers pick a memory for .83 to .97 of the tests for
// which it finds one (quality/lessons/testdata/trust.golden). A reader that picks none for most of them, as a model of
// 1.5 billion parameters did, would deprive these tests of what the search finds.
const (
	leastNamed = 0.25 // share of the tests with found memories for which a reader picks one
	fewFound   = 8    // fewer tests with found memories are no evidence about a reader
	leastFound = 0.2  // share of all its tests; the search finds a memory for up to .18 of tests that need none
)

// readerRecord counts the tests that one reader has read.
type readerRecord struct {
	Tests int `json:"tests"`
	Found int `json:"found,omitempty"`
	Named int `json:"named,omitempty"`
}

// trusted reports whether the answers of a reader are used.
func (r readerRecord) trusted() bool {
	return r.Found < fewFound || float64(r.Found) <= leastFound*float64(r.Tests) ||
		float64(r.Named) >= leastNamed*float64(r.Found)
}

// String explains a record that is not trusted.
func (r readerRecord) String() string {
	return fmt.Sprintf("the reader is not trusted: it named a memory for %d of %d tests for which words find one; "+
		"words answer for all its tests", r.Named, r.Found)
}

// count adds a brief to the record of its reader, or removes it with n = -1. The caller holds the lock.
func (b *Book) count(f *Brief, n int) {
	if f.UpTo == 0 {
		return
	}
	r := b.readers[f.Read.By]
	r.Tests += n
	if f.Found {
		r.Found += n
	}
	if f.Found && f.Named {
		r.Named += n
	}
	if b.readers[f.Read.By] = r; r == (readerRecord{}) {
		delete(b.readers, f.Read.By)
	}
}

// usable reports whether a test was read, the result could be used, and its reader is trusted. The caller holds the
// lock.
func (b *Book) usable(f *Brief) bool {
	return f != nil && f.UpTo > 0 && !f.Refused && b.readers[f.Read.By].trusted()
}
