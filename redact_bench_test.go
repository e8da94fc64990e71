package memtree_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// BenchmarkExport writes 10,000 cases of real runs, as they are and redacted.
func BenchmarkExport(b *testing.B) {
	const many = 10_000
	m, err := memtree.Open(b.Context(), b.TempDir(), nil)
	require.NoError(b, err)
	defer m.Close()
	var nodes []tree.Node
	for i, e := range samples(b, "fixtures/tau.jsonl") {
		if i < 100 {
			e.Judgment = tree.Raw(e.Judgment).Canonical()
			for k := range many / 100 {
				n := everywhere(i, e.Prompt)
				n.Content = tree.Content{Title: "case", Description: e.Prompt[:min(len(e.Prompt), 200)], Guidance: "look again",
					Confidence: .5}
				n.Scene, n.Scope, n.Provenance.Cites = tree.Scene{ID: "s", Route: "/cart"}, tree.Scope{Product: "shop"}, nil
				n.CaseData.TestCase = tree.TestCase{CaseID: fmt.Sprint(i, "-", k), SceneID: "s",
					Prompt: fmt.Sprint(k, " ", e.Prompt), GroundTruth: e.GroundTruth.Canonical()}
				n.CaseData.AgentJudgment, n.CaseData.EvaluatorReason = string(e.Judgment), "the agent did not look"
				n.CaseData.ActualError, n.CaseData.ErrorReason, n.CaseData.AvoidanceHint = "a", "b", "c"
				n.ID = tree.EvidenceID(&n)
				nodes = append(nodes, n)
			}
		}
	}
	_, err = m.Transfer().Import(b.Context(), give(nodes), &transfer.ImportOptions{Trust: true})
	require.NoError(b, err)
	for name, redact := range map[string]bool{"plain": false, "redact": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := m.Transfer().Export(b.Context(), &transfer.ExportOptions{Redact: redact})
				require.NoError(b, err)
				require.Equal(b, many, s.Summary.Nodes)
				_, err = transfer.Write(b.TempDir()+"/x.memtree", transfer.Archive, s.Nodes(b.Context()), transfer.Beside{})
				require.NoError(b, err)
			}
		})
	}
}
