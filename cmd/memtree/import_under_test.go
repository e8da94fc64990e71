package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/transfer"
)

// Every line of a reason is under its row, also where it is wrapped.
func TestImportReasonIsIndented(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		a, _ := inTest()
		a.Lang, a.Width = lang, 40
		lines := itemLines(a.Voice, []transfer.NodePlan{{ID: "c_1", Class: transfer.Held, Why: transfer.WhyStranger}})
		require.Greater(t, len(lines), 4)
		for _, l := range lines[3:] {
			require.True(t, strings.HasPrefix(l, "      "), l)
		}
	}
}
