package fact

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDisabledIsSeen: a control that may rightly be disabled is not decided, but its line is reported.
func TestDisabledIsSeen(t *testing.T) {
	for page, disabled := range map[string]bool{
		"- textbox \"Name\"\n- button \"Add\" [disabled]":               true,
		"- textbox \"Name\"\n- button \"Add\" [disabled] [ref=e12]":     true,
		"- textbox \"Name\"\n- button \"Add\" [ref=e12] [disabled]":     true,
		"[textbox Name]\n[button disabled Add]":                         true,
		"[textbox Name]\n[button aria-disabled=true Add]":               true,
		"[textbox Name]\n[button disabled=\"disabled\" Add]":            true,
		"[textbox Name]\n[button aria-disabled=\"false\" Add]":          false,
		"- textbox \"Name\"\n- button \"Add\"\n- text: Add is disabled": false,
	} {
		f := Finding{Expected: Expected{Kind: Control, Thing: "Add", Role: "button"}}
		Read(page).control(&f)
		require.Equal(t, disabled, f.State == Unknown && f.Line == 2, page)
	}
}
