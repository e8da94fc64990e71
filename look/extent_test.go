package look_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/look"
)

func TestExtent(t *testing.T) {
	for s, of := range map[string]int{"0": 0, "20": 20, "300": 200, "all": 200, "30%": 60, "0.1%": 1, "100%": 200} {
		x, err := look.ParseExtent(s)
		require.NoError(t, err, s)
		require.Equal(t, of, x.Of(200), s)
		require.Zero(t, x.Of(0), s)
		b, err := json.Marshal(x)
		require.NoError(t, err)
		var back look.Extent
		require.NoError(t, json.Unmarshal(b, &back))
		require.Equal(t, x, back, s)
	}
	for _, s := range []string{"", "-1", "0%", "101%", "NaN%", "some", "1.5", "%", "All", "-5%", "1e3"} {
		_, err := look.ParseExtent(s)
		require.ErrorContains(t, err, "no share such as 30%", s)
	}
	require.Error(t, json.Unmarshal([]byte(`{}`), new(look.Extent)))
}
