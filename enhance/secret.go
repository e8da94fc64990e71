package enhance

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/tree"
)

// truthsOf returns the truths of a case, which the guidance must not give away. Other memories
// have none.
func truthsOf(n *tree.Node) guard.Truths {
	if n.CaseData == nil || n.CaseData.TestCase.GroundTruth.Null() || n.CaseData.TestCase.GroundTruth.Check() != nil {
		return guard.Truths{}
	}
	d := n.CaseData
	return guard.TruthsOf(json.RawMessage(d.TestCase.GroundTruth), d.TestCase.Prompt+"\n"+d.AgentJudgment)
}

// leakReason returns the reason to leave out a text that has the value v of a ground truth in
// it. Reasons are printed, so it says only what kind of value that is.
func leakReason(v string) string {
	if strings.Trim(v, "0123456789.-+e") == "" {
		return leaksNumber
	}
	if utf8.RuneCountInString(v) > 12 {
		return leaksLong
	}
	return leaksValue
}
