package transfer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// hush removes one word.
type hush struct{}

func (hush) Text(s string) (string, int) {
	return strings.ReplaceAll(s, "canary", "[redacted:token]"), strings.Count(s, "canary")
}

func (hush) JSON(r tree.Raw) (tree.Raw, int) { return r, 0 }

// A lesson in two languages leaves without secrets in both, and they stay one lesson.
func TestTranslationIsRedacted(t *testing.T) {
	l := tree.Lesson{Check: "Enter canary and look.", From: tree.FromModel}
	l.ID = tree.LessonID(l)
	n := tree.Node{
		Type: tree.Experience, Level: 2, ErrorType: "content_validation_error", Direction: taxonomy.FalsePass, Lang: "en",
		Status: tree.Active, Revision: 1, Children: []string{"c_" + strings.Repeat("a", 20)},
		Content: tree.Content{Lessons: []tree.Lesson{l}, Other: &tree.Translation{
			Lesson: l.ID, Title: "canary", Check: "填 canary 再看。", Mistake: "canary", AppliesWhen: []string{"canary"},
		}},
		Provenance: tree.Provenance{By: "evolution", Left: []string{"not an id", "c_" + strings.Repeat("b", 20)}},
	}
	n.ID = tree.GroupID(n.Type, n.ErrorType, n.Direction, n.Children)
	require.NoError(t, tree.Check(&n))
	out, found := redactNode(n, hush{})
	require.Equal(t, 5, found)
	require.NotContains(t, tree.Spelled(&out), "canary")
	require.Contains(t, out.In("zh").Content.Lessons[0].Check, "再看")
	require.Equal(t, []string{"c_" + strings.Repeat("b", 20)}, out.Provenance.Left)
	require.Contains(t, n.Content.Other.Check, "canary", "the node itself stays")

	merged := n.Clone() // another team's lesson took the place
	merged.Content.Lessons[0].ID = "l_other"
	require.Equal(t, merged.Content.Lessons, merged.In("zh").Content.Lessons)
}
