package formation

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClausesAreJoined: a note that was split at its semicolons reads as it was written.
func TestClausesAreJoined(t *testing.T) {
	for _, note := range []string{
		"Believed the message 'Shipment cancelled'; on the sample list they were still In transit.",
		"只看了提示；列表里没有变。", "It said “Saved.” The list was old.", "Vol. (ml) was read as cl; nobody converted it.",
	} {
		require.Equal(t, note, joined(points(note)...))
	}
}
