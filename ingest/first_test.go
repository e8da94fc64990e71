package ingest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of a corrected verdict the agent's own is read.
func TestReadFirstJudgment(t *testing.T) {
	es, problems := read(t, strings.NewReader(
		`{"prompt":"p","judgment":{"verdict":"pass"},"first_judgment":{"verdict":"fail","reason":"x"},`+
			`"correction":{"p":0.9}}`+"\n"+
			`{"prompt":"p","judgment":{"verdict":"pass"},"first_judgment":null}`))
	require.Empty(t, problems)
	require.JSONEq(t, `{"verdict":"fail","reason":"x"}`, string(es[0].Judgment))
	require.JSONEq(t, `{"verdict":"pass"}`, string(es[1].Judgment))
}
