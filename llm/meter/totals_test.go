package meter

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

var first = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func TestTotals(t *testing.T) {
	var none Totals
	require.Equal(t, none, none.Add("m", Spent{}, first), "nothing was asked")
	one := none.Add("m", Spent{
		Calls: 2, Failed: 1, Usage: llm.Usage{InputTokens: 5}, Why: map[llm.ErrorKind]int{"timeout": 1},
	}, first)
	two := one.Add("m", Spent{Calls: 1, Failed: 1, Why: map[llm.ErrorKind]int{"timeout": 1}}, first.AddDate(0, 0, 1)).
		Add("n", Spent{Beyond: 1}, first)
	require.Equal(t, 1, one.Models["m"].Why["timeout"], "the sum does not change what was added to")
	require.Equal(t, Totals{Since: first, Models: map[string]Spent{
		"m": {Calls: 3, Failed: 2, Usage: llm.Usage{InputTokens: 5},
			Why: map[llm.ErrorKind]int{"timeout": 2}}, "n": {Beyond: 1},
	}}, two)
	b, err := json.Marshal(two)
	require.NoError(t, err)
	back, err := ParseTotals(b)
	require.NoError(t, err)
	require.Equal(t, two, back)

	for i := range mostModels + 10 {
		none = none.Add(fmt.Sprint(i)+strings.Repeat("x", longName), Spent{Calls: 1}, first)
	}
	require.Len(t, none.Models, mostModels+1)
	require.Equal(t, 10, none.Models[""].Calls)
}

func FuzzParseTotals(f *testing.F) {
	for _, s := range []string{
		`{"since":"2026-03-01T00:00:00Z","models":{"m":{"calls":1,"usage":{"inputTokens":3}}}}`,
		`{"models":{"m":{"calls":-1}}}`, `{"models":{"m":{"why":{"":1}}}}`, `{"models":{"m":{"why":{"x":-1}}}}`,
		`{`, `null`, `{"models":{"m":{"calls":1e99}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ParseTotals(b)
		if err != nil {
			return
		}
		for _, s := range x.Models {
			require.GreaterOrEqual(t, min(s.Calls, s.Failed, s.Beyond, s.Untold), 0)
		}
		_, err = json.Marshal(x.Add("m", Spent{Calls: 1}, first))
		require.NoError(t, err)
	})
}
