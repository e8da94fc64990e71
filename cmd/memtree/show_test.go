package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/tree"
)

// A page has no heading with nothing below it.
func TestEvidenceWithoutAnalysis(t *testing.T) {
	a := &app{Voice: &say.Voice{Lang: "en", Terminal: say.Terminal{Width: 80}}}
	shown := func(n tree.Node) string {
		p := a.Page()
		evidence(a, p, &n)
		return strings.Join(p.Lines, "\n")
	}
	n := tree.Node{CaseData: &tree.CaseData{AgentJudgment: "pass", ActualError: "A total was not added up."}}
	n.Content.Description = n.CaseData.ActualError
	require.NotContains(t, shown(n), "Analysis")
	n.CaseData.ErrorReason = "It was taken as it was."
	require.Contains(t, shown(n), "Analysis")
	n.Content.Description, n.CaseData.ErrorReason = "Another.", ""
	require.Contains(t, shown(n), "A total was not added up.")
}
