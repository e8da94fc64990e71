package golden

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Bars collects the figures that a quality test measures, with the least value that each must have.
type Bars struct {
	lines  strings.Builder
	failed []string
}

// Least adds a figure with its name (what) and its value (have). Check fails the test if the value is less than least.
func (b *Bars) Least(what string, have, least float64) {
	mark := "ok"
	if have < least {
		mark = "MISSED"
		b.failed = append(b.failed, what)
	}
	fmt.Fprintf(&b.lines, "%-44s %6.3f  bar %5.2f  %s\n", what, have, least, mark)
}

// Tell adds a figure with its name (what) and its value (have), for which there is no least value.
func (b *Bars) Tell(what string, have float64) { fmt.Fprintf(&b.lines, "%-44s %6.3f\n", what, have) }

// Check prints all figures, and fails the test if one is less than it must be.
func (b *Bars) Check(t *testing.T) {
	t.Helper()
	fmt.Fprint(t.Output(), b.lines.String())
	require.Empty(t, b.failed, "under the bar")
}
