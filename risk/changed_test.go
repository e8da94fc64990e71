package risk

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// TestChangeIsNoticed: a judge that is replaced under its name is noticed, and the model knows since when.
func TestChangeIsNoticed(t *testing.T) {
	m := New()
	learn := func(i int, wrong bool) {
		sure := "every field was compared with care"
		if i%2 == 0 {
			sure = "it probably looks plausible at a glance"
		}
		e := tree.Evaluation{ID: fmt.Sprint(i), Prompt: fmt.Sprint("check ", i), Agent: tree.Agent{Name: "eye"},
			Judgment: tree.Raw(`{"verdict":"pass","reason":"` + sure + `"}`)}
		m.Learn(e.ID, Extract(&e), !wrong, "")
	}
	for i := range 200 {
		learn(i, i%2 == 0)
	}
	require.Zero(t, m.Judge("eye").Changed)
	for i := range 200 {
		learn(200+i, i%2 != 0) // another judge: wrong where the old one was right
	}
	at := m.Judge("eye").Changed
	require.Greater(t, at, 200)
	require.Less(t, at, 320)
	var b bytes.Buffer
	require.NoError(t, m.Save(&b))
	back, err := Load(&b)
	require.NoError(t, err)
	require.Equal(t, at, back.Judge("eye").Changed)
}
