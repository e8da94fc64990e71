package server

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/tree"
)

// A picture of a run is on the page of the inbox, and only who may read the tree gets its bytes.
func TestPictureOfARun(t *testing.T) {
	w := newWorld(t)
	m := w.trees.Get(Default)
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 3))))
	p, err := m.Pictures().Keep(t.Context(), `"><script>alert(1)</script>`, bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	require.NoError(t, m.Record(t.Context(), tree.Evaluation{
		ID: "run-1", Prompt: "Check the cart", Judgment: tree.Raw(`"fail"`), Evidence: &tree.Evidence{
			Failure: "expected 3 <b>lines</b>", Pictures: []tree.Picture{p},
			Steps: []tree.TestStep{{Title: "open", Failed: true}},
			Links: []tree.Link{{Name: "job", URL: "https://ci.example/7"}},
		},
	}))
	require.NoError(t, m.Wait(t.Context()))
	reader, elsewhere := w.token("r", nil, token.Read), w.token("e", []string{"other"}, token.Admin)
	page := w.visit("GET", inboxPage, reader, "")
	require.Equal(t, http.StatusOK, page.Code)
	at := "/trees/default/pictures/" + p.SHA256
	require.Contains(t, page.Body, `<img src="`+at+`" loading="lazy" width="4" height="3" alt="Screenshot: `)
	require.NotContains(t, page.Body, "<script>alert")
	require.Contains(t, page.Body, "expected 3 &lt;b&gt;lines")
	require.Contains(t, page.Body, `<a href="https://ci.example/7" rel="noreferrer noopener">job</a>`)

	a := w.visit("GET", at, reader, "")
	require.Equal(t, http.StatusOK, a.Code)
	require.Equal(t, b.String(), a.Body)
	require.Equal(t, "image/png", a.Header.Get("Content-Type"))
	require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"))
	require.Contains(t, a.Header.Get("Content-Security-Policy"), "sandbox")
	require.Equal(t, http.StatusSeeOther, w.visit("GET", at, "", "").Code)
	require.Equal(t, http.StatusNotFound, w.visit("GET", at, elsewhere, "").Code, "as if there were no such tree")
	for _, gone := range []string{
		"/trees/other/pictures/" + p.SHA256, "/trees/default/pictures/" + strings.Repeat("0", 64),
		"/trees/default/pictures/..%2f..%2fFORMAT.json", "/trees/default/pictures/x",
	} {
		require.Equal(t, http.StatusNotFound,
			w.visit("GET", gone, w.token("a"+gone[len(gone)-1:], nil, token.Admin), "").Code,
			gone)
	}
}
