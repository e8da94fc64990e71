package taxonomy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrices(t *testing.T) {
	x, err := Parse("memtree.yaml",
		[]byte("prices:\n  - model: gpt-x\n    in: 0.15\n    out: 0.60\n  - in: 1\n    out: 2\n"))
	require.NoError(t, err)
	in, out, ok := x.PriceOf("gpt-x")
	require.True(t, ok)
	require.Equal(t, []float64{0.15, 0.60}, []float64{in, out})
	in, out, ok = x.PriceOf("another")
	require.True(t, ok)
	require.Equal(t, []float64{1, 2}, []float64{in, out})
	_, _, ok = Default().PriceOf("gpt-x")
	require.False(t, ok, "no price is built in")
	for overlay, says := range map[string]string{
		"prices:\n  - model: a\n":                     "prices[0] has no price",
		"prices:\n  - {model: a, in: -1, out: 2}\n":   `prices[0].in is "-1"; write a number from 0`,
		"prices:\n  - {model: a, in: free, out: 2}\n": "write a number",
		"prices:\n  - {model: a, in: .nan, out: 2}\n": "write a number",
		"prices:\n  - {model: a, in: 1, out: 2}\n" +
			"  - {model: a, in: 1, out: 3}\n": `prices[1].model is "a" again, as in line 2`,
		"prices: 3\n": "write a list",
	} {
		_, err := Parse("memtree.yaml", []byte(overlay))
		require.ErrorContains(t, err, says, overlay)
	}
}
