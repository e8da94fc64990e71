package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/tree"
)

// inSuite returns the scope of the test at a position in a suite with these tests.
func inSuite(position int, tests ...string) tree.Scope {
	return tree.Scope{Product: "shop", Suite: "orders", SuiteTests: tests, Position: position}
}

// A suite changes from week to week. A memory that belongs to a place in it is found there
// again and nowhere else, whatever tests were added or removed around the place.
func TestAMemoryOfASuiteThatChanged(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	e := missed(1)
	e.Scope = inSuite(1, "login", "postcode", "pay")
	require.NoError(t, m.Record(t.Context(), e))
	require.NoError(t, m.Wait(t.Context()))

	given := func(s tree.Scope) bool {
		q := ask
		q.Scope = s
		g, err := m.Guide(t.Context(), q)
		require.NoError(t, err)
		return !g.Abstained
	}
	require.True(t, given(inSuite(1, "login", "postcode", "pay")))
	require.True(t, given(inSuite(2, "login", "address", "postcode", "pay")), "one was added before it")
	require.True(t, given(inSuite(1, "login", "postcode", "voucher", "pay")), "one was added after it")
	require.True(t, given(inSuite(0, "postcode", "pay")), "one was removed")
	require.False(t, given(inSuite(1, "login", "address", "postcode", "pay")), "another test stands there now")
	require.False(t, given(inSuite(2, "login", "pay", "postcode")), "it was moved")
	require.False(t, given(tree.Scope{Product: "shop"}), "outside of a suite")

	// The test was moved and goes wrong again: the memory moves with it.
	again := e
	again.RunID, again.At = "r2", e.At.AddDate(0, 0, 7)
	again.Scope = inSuite(2, "login", "pay", "postcode")
	require.NoError(t, m.Record(t.Context(), again))
	require.NoError(t, m.Wait(t.Context()))
	require.Len(t, nodes(t, m), 1)
	require.True(t, given(inSuite(2, "login", "pay", "postcode")))
	require.False(t, given(inSuite(1, "login", "postcode", "pay")))

	// A run from before the move is recorded late: the memory stays at the new place.
	late := e
	late.RunID, late.At = "r0", e.At.AddDate(0, 0, -7)
	require.NoError(t, m.Record(t.Context(), late))
	require.NoError(t, m.Wait(t.Context()))
	require.True(t, given(inSuite(2, "login", "pay", "postcode")))

	require.NoError(t, m.Close())
	m = open(t, dir, &memtree.Options{ReadOnly: true})
	require.True(t, given(inSuite(3, "login", "pay", "voucher", "postcode")), "from the index that was kept")
}
