package memtree_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// TestChecks: a missed check is returned as code the next time, on this page and for the query.
func TestChecks(t *testing.T) {
	m, err := memtree.Open(t.Context(), "", &memtree.Options{Deadline: time.Minute, InMemory: true})
	require.NoError(t, err)
	prompt := `Does the heading read "Basket"? Is there a link "Home"?`
	cart := tree.Scene{ID: "cart", Route: "/cart"}
	_, err = m.RecordAll(t.Context(), []memtree.Evaluation{{
		ID: "1", CaseID: "t1", Scene: cart, Prompt: prompt, Judgment: tree.Raw(`{"has_defect": false}`),
		GroundTruth: tree.Raw(`{"has_defect": true,
			"defect_details": ["The heading reads \"Cart\" instead of \"Basket\"."]}`),
	}})
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	all, err := m.Checks(t.Context(), memtree.Query{Prompt: prompt, Scene: cart, Observation: "- heading \"Cart\""})
	require.NoError(t, err)
	require.Len(t, all, 1)
	const code = "await expect(page.getByRole('heading', { name: 'Basket' }).first()).toBeVisible();"
	require.Equal(t, code, all[0].Playwright)
	require.Equal(t, "broken", all[0].State)
	require.Len(t, all[0].Cases, 1)
	for _, q := range []memtree.Query{
		{Prompt: prompt, Scene: tree.Scene{ID: "imprint", Route: "/imprint"}},
		{Prompt: "Is the total right?", Scene: cart},
	} {
		all, err = m.Checks(t.Context(), q)
		require.NoError(t, err)
		require.Empty(t, all, "another page, or another question: %+v", q)
	}
	_, err = m.Checks(t.Context(), memtree.Query{})
	var field *tree.FieldError
	require.ErrorAs(t, err, &field)
	require.NoError(t, m.Close())
	_, err = m.Checks(t.Context(), memtree.Query{Prompt: prompt})
	require.ErrorIs(t, err, store.ErrClosed)
}
