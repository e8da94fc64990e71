package aria

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoles: what one acts on has a name by which it is found, and is no plain text; what has a value or a state is
// acted on.
func TestRoles(t *testing.T) {
	for role, has := range roles {
		require.NotZero(t, has, role)
		if has&Operable != 0 {
			require.NotZero(t, has&Named, role)
		}
		if has&(Valued|Stateful) != 0 {
			require.NotZero(t, has&Operable, role)
		}
		if has&(Operable|Sought) != 0 {
			require.Zero(t, has&Plain, role)
		}
	}
	require.True(t, Is("tab", Sought|Operable))
	require.False(t, Is("tab", Plain))
	require.False(t, Is("unheard-of", Operable|Sought|Named|Valued|Stateful|Place|Plain))
}
