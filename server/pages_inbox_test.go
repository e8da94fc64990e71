package server

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/store"
)

// waits records so many runs without a truth, half of the product shop.
func (w *world) waits(tok string, n int) {
	w.t.Helper()
	var body []string
	for i := range n {
		body = append(body, fmt.Sprintf(`{"id":"u%d","run_id":"night-1","prompt":"Check the <i>total</i> of order %d",`+
			`"scope":{"product":"%s"},"judgment":{"verdict":"%s"},"at":"2026-02-0%dT03:00:00Z"}`,
			i, i, []string{"shop", "desk"}[i%2],
			[]string{"pass", "fail"}[i/2%2], 1+i%5))
	}
	a := w.ask("POST", inDefault+"/evaluations", tok, "["+strings.Join(body, ",")+"]")
	require.Equal(w.t, http.StatusAccepted, a.Code, a.Body)
	require.NoError(w.t, w.trees.Get(Default).Wait(w.t.Context()))
}

var shownRows = regexp.MustCompile(`<li class="verdict"`)

// The inbox shows the choice of an address, and preserves it after a decision.
func TestInboxIsChosen(t *testing.T) {
	w := newWorld(t)
	ann := w.token("ann", nil, token.Admin)
	w.waits(ann, 40)
	rows := func(query string) (int, string) {
		page := w.visit("GET", inboxPage+query, ann, "").Body
		return len(shownRows.FindAllString(page, -1)), page
	}
	n, page := rows("")
	require.Equal(t, 15, n)
	require.Contains(t, page, "?from=15")
	n, page = rows("?product=shop&direction=false_fail&since=2026-02-02&until=2026-02-03")
	require.Equal(t, 4, n)
	require.Contains(t, page, "4 of 40 verdicts without a label match.")
	n, _ = rows("?words=order+17")
	require.Equal(t, 1, n)
	n, page = rows("?product=no&words=" + url.QueryEscape("<script>x</script>"))
	require.Zero(t, n)
	require.NotContains(t, page, "<script>x")
	for _, garbage := range []string{"?since=soon", "?above=7", "?direction=up", "?words=" + strings.Repeat("x", 3000)} {
		a := w.visit("GET", inboxPage+garbage, ann, "")
		require.Equal(t, http.StatusUnprocessableEntity, a.Code, garbage)
	}
	a := w.visit("POST", inboxPage+"?product=shop&said=u9", ann, "evaluation=u4&truth=right")
	require.Equal(t, inboxPage+"?product=shop&said=u4", a.Header.Get("Location"))
	a = w.visit("POST", inboxPage+"?product=shop", ann, "evaluation=u6&truth=skip")
	require.Equal(t, inboxPage+"?product=shop&skipped=u6", a.Header.Get("Location"))
	_, page = rows("?product=shop&from=15")
	require.Contains(t, page, "skipped before")
	require.Equal(t, http.StatusSeeOther, w.visit("POST", inboxPage, ann, "evaluation=u6&truth=unskip").Code)
	_, page = rows("?product=shop&from=15")
	require.NotContains(t, page, "skipped before")
	long := url.QueryEscape(strings.Repeat("x", 8001))
	a = w.visit("POST", inboxPage, ann, "evaluation=u8&truth=right&reason="+long)
	require.Equal(t, http.StatusUnprocessableEntity, a.Code)
}

// A person who comes second to a verdict sees who decided, and nothing is overwritten before they confirm.
func TestTwoAtOneVerdict(t *testing.T) {
	w := newWorld(t)
	ann, bob := w.token("ann", nil, token.Admin), w.token("bob", nil, token.Admin)
	w.waits(ann, 2)
	require.Equal(t, http.StatusSeeOther, w.visit("POST", inboxPage, ann, "evaluation=u0&truth=right").Code)
	a := w.visit("POST", inboxPage, bob, "evaluation=u0&truth=false_pass&reason=%3Cb%3Eit+was+off")
	require.Equal(t, http.StatusConflict, a.Code)
	require.Contains(t, a.Body, "ann decided meanwhile: right.")
	require.Contains(t, a.Body, "&lt;b&gt;it was off")
	c := w.trees.Get(Default).Curation()
	v, err := c.Evaluation(t.Context(), "u0")
	require.NoError(t, err)
	require.True(t, v.Correct)
	a = w.visit("POST", inboxPage, bob, "evaluation=u0&truth=false_pass&over=1")
	require.Equal(t, http.StatusSeeOther, a.Code, a.Body)
	v, err = c.Evaluation(t.Context(), "u0")
	require.NoError(t, err)
	require.Equal(t, "bob", v.By)
	require.False(t, v.Correct)
}

// Many are labelled after the number was confirmed, and taken back by one button.
func TestLabelManyOnAPage(t *testing.T) {
	w := newWorld(t)
	ann := w.token("ann", nil, token.Admin)
	w.waits(ann, 40)
	const many = inboxPage + "/many"
	sure := func(page string) string {
		return regexp.MustCompile(`name="sure" value="([0-9a-f]+)"`).FindStringSubmatch(page)[1]
	}
	a := w.visit("POST", many, ann, "which=all&truth=right&product=shop")
	require.Equal(t, http.StatusOK, a.Code)
	require.Contains(t, a.Body, "Label 20 verdicts as right?")
	require.Contains(t, a.Body, "The agent judged: 10 pass, 10 fail.")
	require.Equal(t, http.StatusSeeOther, w.visit("POST", inboxPage, ann, "evaluation=u0&truth=right").Code)
	again := w.visit("POST", many, ann, "which=all&truth=right&product=shop&sure="+sure(a.Body))
	require.Equal(t, http.StatusOK, again.Code)
	require.Contains(t, again.Body, "What matches changed meanwhile")
	require.Contains(t, again.Body, "Label 19 verdicts as right?")
	a = w.visit("POST", many, ann, "which=all&truth=right&product=shop&sure="+sure(again.Body))
	require.Equal(t, http.StatusSeeOther, a.Code)
	to := a.Header.Get("Location")
	require.Contains(t, to, "product=shop")
	page := w.visit("GET", to, ann, "").Body
	require.Contains(t, page, "Noted: 19 verdicts were right.")
	require.Contains(t, page, "0 of 20 verdicts without a label match.")
	u, err := url.Parse(to)
	require.NoError(t, err)
	require.Equal(t, http.StatusSeeOther, w.visit("POST", inboxPage, ann,
		"truth=undo&evaluation="+u.Query().Get("many")).Code)
	require.Contains(t, w.visit("GET", inboxPage+"?product=shop", ann, "").Body,
		"19 of 39 verdicts without a label match.")

	a = w.visit("POST", many, ann, "which=chosen&truth=wrong&evaluation=u1&evaluation=u3&evaluation=nobody&reason=off")
	require.Contains(t, a.Body, "Label 2 verdicts as wrong?")
	a = w.visit("POST", many, ann, "which=chosen&truth=wrong&evaluation=u1&evaluation=u3&reason=off&sure="+sure(a.Body))
	require.Equal(t, http.StatusSeeOther, a.Code)
	v, err := w.trees.Get(Default).Curation().Evaluation(t.Context(), "u3")
	require.NoError(t, err)
	require.NotEmpty(t, v.Node)
	a = w.visit("POST", many, ann, "which=chosen&truth=right")
	require.Equal(t, http.StatusUnprocessableEntity, a.Code)
	require.Contains(t, a.Body, "choose some, or all that match")
}

// Before a decision of another person, or a label of several, is taken back or overridden, the page shows it.
func TestTakeBackAsks(t *testing.T) {
	w := newWorld(t)
	ann, bob := w.token("ann", nil, token.Admin), w.token("bob", nil, token.Admin)
	w.waits(ann, 40)
	const history = "/trees/default/history"
	c := w.trees.Get(Default).Curation()
	no := false
	d, err := c.Label(t.Context(), []string{"u0", "u1", "u2"}, curation.Truth{Correct: &no}, curation.Options{By: "ann"})
	require.NoError(t, err)
	page := w.visit("GET", history, ann, "").Body
	require.Contains(t, page, "3 verdicts labelled: 2 × wrong (defect missed), 1 × wrong (false alarm)")
	require.Contains(t, page, `name="of" value="`+d.Action.ID+`"`)
	memory := "/trees/default/memories/" + d.Verdicts[0].Node
	page = w.visit("GET", memory, ann, "").Body
	form := formOf(page[strings.Index(page, `action="`+history):])
	a := w.visit("POST", history, ann, form.Encode())
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	require.Contains(t, a.Body, "Yes, take all 3 back")
	a = w.visit("POST", history, bob, "of="+d.Action.ID)
	require.Contains(t, a.Body, "ann decided this on ")
	v, err := c.Evaluation(t.Context(), "u0")
	require.NoError(t, err)
	require.True(t, v.Labelled, "asking changes nothing")

	require.Equal(t, http.StatusSeeOther, w.visit("POST", memory, ann, "word=pin").Code)
	a = w.visit("POST", memory, bob, "word=ban&why=no&sure=1")
	require.Equal(t, http.StatusConflict, a.Code)
	require.Contains(t, a.Body, "ann decided this on ")
	require.Contains(t, a.Body, "Pinned")
	a = w.visit("POST", memory, bob, formOf(a.Body[strings.Index(a.Body, "<form method=\"post\""):]).Encode())
	require.Equal(t, http.StatusSeeOther, a.Code)
	require.Contains(t, w.visit("GET", memory, bob, "").Body, "“no”")

	a = w.visit("POST", history, bob, "sure=1&of="+d.Action.ID)
	require.Equal(t, http.StatusConflict, a.Code, "the ban comes first")
	require.Equal(t, http.StatusUnprocessableEntity, w.visit("POST", history, bob, "of=").Code)
	body := `{"evaluation":"u0","correct":true}`
	a = w.ask("POST", inDefault+"/relabel", bob, body)
	require.Equal(t, http.StatusConflict, a.Code, a.Body)
	require.Contains(t, a.Body, "ann decided otherwise")
}

// The page gives the same answer as an agent gets to the same query, product, test and observation included.
func TestAskAsAnAgent(t *testing.T) {
	w := newWorld(t)
	ann := w.token("ann", nil, token.Admin)
	w.learn()
	m := w.trees.Get(Default)
	told := 0
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{Level: 1}) {
		require.NoError(t, err)
		if told > 5 {
			break
		}
		q := memtree.Query{Prompt: n.CaseData.TestCase.Prompt, Scene: n.Scene, Scope: n.Scope,
			Observation: "- button \"Save\" [disabled]"}
		q.Scene.Type, q.Scope.SuiteTests, q.Scope.Position = "", nil, 0
		for _, product := range []string{q.Scope.Product, "another"} {
			q.Scope.Product = product
			g, err := m.Guide(t.Context(), q)
			require.NoError(t, err)
			form := url.Values{"prompt": {q.Prompt}, "scene": {q.Scene.ID}, "route": {q.Scene.Route}, "product": {product},
				"suite": {q.Scope.Suite}, "test": {q.Scope.Test}, "build": {q.Scope.Build}, "observation": {q.Observation}}
			page := w.visit("POST", "/trees/default/ask", ann, form.Encode()).Body
			if g.Text == "" {
				require.Contains(t, page, "It gets no guidance")
				continue
			}
			told++
			require.Contains(t, html.UnescapeString(page), g.Text)
		}
	}
	require.Positive(t, told)
}

// What waits is listed and labelled over HTTP by the same names.
func TestInboxOverHTTP(t *testing.T) {
	w := newWorld(t)
	ann := w.token("ann", nil, token.Admin)
	w.waits(ann, 20)
	a := w.ask("GET", inDefault+"/inbox?product=shop&direction=false_fail&limit=2", ann, "")
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	require.Contains(t, a.Body, `"total":5`)
	require.Equal(t, http.StatusUnprocessableEntity, w.ask("GET", inDefault+"/inbox?since=soon", ann, "").Code)
	for range 2 {
		a = w.ask("POST", inDefault+"/inbox", ann, `{"evaluations":["u0","u1"],"correct":false,"reason":"It was off."}`)
		require.Equal(t, http.StatusOK, a.Code, a.Body)
	}
	require.Contains(t, a.Body, `"decided":[{"evaluation":"u0"`)
	p := w.ask("POST", inDefault+"/inbox", ann, `{"evaluations":["nope"],"correct":true}`).problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	require.Equal(t, "body.evaluations[0]", p.Errors[0].Location)
	a = w.ask("GET", inDefault+"/nodes?words=order+OFF", ann, "")
	require.Contains(t, a.Body, "It was off.")
	require.NotContains(t, w.ask("GET", inDefault+"/nodes?product=none", ann, "").Body, "It was off.")
}

// TestOddAddresses: an address that is not UTF-8, or has a NUL, is refused in the language of the visitor, and the page
// of many verdicts has an address.
func TestOddAddresses(t *testing.T) {
	w := newWorld(t)
	admin := w.token("ann", nil, token.Admin)
	for _, x := range []struct{ path, en, zh string }{
		{inboxPage + "?words=%ff", "The address: is not valid UTF-8.", "地址：不是有效的 UTF-8。"},
		{inboxPage + "?%ff=x", "The address: is not valid UTF-8.", "地址：不是有效的 UTF-8。"},
		{"/trees/default/ask?prompt=%ff", "The address: is not valid UTF-8.", "地址：不是有效的 UTF-8。"},
		{"/trees/default/ask?prompt=%00", "has a NUL character in it; remove it", "含有 NUL 字符；请删去"},
	} {
		for lang, says := range map[string]string{"en": x.en, "zh": x.zh} {
			a := w.visit("GET", x.path, admin, "", "Accept-Language", lang)
			require.Equal(t, http.StatusUnprocessableEntity, a.Code, x.path)
			require.Contains(t, a.Body, says)
			require.True(t, utf8.ValidString(a.Body))
		}
	}
	a := w.visit("GET", inboxPage+"/many?product=shop", admin, "")
	require.Equal(t, http.StatusSeeOther, a.Code)
	require.Equal(t, inboxPage+"?product=shop", a.Header.Get("Location"))
}
