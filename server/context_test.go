package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/token"
)

// A walk that is handed in over HTTP is found again, and a context has guidance, facts and places within its budget.
func TestContextOverHTTP(t *testing.T) {
	w := newWorld(t)
	ann := w.token("ann", nil, token.Admin)
	read := func(a answer, into any) {
		t.Helper()
		require.Equal(t, http.StatusOK, a.Code, a.Body)
		require.NoError(t, json.Unmarshal([]byte(a.Body), into))
	}
	walk := `{"source":"agent","product":"shop","seen":[{"kind":"page","url":"/login"},{"kind":"action","url":"/login",` +
		`"do":"click","selector":"#in","role":"button","name":"Sign in"}]}`
	var did struct{ Walks, Known int }
	read(w.ask("POST", inDefault+"/map", ann, walk), &did)
	require.Equal(t, 1, did.Walks)
	read(w.ask("POST", inDefault+"/map", ann, walk), &did)
	require.Equal(t, 1, did.Known)
	var found struct {
		Found []struct{ Selector, Page string }
	}
	read(w.ask("GET", inDefault+"/map/find?text=sign+in&all=true", ann, ""), &found)
	require.Equal(t, "#in", found.Found[0].Selector)
	read(w.ask("GET", inDefault+"/map/find?text=sign+in", ann, ""), &found)
	require.Empty(t, found.Found, "one success proves nothing")
	of := func(path string) string {
		a := w.ask("GET", inDefault+"/map/"+path, ann, "")
		require.Equal(t, http.StatusOK, a.Code, a.Body)
		return a.Body
	}
	require.Contains(t, of("coverage"), `"pages":{"tested":0,"all":1}`)
	require.Contains(t, of("gaps?limit=1"), `"all":2,"gaps":[{"kind":"page","page":"/login"`)
	require.Contains(t, of("path?from=/login&to=/login"), `{"found":true,"steps":[]}`)
	require.Contains(t, of("path?to=/nowhere"), `{"found":false,"steps":[]}`)
	require.Contains(t, of("page?page=https://shop.test/login?x=1"), `"name":"Sign in"`)
	require.Contains(t, of("requirements"), `{"requirements":[]}`)
	require.Equal(t, http.StatusNotFound, w.ask("GET", inDefault+"/map/page?page=/nowhere", ann, "").Code)

	w.ask("POST", inDefault+"/facts", ann, `{"statement":"Sign in waits for two seconds.","product":"shop"}`)
	var x struct {
		Text   string
		Tokens int
		Parts  []struct{ Ring string }
	}
	read(w.ask("POST", inDefault+"/context", ann,
		`{"prompt":"Sign in and wait for the list","scope":{"product":"shop"}}`), &x)
	require.Contains(t, x.Text, "two seconds")
	require.Contains(t, x.Text, "#in (1/1)")
	require.Len(t, x.Parts, 2)
	read(w.ask("POST", inDefault+"/context", ann, `{"prompt":"Sign in","scope":{"product":"shop"},"budget":100}`), &x)
	require.LessOrEqual(t, x.Tokens, 100)
	require.Equal(t, http.StatusUnprocessableEntity, w.ask("POST", inDefault+"/context", ann,
		`{"prompt":"Sign in","budget":7}`).Code)
}

// The map is a page: what was seen, what no test touches, one page of it, and elements by what they are called.
func TestMapOnAPage(t *testing.T) {
	w := newWorld(t)
	ann := w.token("ann", nil, token.Admin)
	const at = "/trees/default/map"
	require.Contains(t, w.visit("GET", at, ann, "").Body, "memtree map add")
	walk := `{"source":"agent","product":"shop","seen":[{"kind":"page","url":"/login","title":"<b>Log in</b>"},` +
		`{"kind":"element","url":"/login","role":"button","name":"Help"},{"kind":"link","url":"/login","to":"/help"}]}`
	require.Equal(t, http.StatusOK, w.ask("POST", inDefault+"/map", ann, walk).Code)
	page := w.visit("GET", at, ann, "").Body
	for _, s := range []string{
		"Tests touch 0 of 2 pages, 0 of 1 elements", "&lt;b&gt;Log in", "page=%2Flogin&amp;product=shop",
	} {
		require.Contains(t, page, s)
	}
	page = w.visit("GET", at+"?product=shop&page=/login", ann, "", "Accept-Language", "zh").Body
	require.Contains(t, page, "Help")
	require.Contains(t, page, "通向")
	page = w.visit("GET", at+"?find=help", ann, "").Body
	require.Contains(t, page, "getByRole(&#39;button&#39;, { name: &#39;Help&#39; })")
	require.Contains(t, w.visit("GET", at+"?page=/nowhere", ann, "").Body, "no such page")
}
