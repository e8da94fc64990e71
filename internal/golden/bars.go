package golden

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Bars collects the figures of a quality test, one a line, with their minimum values.
type Bars struct {
	lines  strings.Builder
	failed []string
}

// Least adds a figure with a minimum.
func (b *Bars) Least(what string, have, least float64) {
	mark := "ok"
	if have < least {
		mark = "MISSED"
		b.failed = append(b.failed, what)
	}
	fmt.Fprintf(&b.lines, "%-44s %6.3f  bar %5.2f  %s\n", what, have, least, mark)
}

// Tell adds a figure without a minimum.
func (b *Bars) Tell(what string, have float64) { fmt.Fprintf(&b.lines, "%-44s %6.3f\n", what, have) }

// Check prints the figures, and fails the test if any is below its minimum.
func (b *Bars) Check(t *testing.T) {
	t.Helper()
	fmt.Fprint(t.Output(), b.lines.String())
	require.Empty(t, b.failed, "under the bar")
}
