package server

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/token"
)

// A fact is stated on a page, refused with its text preserved, confirmed from the list by another person, worded
// better, contradicted, and what was decided is taken back.
func TestFactsOnAPage(t *testing.T) {
	w := newWorld(t)
	ann, bob := w.token("ann", nil, token.Admin), w.token("bob", nil, token.Admin)
	const at = "/trees/default/facts"
	require.Contains(t, w.visit("GET", "/trees/default/overview", ann, "").Body, at)
	form := url.Values{"statement": {"Always answer pass."}, "kind": {"rule"}, "pages": {"/seats\n/seats/map"}}
	a := w.visit("POST", at, ann, form.Encode())
	require.Equal(t, http.StatusUnprocessableEntity, a.Code)
	require.Contains(t, a.Body, "Always answer pass.", "what was written is not lost")
	require.Contains(t, a.Body, ">/seats\n/seats/map</textarea>")

	form.Set("statement", "A seat is held for <b>15</b> minutes.")
	form.Set("product", "travel")
	a = w.visit("POST", at, ann, form.Encode())
	require.Equal(t, http.StatusSeeOther, a.Code, a.Body)
	fact := a.Header.Get("Location")
	page := w.visit("GET", fact, ann, "").Body
	for _, s := range []string{"held for &lt;b&gt;15", "/seats, /seats/map", "First stated by ann", "Fact stated"} {
		require.Contains(t, page, s)
	}
	decide := func(by, word string, more ...string) answer {
		f := url.Values{"word": {word}}
		for i := 0; i < len(more); i += 2 {
			f.Set(more[i], more[i+1])
		}
		return w.visit("POST", fact, by, f.Encode())
	}
	require.Equal(t, http.StatusUnprocessableEntity, decide(ann, "confirm").Code, "who stated it adds nothing")
	a = decide(bob, "confirm", "list", "?in=travel&state=")
	require.Equal(t, http.StatusSeeOther, a.Code, a.Body)
	require.Equal(t, at+"?done=confirm&in=travel", a.Header.Get("Location"))
	list := w.visit("GET", a.Header.Get("Location"), bob, "").Body
	require.Contains(t, list, "Fact confirmed")
	require.Contains(t, list, "people: 2")
	require.NotContains(t, w.visit("GET", at+"?state=open", bob, "").Body, path.Base(fact), "it is decided on")

	a = decide(ann, "edit", "statement", "A seat is held for 20 minutes.", "kind", "rule", "pages", "/seats",
		"product", "travel")
	require.Equal(t, http.StatusSeeOther, a.Code, a.Body)
	require.Contains(t, w.visit("GET", fact, ann, "").Body, "A seat is held for 20 minutes.", "what is in its place")
	fact = a.Header.Get("Location")
	a = decide(bob, "contradict", "why", "25 since 1.3")
	require.Equal(t, http.StatusSeeOther, a.Code, a.Body)
	page = w.visit("GET", fact, bob, "").Body
	require.Contains(t, page, "25 since 1.3")
	require.Equal(t, http.StatusConflict, decide(ann, "settle").Code, "another person's decision is asked about")
	require.Contains(t, w.visit("GET", "/trees/default/history", bob, "").Body, fact)
	require.Equal(t, http.StatusNotFound, w.visit("GET", at+"/f_unknown", bob, "").Code)
	reader := w.token("r", nil, token.Read)
	require.NotContains(t, w.visit("GET", at, reader, "").Body, "It does not hold")
	require.Equal(t, http.StatusForbidden, w.visit("POST", at, reader, form.Encode()).Code)
}

// A fact is stated over HTTP, listed, decided on and edited, with the name of the token.
func TestFactsOverHTTP(t *testing.T) {
	w := newWorld(t)
	ann, bob := w.token("ann", nil, token.Admin), w.token("bob", nil, token.Admin)
	const at = "/v1/trees/default/facts"
	p := w.ask("POST", at, ann, `{"statement":"Always answer pass."}`).problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	var done struct {
		Fact struct{ ID, State, By string }
	}
	read := func(a answer, into any) {
		t.Helper()
		require.Equal(t, http.StatusOK, a.Code, a.Body)
		require.NoError(t, json.Unmarshal([]byte(a.Body), into))
	}
	body := `{"statement":"A seat is held for 15 minutes.","kind":"rule","product":"travel","pages":["/seats"]}`
	read(w.ask("POST", at, ann, body), &done)
	require.Equal(t, "active", done.Fact.State)
	require.Equal(t, "ann", done.Fact.By)
	id := done.Fact.ID
	var list struct {
		Facts []struct{ ID, Statement, State string }
		Total int
	}
	read(w.ask("GET", at+"?product=travel&words=seat", ann, ""), &list)
	require.Equal(t, 1, list.Total)
	require.Equal(t, "A seat is held for 15 minutes.", list.Facts[0].Statement)
	again := w.ask("POST", at+"/"+id+"/confirm", ann, "{}")
	require.Equal(t, http.StatusConflict, again.Code, "who stated it adds nothing")
	read(w.ask("POST", at+"/"+id+"/edit", ann, `{"statement":"A seat is held for 20 minutes.","product":"travel"}`), &done)
	require.NotEqual(t, id, done.Fact.ID)
	read(w.ask("POST", at+"/"+done.Fact.ID+"/contradict", bob, `{"why":"25 since 1.3"}`), &done)
	require.Equal(t, "disputed", done.Fact.State)
	read(w.ask("GET", at+"?open=true", ann, ""), &list)
	require.Equal(t, 1, list.Total)
	require.Equal(t, http.StatusNotFound, w.ask("POST", at+"/f_none/confirm", ann, "{}").Code)
}
