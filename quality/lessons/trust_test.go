package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtree/memtree/internal/golden"
)

// TestTrust: where lexical search finds a memory for a test, a capable reader names one far more often than is
// required to trust a reader.
func TestTrust(t *testing.T) {
	shared(t)
	var out strings.Builder
	fmt.Fprintln(&out, "suite  tests  words find a memory  the reader names one for these")
	for _, name := range []string{"a", "b", "g", "i"} {
		tests, found, named := 0, 0, 0
		for _, b := range play(t, name).Briefs().Coming() {
			if b.UpTo == 0 {
				continue // recorded, and not among the coming tests
			}
			if tests++; b.Found {
				if found++; b.Named {
					named++
				}
			}
		}
		fmt.Fprintf(&out, "%-5s  %5d  %19d  %d, %.2f\n", name, tests, found, named, float64(named)/float64(found))
	}
	golden.Equal(t, "testdata/trust.golden", out.String())
}
