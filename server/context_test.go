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
