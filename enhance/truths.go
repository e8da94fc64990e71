package enhance

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/tree"
)

// truthsOf returns the truths of a case, which the guidance must not give away. Other memories have none.
func truthsOf(n *tree.Node) guard.Truths {
	if n.CaseData == nil || n.CaseData.TestCase.GroundTruth.Null() || n.CaseData.TestCase.GroundTruth.Check() != nil {
		return guard.Truths{}
	}
	d := n.CaseData
	return guard.TruthsOf(json.RawMessage(d.TestCase.GroundTruth), d.TestCase.Prompt+"\n"+d.AgentJudgment)
}

// leakReason returns the reason to omit a text that contains the value v of a ground truth. Reasons are printed, so it
// names only the kind of that value.
func leakReason(v string) string {
	if strings.Trim(v, "0123456789.-+e") == "" {
		return leaksNumber
	}
	if utf8.RuneCountInString(v) > 12 {
		return leaksLong
	}
	return leaksValue
}
