package tree

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSameTestComparesKeys: two names are of one test if their keys are equal.
func TestSameTestComparesKeys(t *testing.T) {
	t.Parallel()
	require.True(t, SameTest("Check the total.", "“check  THE total”"))
	require.True(t, SameTest("...", "!"))
	require.False(t, SameTest("", ""))
	require.False(t, SameTest("a.b", "a"))
	name := rapid.StringOfN(rapid.RuneFrom([]rune("aAbİ .。!！“'\n0\uFFFD")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		require.Equal(t, a != "" && TestKey(a) == TestKey(b), SameTest(a, b))
		require.Equal(t, a != "", SameTest(a, a+" .'"))
	})
}
