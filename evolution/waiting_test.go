package evolution

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// What waits is found once, until it is forgotten, also while it is found.
func TestWaiting(t *testing.T) {
	var w Waiting
	found, meanwhile, failure := 0, func() {}, error(nil)
	get := func() []Proposal {
		list, err := w.get(func() ([]Proposal, error) {
			found++
			meanwhile()
			return []Proposal{{Key: "j_1"}}, failure
		})
		require.ErrorIs(t, err, failure)
		return list
	}
	failure = errors.New("the disk is gone")
	require.Empty(t, get())
	failure = nil
	first := get()
	require.Equal(t, 2, found, "a failure is not kept")
	first[0].Key = "j_other"
	require.Equal(t, []Proposal{{Key: "j_1"}}, get())
	require.Equal(t, 2, found)
	w.Forget()
	meanwhile = w.Forget
	get()
	meanwhile = func() {}
	get()
	require.Equal(t, 4, found, "what changed while they were found may be missing in them")
	get()
	require.Equal(t, 4, found)
}
