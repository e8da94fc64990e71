package taxonomy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOwn(t *testing.T) {
	id := OwnID("The unit isn’t read 7!", []string{"c_b", "c_a"})
	require.Regexp(t, `^own/the_unit_isn_t_read_[0-9a-f]{6}$`, id)
	require.Equal(t, id, OwnID("the unit isn't read", []string{"c_a", "c_b", "c_a"}))
	require.NotEqual(t, id, OwnID("the unit isn't read", []string{"c_a"}))
	require.Equal(t, "the unit isn t read", OwnName(id))
	require.True(t, IsOwn(id))
	long := OwnID(strings.Repeat("measurement ", 99), []string{"c_a"})
	require.True(t, IsOwn(long))
	require.Empty(t, OwnID("单位 7", []string{"c_a"}))
	for _, bad := range []string{"", "own/", "unit", "own/Unit", "own/a b", "own/../x", "own/" + strings.Repeat("a", 61)} {
		require.False(t, IsOwn(bad), bad)
		require.Empty(t, OwnName(bad), bad)
	}
}

// A team may take a check of its tree's own into its catalogue.
func TestOwnCheckInCatalogue(t *testing.T) {
	tax, err := Parse("memtree.yaml", []byte(`
checks:
  - {id: own/unit_not_read_3f9a2c, name: Units, errorTypes: [state_detection_error], missed: {do: Read the unit.}}
`))
	require.NoError(t, err)
	c, known := tax.Check("own/unit_not_read_3f9a2c")
	require.True(t, known)
	require.True(t, c.Speaks(FalsePass))
	_, err = Parse("memtree.yaml", []byte("sceneTypes: [{id: own/page_3f9a2c, name: Page}]"))
	require.Error(t, err, "nothing else has such an id")
}

// TestDoInBothLanguages: a do may be given in both languages, and 核实 is an order as 核对 is.
func TestDoInBothLanguages(t *testing.T) {
	tax, err := Parse("memtree.yaml", []byte(`checks:
  - id: team_unit
    name: {en: Units, zh: 单位}
    errorTypes: [content_validation_error]
    missed:
      do: {en: "Check the unit beside the number.", zh: 核实数字旁边的单位。}
      when: {en: a task gives a number with a unit, zh: 任务中有带单位的数字}
    asked: [{weight: 3, say: [unit, 单位]}]
    said: [{weight: 3, say: [unit was not read, 没看单位]}]
`))
	require.NoError(t, err)
	c, ok := tax.Check("team_unit")
	require.True(t, ok)
	require.Equal(t, "核实数字旁边的单位。", c.Missed.Do.In("zh"))
}
