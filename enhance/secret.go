package enhance

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/tree"
)

// truthsOf are the truths of a case, which its text may not say. Other memories
// have none.
func truthsOf(n *tree.Node) guard.Truths {
	if n.CaseData == nil || n.CaseData.TestCase.GroundTruth.Null() || n.CaseData.TestCase.GroundTruth.Check() != nil {
		return guard.Truths{}
	}
	return guard.TruthsOf(json.RawMessage(n.CaseData.TestCase.GroundTruth), n.CaseData.TestCase.Prompt)
}

// hidden is the reason to leave out what has this value in it. It tells only what
// kind of thing that is: reasons are printed.
func hidden(v string) string {
	if strings.Trim(v, "0123456789.-+e") == "" {
		return leaksNumber
	}
	if utf8.RuneCountInString(v) > 12 {
		return leaksLong
	}
	return leaksValue
}
