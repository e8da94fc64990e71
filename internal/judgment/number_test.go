package judgment

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// TestNumbers: numbers are equal by their value, to the last digit.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		judgment, truth string
		same            bool
	}{
		{`3`, `3.0`, true},
		{`3`, `3e0`, true},
		{`30`, `3e1`, true},
		{`0.5`, `5e-1`, true},
		{`-0`, `0`, true},
		{`-1`, `1`, false},
		{`1e400`, `1e400`, true},
		{`1e400`, `1e500`, false},
		{`1e99999999999`, `1e99999999999`, true},
		{`1e99999999999`, `1`, false},
		{`7205759403792793601`, `7205759403792793600`, false},
		{`0.1`, `0.1000000000000000055511151231257827`, false},
		{`"12.50"`, `12.5`, true},
		{`"12.50"`, `"12.5"`, true},
		{`"6222021234567890123"`, `"6222021234567890199"`, false},
		{`"6222021234567890123"`, `6222021234567890199`, false},
		{`{"idcard":"110101199003077758"}`, `{"idcard":"110101199003077751"}`, false},
		{`"1e3"`, `"1000"`, false},
		{`"1e3"`, `1000`, true},
		{`"007"`, `"7"`, false},
	} {
		t.Run(c.judgment+"|"+c.truth, func(t *testing.T) {
			same, why := Compare(Decode(tree.Raw(c.judgment)), Decode(tree.Raw(c.truth)))
			require.Equal(t, c.same, same)
			require.Empty(t, why)
		})
	}
}
