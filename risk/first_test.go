package risk

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Reasons of a pass: of what is to be seen, and of what was done.
const (
	looked = "The save button is visible and the profile page shows the form."
	acted  = "After I changed the name to \"Ada 2\" and clicked save, I reloaded and then the field had \"Ada 2\"."
)

func reportedPass(reason string) *tree.Evaluation {
	return &tree.Evaluation{Prompt: "The name of a profile can be changed and is kept.",
		Judgment: tree.Raw(fmt.Sprintf(`{"verdict":"pass","reason":%q}`, reason))}
}

// TestFirstVerdict: with no label at all other histories order the verdicts of reports, and no probability comes of it.
func TestFirstVerdict(t *testing.T) {
	m := New()
	seen, done := m.Score(reportedPass(looked)), m.Score(reportedPass(acted))
	require.Greater(t, seen.Order, done.Order+0.1)
	require.Equal(t, seen.P, done.P)
	require.False(t, seen.Enough)

	e, f := reportedPass(looked), reportedPass(acted)
	e.Observation, f.Observation = "the page", "the page"
	require.InDelta(t, m.Score(e).Order, m.Score(f).Order, 1e-12, "there is no prior for verdicts with evidence")
	e, f = reportedPass(looked), reportedPass(acted)
	e.Judgment = tree.Raw(fmt.Sprintf(`{"verdict":"A>B","reason":%q}`, looked))
	f.Judgment = tree.Raw(fmt.Sprintf(`{"verdict":"A>B","reason":%q}`, acted))
	require.InDelta(t, m.Score(e).Order, m.Score(f).Order, 1e-12, "nor for a verdict that neither passes nor fails")
}

// TestPriorIsDropped: where other histories mislead, they lose their weight.
func TestPriorIsDropped(t *testing.T) {
	m := New()
	for i := range 80 {
		right := i%2 == 0
		e := reportedPass(map[bool]string{true: looked, false: acted}[right])
		e.ID, e.CaseID = fmt.Sprint(i), fmt.Sprint(i)
		m.Learn(e.ID, Extract(e), right, taxonomy.FalsePass)
	}
	heeding := 0.0
	for i := range pulls {
		heeding += m.all.blend.belief[i]
	}
	require.Less(t, heeding, 0.3, "it began with 0.5")
	require.Less(t, m.Score(reportedPass(looked)).Order, m.Score(reportedPass(acted)).Order)
}

// TestFirstVersion: features of the first version have fewer numbers, and are learned all the same.
func TestFirstVersion(t *testing.T) {
	f := Extract(reportedPass(looked))
	b, err := base64.RawStdEncoding.DecodeString(f.Encode())
	require.NoError(t, err)
	const at = 1 + 4*6 + 2*learned
	b[0] = firstVersion
	old := base64.RawStdEncoding.EncodeToString(append(b[:at:at], b[at+2*(shapes-learned):]...))
	g, err := Decode(old)
	require.NoError(t, err)
	require.Equal(t, f.reason, g.reason)
	require.Equal(t, float32(unknown), g.shape[looking])
	require.Equal(t, old, g.Encode())
	looked := g.WithLook(3)
	back, err := Decode(looked.Encode())
	require.NoError(t, err)
	require.Equal(t, looked, back)
	m := New()
	require.InDelta(t, 0, priors[reported].odds(&g), 2)
	m.Learn("a", g, false, taxonomy.FalsePass)
	require.Positive(t, m.Score(reportedPass(acted)).Order)
}
