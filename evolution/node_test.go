package evolution

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// A lesson has the place in a suite that all its cases have, as it is now.
func TestCommonScope(t *testing.T) {
	at := func(day, position int, tests ...string) *tree.Node {
		n := tree.Node{Scope: tree.Scope{Product: "shop", Suite: "orders", SuiteTests: tests, Position: position}}
		n.Metadata.UpdatedAt = time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
		return &n
	}
	newer := at(3, 2, "login", "voucher", "postcode", "pay")
	require.Equal(t, newer.Scope, commonScope([]*tree.Node{at(1, 1, "login", "postcode", "pay"), newer,
		at(2, 0, "postcode", "pay")}))
	require.Equal(t, tree.Scope{Product: "shop"},
		commonScope([]*tree.Node{at(1, 1, "login", "postcode", "pay"), at(3, 2, "login", "pay", "postcode")}),
		"at two places: anywhere in the product")
	require.Equal(t, tree.Scope{Product: "shop"}, commonScope([]*tree.Node{newer, {Scope: tree.Scope{Product: "shop"}}}))
	require.Equal(t, tree.Scope{}, commonScope([]*tree.Node{newer, {Scope: tree.Scope{Product: "desk"}}}))
}
