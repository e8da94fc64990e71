package tree_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// seedNode is written from the interfaces of the design document alone (MemoryNode and CaseMemoryNode), as a reader of
// an export would write it.
type seedNode struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Level     int    `json:"level"`
	ErrorType string `json:"errorType"`
	Content   struct {
		Description string  `json:"description"`
		Guidance    string  `json:"guidance"`
		Confidence  float64 `json:"confidence"`
	} `json:"content"`
	Metadata struct {
		CreatedAt   time.Time `json:"createdAt"`
		UpdatedAt   time.Time `json:"updatedAt"`
		UsageCount  int       `json:"usageCount"`
		SuccessRate float64   `json:"successRate"`
	} `json:"metadata"`
	Children []string `json:"children"`
	Parent   string   `json:"parent,omitempty"`
	CaseData struct {
		TestCase struct {
			CaseID      string         `json:"case_id"`
			SceneID     string         `json:"scene_id"`
			Prompt      string         `json:"prompt"`
			GroundTruth map[string]any `json:"ground_truth"`
		} `json:"testCase"`
		AgentJudgment string `json:"agentJudgment"`
		ActualError   string `json:"actualError"`
		ErrorReason   string `json:"errorReason"`
		AvoidanceHint string `json:"avoidanceHint"`
	} `json:"caseData"`
}

func aCase() tree.Node {
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: "content_validation_error", Direction: taxonomy.FalsePass,
		Content: tree.Content{Description: "删除按钮的文字是错的", Guidance: "逐字核对按钮文字", Confidence: 0.62},
		Metadata: tree.Metadata{CreatedAt: time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC),
			UpdatedAt: time.Date(2026, 1, 29, 9, 0, 0, 0, time.UTC), UsageCount: 2, SuccessRate: 0.5},
		Parent: "e_abc", Children: []string{}, Lang: "zh", Status: tree.Active, Revision: 1,
		Scene: tree.Scene{ID: "SCENE_001", Type: "list", Route: "/todo"},
		CaseData: &tree.CaseData{
			TestCase: tree.TestCase{CaseID: "CASE_002", SceneID: "SCENE_001", Prompt: "请检测 Todo <应用>",
				GroundTruth: tree.Raw(`{"has_defect":true,"n":1.0}`).Canonical()},
			AgentJudgment: "页面正常", ActualError: "漏报", ErrorReason: "没有逐字核对", AvoidanceHint: "逐字核对按钮文字",
		},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

func TestSeedReaderReadsAnExport(t *testing.T) {
	n := aCase()
	require.NoError(t, tree.Check(&n))
	b, err := json.Marshal(n)
	require.NoError(t, err)
	var s seedNode
	require.NoError(t, json.Unmarshal(b, &s))
	require.Equal(t, n.ID, s.ID)
	require.Equal(t, true, s.CaseData.TestCase.GroundTruth["has_defect"])

	b, err = json.Marshal(s)
	require.NoError(t, err)
	var back tree.Node
	require.NoError(t, json.Unmarshal(b, &back))
	want := n
	want.Direction, want.Lang, want.Status, want.Revision, want.Scene = "", "", "", 0, tree.Scene{}
	back.CaseData.TestCase.GroundTruth = back.CaseData.TestCase.GroundTruth.Canonical()
	require.Equal(t, want, back, "every field of the design survives a reader that knows no other")
}
