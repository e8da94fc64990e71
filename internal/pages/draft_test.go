package pages

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/tree"
)

// A draft is shown with its cases and with what agents would be given; looking at it changes nothing.
func TestDraftPage(t *testing.T) {
	v := team(t)
	_, err := v.Memory.Evolve(t.Context(), &memtree.EvolveOptions{Review: true})
	require.NoError(t, err)
	waiting, err := v.Memory.Review().Proposals(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, waiting)
	p := &waiting[0]
	ask := memtree.Query{
		Prompt: "Add 40 items to the cart and check the total on the cart page",
		Scope:  tree.Scope{Product: "shop"},
	}
	before, err := v.Memory.Explain(t.Context(), ask)
	require.NoError(t, err)
	with := ask
	with.As = []tree.Node{p.Node}
	after, err := v.Memory.Explain(t.Context(), with)
	require.NoError(t, err)
	considers := func(x memtree.Explanation) bool {
		return slices.ContainsFunc(x.Considered, func(c enhance.Considered) bool { return c.ID == p.Node.ID })
	}
	require.False(t, considers(before))
	require.True(t, considers(after))
	_, err = v.Memory.Guide(t.Context(), with)
	require.ErrorContains(t, err, "as is for Explain")
	again, err := v.Memory.Explain(t.Context(), ask)
	require.NoError(t, err)
	require.False(t, considers(again), "a preview leaves the tree as it is")

	s, err := New()
	require.NoError(t, err)
	r, w := httptest.NewRequest("GET", "/trees/default/review/"+p.Key, nil), httptest.NewRecorder()
	r.SetPathValue("key", p.Key)
	require.NoError(t, s.draft(w, r, v))
	body := w.Body.String()
	require.Contains(t, body, "<ins>")
	require.Contains(t, body, "</span>When: ", "a condition is named")
	require.Contains(t, body, "So it shows first on tests that ask for the same")
	require.Contains(t, body, "The total was not recomputed from prices and quantities.")
	require.Contains(t, body, "Of 3 tests of its cases 0 would be given something else; of 18 recent tests 0.")
	require.Less(t, w.Body.Len(), 60_000)
	r.SetPathValue("key", "j_none")
	var gone *tree.FieldError
	require.ErrorAs(t, s.draft(w, r, v), &gone)
}

// What a preview gives is what is given once the draft is accepted.
func TestPreviewIsWhatComes(t *testing.T) {
	v := team(t)
	_, err := v.Memory.Evolve(t.Context(), &memtree.EvolveOptions{Review: true})
	require.NoError(t, err)
	waiting, err := v.Memory.Review().Proposals(t.Context())
	require.NoError(t, err)
	var drafts []tree.Node
	var keys []string
	for i := range waiting {
		if waiting[i].Node.Type == tree.Experience {
			drafts, keys = append(drafts, waiting[i].Node), append(keys, waiting[i].Key)
		}
	}
	prompts := []string{
		"Add 1 items to the cart and check the total on the cart page",
		"The order summary shows the right total of three rooms", "Check that the sum of the invoice is right", "Say hello",
	}
	var before, expected []string
	for _, p := range prompts {
		was, err := v.Memory.Explain(t.Context(), memtree.Query{Prompt: p})
		require.NoError(t, err)
		x, err := v.Memory.Explain(t.Context(), memtree.Query{Prompt: p, As: drafts})
		require.NoError(t, err)
		before, expected = append(before, was.Text), append(expected, x.Text)
	}
	require.NotEqual(t, before, expected)
	_, err = v.Memory.Review().Decide(t.Context(), evolution.ReviewDecision{Accept: keys})
	require.NoError(t, err)
	for i, p := range prompts {
		x, err := v.Memory.Explain(t.Context(), memtree.Query{Prompt: p})
		require.NoError(t, err)
		require.Equal(t, expected[i], x.Text, p)
	}
}

// The effects of a rejection are shown before it is made; afterwards the page links to where it is taken back.
func TestRejectAsks(t *testing.T) {
	v := team(t)
	_, err := v.Memory.Evolve(t.Context(), &memtree.EvolveOptions{Review: true})
	require.NoError(t, err)
	waiting, err := v.Memory.Review().Proposals(t.Context())
	require.NoError(t, err)
	s, err := New()
	require.NoError(t, err)
	post := func(form string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/trees/default/review", strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		require.NoError(t, s.decide(w, r, v))
		return w
	}
	form := "word=reject&why=too+general&key=" + waiting[0].Key
	asked := post(form)
	require.Contains(t, asked.Body.String(), "nor from its 3 cases and later ones alike")
	still, err := v.Memory.Review().Proposals(t.Context())
	require.NoError(t, err)
	require.Len(t, still, len(waiting), "asking changes nothing")
	done := post(form + "&sure=1")
	require.Equal(t, "/trees/default/review?done=reject&n=1", done.Header().Get("Location"))
	require.Contains(t, see(t, v, "review", "?done=reject&n=1"), `<a href="/trees/default/history">Take it back`)
	require.Contains(t, see(t, v, "history", ""), "too general")
}
