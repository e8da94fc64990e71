package risk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAChangedJudgeIsFollowed(t *testing.T) {
	m := New()
	es := history(400, true)
	learn(m, es[:200])
	require.Equal(t, 200, m.all.n, "nothing changed, nothing is forgotten")
	learn(m, opposite(es[200:]))
	require.Less(t, m.all.n, 210, "what was learned of the old judge is forgotten")
	require.Less(t, m.Score(verdict("fail", "the price is not shown")).P, 0.3)
	require.Greater(t, m.Score(verdict("fail", "the button is disabled")).P, 0.7)
	require.Equal(t, 400, m.Score(&es[0]).Known)
}

func TestWhereNothingChangesNothingIsForgotten(t *testing.T) {
	for _, learnable := range []bool{true, false} {
		m := New()
		learn(m, history(2000, learnable))
		require.Equal(t, 2000, m.all.n)
		require.Less(t, m.late.belief, 0.5)
	}
}

func TestARivalIsSaved(t *testing.T) {
	es := history(400, true)
	for n := 180; n < 240; n += 7 {
		m, after := New(), opposite(es[200:])
		learn(m, append(es[:200:200], after...)[:n])
		again, err := Load(bytes.NewReader(saved(t, m)))
		require.NoError(t, err)
		learn(m, after)
		learn(again, after)
		require.Equal(t, saved(t, m), saved(t, again))
		e := verdict("fail", "the price is not shown")
		require.Equal(t, m.Score(e), again.Score(e))
	}
}
