package server

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/pages"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/tree"
)

// The pages are served beside the API behind the same guard. A browser sends its token as a cookie, which is accepted
// for pages only: so no page of another site can make a browser call the API.
const (
	tokenCookie = "memtree_token"
	langCookie  = "memtree_lang"
)

// pagePolicy allows a page our own style and scripts, and nothing else.
const pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxForm bounds the size of a form, in bytes.
const maxForm = 512 << 10

// pages serves all pages.
func (s *Server) pages() {
	site, err := pages.New()
	if err != nil {
		panic(err) // a programming error, found by every test
	}
	s.site = site
	for _, p := range pages.Routes() {
		r := &route{id: "page-" + p.ID, method: p.Method, path: p.Path, scope: token.Read, changes: p.Changes}
		if p.Admin {
			r.scope = token.Admin
		}
		if p.Method == http.MethodPost {
			r.body = maxForm
		}
		s.mux.HandleFunc(p.Method+" "+p.Path, s.guard.page(site, r, func(w http.ResponseWriter, q *http.Request) {
			s.show(site, &p, w, q)
		}))
	}
	open := func(pattern string, do http.HandlerFunc) {
		r := &route{id: "page-" + strings.TrimPrefix(pattern[strings.IndexByte(pattern, '/'):], "/"), body: maxForm}
		s.mux.HandleFunc(pattern, s.guard.page(site, r, do))
	}
	open("GET /{$}", s.first(site))
	open("GET /static/{file}", pages.Static)
	open("GET /login", func(w http.ResponseWriter, q *http.Request) {
		s.fail(w, q, site.Login(w, langOf(q), inside(q.FormValue("next")), nil))
	})
	open("POST /login", s.login(site))
	open("GET /logout", func(w http.ResponseWriter, q *http.Request) {
		http.SetCookie(w, cookie(q, tokenCookie, "", -1))
		http.Redirect(w, q, "/login", http.StatusSeeOther)
	})
	open("GET /language", func(w http.ResponseWriter, q *http.Request) {
		if lang := q.FormValue("lang"); lang == "zh" || lang == "en" {
			http.SetCookie(w, cookie(q, langCookie, lang, 365*24*3600))
		}
		http.Redirect(w, q, inside(q.FormValue("next")), http.StatusSeeOther)
	})
}

// page wraps every page: the guard of the API, with problems shown as pages, and a token from the cookie.
func (g *guard) page(site *pages.Site, r *route, do http.HandlerFunc) http.HandlerFunc {
	inner := g.inner(r, do)
	return func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Security-Policy", pagePolicy)
		w.Header().Set("Referrer-Policy", "same-origin")
		if q.Method == http.MethodPost && !ours(q) {
			g.s.fail(w, q, site.Problem(w, langOf(q), &pages.Trouble{Status: http.StatusForbidden, Kind: "foreign"}))
			return
		}
		q.Header.Del("Authorization") // a page accepts only the cookie, no other credentials
		if c, err := q.Cookie(tokenCookie); err == nil {
			q.Header.Set("Authorization", "Bearer "+c.Value)
		}
		inner(&pageWriter{ResponseWriter: w, site: site, q: q}, q)
	}
}

// ours reports whether a form was sent from one of our own pages. Another port of the same machine is another site,
// though browsers send it our cookies.
func ours(q *http.Request) bool {
	if at := q.Header.Get("Sec-Fetch-Site"); at != "" && at != "same-origin" && at != "none" {
		return false
	}
	origin := q.Header.Get("Origin")
	if origin == "" {
		return true // not a browser, or one that would have sent Sec-Fetch-Site
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == q.Host
}

// pageWriter shows problems of the guard as pages, see writeProblem.
type pageWriter struct {
	http.ResponseWriter
	site *pages.Site
	q    *http.Request
}

// problem shows a problem as a page instead of JSON.
func (s *pageWriter) problem(w http.ResponseWriter, p *problem) error {
	if p.Status == http.StatusUnauthorized && s.q.Method == http.MethodGet {
		http.Redirect(w, s.q, "/login?next="+url.QueryEscape(s.q.URL.RequestURI()), http.StatusSeeOther)
		return nil
	}
	maps.Copy(w.Header(), p.GetHeaders())
	t := troubleOf(p)
	if from, err := url.Parse(s.q.Referer()); err == nil && from.Host == s.q.Host && s.q.Host != "" {
		t.Back = from.RequestURI()
	}
	return s.site.Problem(w, langOf(s.q), t)
}

// troubleOf converts a problem for the pages.
func troubleOf(p *problem) *pages.Trouble {
	return &pages.Trouble{
		Status: p.Status, Kind: strings.TrimPrefix(p.Type, "urn:memtree:"), Detail: p.Detail, Cause: p.cause,
	}
}

// validValues reports whether all values are UTF-8: a page repeats them.
func validValues(values url.Values) bool {
	for name, list := range values {
		if !utf8.ValidString(name) || slices.ContainsFunc(list, func(s string) bool { return !utf8.ValidString(s) }) {
			return false
		}
	}
	return true
}

// show serves a page to its visitor.
func (s *Server) show(site *pages.Site, p *pages.Route, w http.ResponseWriter, q *http.Request) {
	c := callerOf(q.Context())
	v := pages.Visitor{
		Memory: c.tree.Memory, Tree: c.tree.name, Admin: c.may(token.Admin) && !c.tree.readOnly, Lang: langOf(q),
		Night: s.night(q.Context(), c.tree.name), Jobs: c.tree.jobs,
	}
	if c.token != nil {
		v.Who = c.token.Name
	}
	for _, name := range s.trees.names {
		if c.sees(name) {
			v.Trees = append(v.Trees, name)
		}
	}
	err := func() error {
		if !validValues(q.URL.Query()) {
			return &tree.FieldError{Field: "address", Problem: "is not valid UTF-8"}
		}
		if p.Changes {
			if err := c.tree.writable(); err != nil {
				return err
			}
			if err := q.ParseForm(); err != nil {
				return input(badPart{"body", "is no form"})
			}
		}
		return p.Do(site, w, q, &v)
	}()
	if err == nil {
		return
	}
	problem := problemOf(err)
	if problem == nil {
		s.opts.Logger.ErrorContext(q.Context(), "a page failed", "page", p.ID, "error", err.Error())
		problem = internal()
	}
	problem.cause = err
	writeProblem(w, problem)
}

// first redirects to the overview of the first tree that the visitor may see.
func (s *Server) first(site *pages.Site) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		c, p := s.guard.who(q)
		if p != nil {
			http.Redirect(w, q, "/login", http.StatusSeeOther)
			return
		}
		for _, name := range s.trees.names {
			if c.sees(name) {
				http.Redirect(w, q, "/trees/"+name+"/overview", http.StatusSeeOther)
				return
			}
		}
		s.fail(w, q, site.Problem(w, langOf(q), &pages.Trouble{Status: http.StatusNotFound, Kind: "no-tree"}))
	}
}

// login stores a valid token as a cookie, which no script can read.
func (s *Server) login(site *pages.Site) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		q.Body = http.MaxBytesReader(w, q.Body, maxForm)
		secret, next := strings.TrimSpace(q.PostFormValue("token")), inside(q.PostFormValue("next"))
		q.Header.Set("Authorization", "Bearer "+secret)
		if _, p := s.guard.who(q); p != nil {
			s.fail(w, q, site.Login(w, langOf(q), next, troubleOf(p)))
			return
		}
		http.SetCookie(w, cookie(q, tokenCookie, secret, 30*24*3600))
		http.Redirect(w, q, next, http.StatusSeeOther)
	}
}

// cookie returns a cookie that is sent only to this service.
func cookie(q *http.Request, name, value string, age int) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: q.TLS != nil || q.Header.Get("X-Forwarded-Proto") == "https",
	}
}

// inside returns next if it is a path of this service, else "/", so that no link redirects to another site.
func inside(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.Contains(next, "\\") {
		return "/"
	}
	return next
}

// langOf returns the language of a visitor: the chosen one, else that of the browser.
func langOf(q *http.Request) string {
	if c, err := q.Cookie(langCookie); err == nil && (c.Value == "zh" || c.Value == "en") {
		return c.Value
	}
	for part := range strings.SplitSeq(q.Header.Get("Accept-Language"), ",") {
		switch tag := strings.ToLower(strings.TrimSpace(part)); {
		case strings.HasPrefix(tag, "zh"):
			return "zh"
		case strings.HasPrefix(tag, "en"):
			return "en"
		}
	}
	return "en"
}

// fail logs that a page could not be made.
func (s *Server) fail(_ http.ResponseWriter, q *http.Request, err error) {
	if err != nil && !errors.Is(err, http.ErrHandlerTimeout) {
		s.opts.Logger.ErrorContext(q.Context(), "a page could not be made", "path", q.URL.Path, "error", err.Error())
	}
}
