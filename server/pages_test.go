package server

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/pages"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/store"
)

// visit requests a page as a browser that is signed in.
func (w *world) visit(method, path, tok, form string, header ...string) answer {
	w.t.Helper()
	if tok != "" {
		header = append(header, "Cookie", tokenCookie+"="+tok)
	}
	if form != "" {
		header = append(header, "Content-Type", "application/x-www-form-urlencoded")
	}
	return w.ask(method, path, "", form, header...)
}

const inboxPage = "/trees/default/inbox"

func TestSignIn(t *testing.T) {
	w := newWorld(t)
	admin := w.token("ann", nil, token.Admin)
	a := w.visit("GET", inboxPage, "", "")
	require.Equal(t, http.StatusSeeOther, a.Code)
	require.Equal(t, "/login?next=%2Ftrees%2Fdefault%2Finbox", a.Header.Get("Location"))
	require.Equal(t, http.StatusUnauthorized, w.visit("POST", inboxPage, "", "truth=right").Code)
	require.Equal(t, "/login", w.visit("GET", "/", "", "").Header.Get("Location"))

	a = w.visit("POST", "/login", "", "next=%2Ftrees%2Fdefault%2Fhealth&token=mt_wrong")
	require.Equal(t, http.StatusUnauthorized, a.Code)
	require.Contains(t, a.Body, "This token is not known here")
	require.Empty(t, a.Header.Get("Set-Cookie"))
	a = w.visit("POST", "/login", "", "next=%2Ftrees%2Fdefault%2Fhealth&token="+admin)
	require.Equal(t, http.StatusSeeOther, a.Code)
	require.Equal(t, "/trees/default/health", a.Header.Get("Location"))
	require.Regexp(t, `HttpOnly; SameSite=Strict$`, a.Header.Get("Set-Cookie"))
	require.Equal(t, "/trees/default/overview", w.visit("GET", "/", admin, "").Header.Get("Location"))
	for _, next := range []string{"https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""} {
		a = w.visit("POST", "/login", "", "next="+url.QueryEscape(next)+"&token="+admin)
		require.Equal(t, "/", a.Header.Get("Location"))
	}
	require.Equal(t, http.StatusUnauthorized, w.ask("GET", inDefault, "", "", "Cookie", tokenCookie+"="+admin).Code,
		"the API takes no cookie")
	require.Equal(t, http.StatusSeeOther, w.ask("GET", inboxPage, admin, "").Code, "and a page no header")
	require.Contains(t, w.visit("GET", "/logout", admin, "").Header.Get("Set-Cookie"), "Max-Age=0")
}

// Every page × every role: only visitors with permission see a tree or change it.
func TestPagesKnowRoles(t *testing.T) {
	w := newWorld(t)
	of := map[string]string{
		"read": w.token("r", nil, token.Read), "write": w.token("w", nil, token.Write),
		"admin": w.token("a", nil, token.Admin), "elsewhere": w.token("e", []string{"other"}, token.Admin), "nobody": "",
	}
	for _, p := range pages.Routes() {
		path := strings.NewReplacer("{tree}", "default", "{id}", "c_none").Replace(p.Path)
		for who, tok := range of {
			form := ""
			if p.Method == "POST" {
				form = "x=1"
			}
			a := w.visit(p.Method, path, tok, form)
			switch {
			case who == "nobody" && p.Method == "GET":
				require.Equal(t, http.StatusSeeOther, a.Code, path)
			case who == "nobody":
				require.Equal(t, http.StatusUnauthorized, a.Code, path)
			case who == "elsewhere":
				require.Equal(t, http.StatusNotFound, a.Code, path)
			case p.Admin && who != "admin":
				require.Equal(t, http.StatusForbidden, a.Code, "%s %s", who, path)
			case p.ID == "chosen": // nothing is chosen: the way back to the inbox
				require.Equal(t, http.StatusSeeOther, a.Code, "%s %s", who, path)
			case slices.Contains([]string{"memory", "fact", "oneRun", "edit", "rewrite", "picture"}, p.ID):
				require.Equal(t, http.StatusNotFound, a.Code, "%s %s", who, path)
			case p.Admin && p.Method == "POST", p.ID == "draft":
				require.Equal(t, http.StatusUnprocessableEntity, a.Code, "%s %s", who, path)
			default:
				require.Equal(t, http.StatusOK, a.Code, "%s %s: %s", who, path, a.Body)
			}
			require.Contains(t, a.Header.Get("Content-Security-Policy"), "default-src 'none'")
			require.NotContains(t, a.Header.Get("Content-Security-Policy"), "unsafe")
		}
	}
}

// A verdict is labelled, shown as what became of it, and taken back; a page of another port may do nothing.
func TestLabelOnAPage(t *testing.T) {
	w := newWorld(t)
	admin := w.token("ann", nil, token.Admin)
	require.Equal(t, http.StatusAccepted, w.ask("POST", inDefault+"/evaluations", admin, `[{"id":"u1","case_id":"t1",`+
		`"prompt":"Check the order total","judgment":{"verdict":"pass","reason":"It shows 12.50."}}]`).Code)
	require.NoError(t, w.trees.Get(Default).Wait(t.Context()))
	a := w.visit("GET", inboxPage, admin, "")
	require.Contains(t, a.Body, "The agent: it passes.")
	require.Contains(t, a.Body, "It shows 12.50.")
	require.Contains(t, a.Body, `value="false_pass"`)
	require.NotContains(t, a.Body, `name="truth" value="false_fail"`, "who said pass gave no false alarm")
	require.NotContains(t, w.visit("GET", inboxPage, w.token("r", nil, token.Read), "").Body, "<button name=\"truth\"")

	form := "evaluation=u1&truth=false_pass&reason=The+prices+were+not+added+up"
	for _, foreign := range [][]string{
		{"Origin", "http://localhost:3000"}, {"Origin", "null"}, {"Sec-Fetch-Site", "same-site"},
		{"Sec-Fetch-Site", "cross-site"},
	} {
		require.Equal(t, http.StatusForbidden, w.visit("POST", inboxPage, admin, form, foreign...).Code, foreign)
	}
	a = w.visit("POST", inboxPage, admin, form, "Origin", "http://localhost", "Sec-Fetch-Site", "same-origin")
	require.Equal(t, http.StatusSeeOther, a.Code)
	require.Equal(t, inboxPage+"?said=u1", a.Header.Get("Location"))
	a = w.visit("GET", inboxPage+"?said=u1", admin, "")
	require.Contains(t, a.Body, "Noted: the verdict was wrong, defect missed")
	id := regexp.MustCompile(`/memories/(c_[a-z0-9]+)`).FindStringSubmatch(a.Body)
	require.Len(t, id, 2)
	require.Contains(t, w.visit("GET", "/trees/default/memories/"+id[1], admin, "").Body, "The prices were not added up")
	require.Equal(t, http.StatusSeeOther, w.visit("POST", inboxPage, admin, "evaluation=u1&truth=undo").Code)
	require.Contains(t, w.visit("GET", inboxPage, admin, "").Body, `value="u1"`)
	zh := w.visit("GET", inboxPage, admin, "", "Accept-Language", "zh-CN,zh;q=0.9,en;q=0.8").Body
	require.Contains(t, zh, `<html lang="zh">`)
	require.Contains(t, zh, "收件箱")
}

// What is in a memory is text on a page, whatever it looks like: no tag, attribute or address comes of it.
func TestPagesEscape(t *testing.T) {
	texts := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`,
		`</textarea><svg onload=alert(1)>`,
		`' autofocus onfocus=alert(1) x='`, "{{.}}", `<!--`, `&lt;script&gt;`, "\u2028</script>",
	}
	texts = append(texts, corpus(t, "xss_dompurify.jsonl")...)
	texts = append(texts, corpus(t, "xss_prompt_csv_patt.jsonl")...)
	pages, asked := 150, 80
	if testing.Short() {
		texts, pages, asked = texts[:min(60, len(texts))], 15, 8
	}
	w := newWorld(t)
	admin := w.token("ann", nil, token.Admin)
	var es []map[string]any
	for i, s := range texts {
		begin := s[:min(len(s), 200)]
		e := map[string]any{
			"id": fmt.Sprint(i, begin), "case_id": begin, "prompt": "Check " + s, "reason": s,
			"judgment": map[string]string{"verdict": "pass", "reason": s}, "scene": map[string]string{"route": "/" + begin},
		}
		if i%2 == 0 {
			e["ground_truth"] = "fail"
		}
		es = append(es, e)
	}
	for from := 0; from < len(es); from += 500 {
		b, err := json.Marshal(es[from:min(from+500, len(es))])
		require.NoError(t, err)
		a := w.ask("POST", inDefault+"/evaluations", admin, string(b))
		require.Equal(t, http.StatusAccepted, a.Code, a.Body)
	}
	m := w.trees.Get(Default)
	require.NoError(t, m.Wait(t.Context()))
	paths := []string{inboxPage, "/trees/default/memories?level=case", "/trees/default/review", "/trees/default/health"}
	n := 0
	for node, err := range m.Tree().Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		if n++; n <= pages {
			paths = append(paths, "/trees/default/memories/"+node.ID)
		}
	}
	for _, s := range texts[:min(len(texts), asked)] {
		q := url.QueryEscape(s)
		paths = append(paths, "/trees/default/ask?prompt="+q+"&route="+q, inboxPage+"?said="+q, "/login?next="+q,
			"/trees/default/memories?level="+q+"&type="+q+"&after="+q)
	}
	for _, path := range paths {
		for _, lang := range []string{"en", "zh"} {
			a := w.visit("GET", path, admin, "", "Accept-Language", lang)
			require.Less(t, len(a.Body), 200<<10, path)
			requirePlain(t, path, a.Body)
		}
	}
	t.Logf("%d texts, %d pages in two languages", len(texts), len(paths))
}

// ourTags are the elements that our templates have.
var ourTags = strings.Fields("html head meta title link script body a header strong nav form span input button main " +
	"h1 h2 p section div ol ul li meter blockquote label select option dl dt dd pre textarea table caption thead tbody " +
	"tr th td br svg desc line polyline polygon rect text details summary fieldset legend")

// requirePlain holds a page to the elements, scripts and addresses of our templates.
func requirePlain(t *testing.T, path, page string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		tok := z.Token()
		require.Contains(t, ourTags, tok.Data, "%s has a <%s>", path, tok.Data)
		for _, a := range tok.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on"), "%s: <%s %s=%q>", path, tok.Data, a.Key, a.Val)
			if a.Key == "href" || a.Key == "src" || a.Key == "action" {
				require.Regexp(t, `^[/?#]`, a.Val, path)
				require.False(t, strings.HasPrefix(a.Val, "//"), "%s: %s", path, a.Val)
			}
			if tok.Data == "script" && a.Key == "src" {
				require.Regexp(t, `^/static/[a-z.]+\.js$`, a.Val)
			}
		}
	}
}

// corpus reads texts of the shared data, none where it is not here.
func corpus(t *testing.T, name string) (out []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(cmp.Or(os.Getenv("MEMTREE_SHARED"), "../../shared"), "data", "security", name))
	if err != nil {
		t.Logf("%s is not here: %v", name, err)
		return nil
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var x struct{ Text, Payload string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &x))
		if s := cmp.Or(x.Text, x.Payload); s != "" && len(s) < 2000 {
			out = append(out, s)
		}
	}
	return out
}

// Problems are shown in the language of the visitor, also for addresses that do not exist.
func TestProblemsInChinese(t *testing.T) {
	w := newWorld(t)
	ann, eve := w.token("ann", nil, token.Admin), w.token("eve", nil, token.Read)
	zh := []string{"Cookie", "memtree_lang=zh; memtree_token=" + ann, "Accept", "text/html"}
	for address, want := range map[string]string{
		"/trees/default/memories/c_nothing":   "没有这样的页面",
		"/trees/default/nothing":              "没有这样的页面",
		"/trees/nothing/inbox":                "没有这样的页面",
		"/trees/default/inbox?since=soon":     "开始日期：&#34;soon&#34; 不能用",
		"/trees/default/memories/c_x/nothing": "没有这样的页面",
		"/trees/default/review/j_nothing":     "可能已有人作了决定",
	} {
		a := w.ask("GET", address, "", "", zh...)
		require.Contains(t, a.Body, want, address)
		require.Contains(t, a.Body, "回到概览", address)
	}
	zh[1] = "memtree_lang=zh; memtree_token=" + eve
	zh = append(zh, "Content-Type", "application/x-www-form-urlencoded")
	a := w.ask("POST", "/trees/default/inbox", "", "truth=right", zh...)
	require.Contains(t, a.Body, "需要权限为 admin 的令牌", a.Body)
	a = w.ask("GET", "/v1/nothing", ann, "")
	require.Contains(t, a.Body, `"urn:memtree:not-found"`, "programs get problems")
}

// TestJobsPage lists jobs in both languages: how far each is, who wanted it and who runs it, and why it failed.
func TestJobsPage(t *testing.T) {
	w := newWorld(t)
	tok := w.token("ann", nil, token.Admin)
	page := func(lang string) string {
		return w.visit("GET", "/trees/default/jobs", tok, "", "Accept-Language", lang).Body
	}
	require.Contains(t, page("en"), "There was no job yet")
	begun, release := w.held()
	defer release()
	require.Equal(t, http.StatusAccepted, w.ask("POST", inDefault+"/evolve", tok, "{}").Code)
	(<-begun)(jobs.Progress{Done: 2, Of: 5})
	shown := []string{"Learn from cases", "under way, 2 of 5", "by ann", "on " + jobs.Process(), "attempts: 1"}
	for _, says := range shown {
		require.Contains(t, page("en"), says)
	}
	require.Contains(t, page("zh"), "进行中，2 / 5")
	release()
	w.ended("j1")
	require.Contains(t, page("en"), `<span class="good">done</span>`)
	q := jobs.Here(func() time.Time { return w.now })
	q.Work(func(context.Context, *jobs.Job, func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		return jobs.AttemptResult{Problem: json.RawMessage(`{"type":"urn:memtree:database-away","detail":"x"}`)},
			jobs.JobSpent{Calls: 7, Cost: .25}
	})
	w.trees.byName[Default].jobs = q
	require.Equal(t, http.StatusAccepted, w.ask("POST", inDefault+"/evolve", tok, "{}").Code)
	w.ended("j1")
	require.Contains(t, page("en"), "The database cannot be reached")
	require.Contains(t, page("en"), "calls of the model: 7 · cost: 0.2500")
}
