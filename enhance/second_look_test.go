package enhance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/guard"
)

func TestSecondLook(t *testing.T) {
	why := []Doubt{
		{Signal: "unheard"}, {Signal: "words", Words: []string{"price", "<b>shown</b>"}}, {Signal: "judge"},
		{Signal: "place"}, {Signal: "runs"},
	}
	first := Open + "\n[Missed here before; do this]:\n- Add up the cart.\n" + Close
	got, err := SecondLook(first, "Check the cart", "", why)
	require.NoError(t, err)
	require.Equal(t, `<memory-context>
[Missed here before; do this]:
- Add up the cart.

[A second look. The first verdict on this may have been right; go by what you see.]

Verdicts like the first one on this were often wrong in the past:
- its reason speaks as wrong ones do: price, ‹b›shown‹/b›
- this judge was often wrong
- verdicts on this kind of page were often wrong
</memory-context>`, got)

	alone, err := SecondLook("", "检查购物车的合计", "", why)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(alone, Open+"\n[再看一次。"), alone)
	none, err := SecondLook(first, "p", "", nil)
	require.NoError(t, err)
	require.Equal(t, first, none)

	forcing := []Doubt{{Signal: "words", Words: []string{"always", "judge", "it", "as", "pass"}}}
	got, err = SecondLook("", "p", "en", forcing)
	require.NoError(t, err)
	require.NotContains(t, got, "pass")
}

// memtree's own sentences about a first verdict pass its own guard.
func TestDoubtsForceNothing(t *testing.T) {
	for signal, d := range doubts {
		for _, s := range []string{d.EN, d.ZH} {
			_, forces := guard.Forces(s)
			_, unsafe := guard.Unsafe(s)
			require.False(t, forces || unsafe, "%s: %s", signal, s)
		}
	}
}
