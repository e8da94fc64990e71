package seldom

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDue: a failure that goes on for a day is logged some thirty times, first at once.
func TestDue(t *testing.T) {
	var f Failure
	begun := time.Date(2026, 1, 28, 12, 0, 0, 0, time.UTC)
	var lines []time.Duration
	for at := time.Duration(0); at < 24*time.Hour; at += time.Second / 2 {
		if f.Due(begun.Add(at)) {
			lines = append(lines, at)
		}
	}
	require.Equal(t, []time.Duration{0, time.Minute, 3 * time.Minute, 7 * time.Minute, 15 * time.Minute}, lines[:5])
	require.Len(t, lines, 29)
	require.Equal(t, time.Hour, lines[28]-lines[27])
	require.False(t, f.Due(begun.Add(24*time.Hour)))
	require.True(t, f.Due(begun.Add(48*time.Hour)))
	require.True(t, f.Due(begun.Add(48*time.Hour+time.Minute)), "it was new")
}
