package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/store"
)

// guard decides which requests reach a handler, and how much at one time.
type guard struct {
	s       *Server
	hosts   []string
	flying  chan struct{}       // a slot for each request in progress
	streams chan struct{}       // and for each stream
	bodies  *semaphore.Weighted // bytes of bodies in memory
	rates   *rates
}

// heldBodies is the maximum number of bytes of bodies in memory; streams are not included.
const heldBodies = 64 << 20

// mostStreams is the maximum number of concurrent streams.
const mostStreams = 32

// thisMachine are the names by which each service is known.
var thisMachine = []string{"localhost", "127.0.0.1", "::1"}

func newGuard(s *Server) *guard {
	g := &guard{
		s: s, hosts: slices.Clone(thisMachine), flying: make(chan struct{}, s.opts.InFlight),
		streams: make(chan struct{}, mostStreams), bodies: semaphore.NewWeighted(heldBodies), rates: newRates(s.opts.Rate),
	}
	for _, h := range s.opts.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(h))
	}
	return g
}

// outer wraps the router: it checks what must hold for every request.
func (g *guard) outer(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if p := g.foreign(r); p != nil {
			writeProblem(w, p)
			return
		}
		if _, pattern := mux.Handler(r); pattern == "" {
			p := g.noRoute(mux, r, h)
			if site := g.s.site; site != nil && strings.Contains(r.Header.Get("Accept"), "text/html") {
				h.Set("Content-Security-Policy", pagePolicy)
				w = &pageWriter{ResponseWriter: w, site: site, q: r}
			}
			writeProblem(w, p)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// foreign returns why a request is not for this service, or comes from a page of another one.
func (g *guard) foreign(r *http.Request) *problem {
	probe := r.URL.Path == "/healthz" || r.URL.Path == "/readyz" // they disclose nothing, and probes call by address
	if !probe && !g.knows(r.Host) {
		return newProblem(http.StatusMisdirectedRequest, typeHost,
			"This service is not known by the name in Host; start it with --host NAME to allow it.")
	}
	changes := r.Method != http.MethodGet && r.Method != http.MethodHead
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if origin == "" {
		if changes && (site == "cross-site" || site == "same-site") {
			return foreignPage()
		}
		return nil
	}
	u, err := url.Parse(origin)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || !g.knows(u.Host):
		return foreignPage()
	case changes && u.Host != r.Host && !g.named(u.Host): // another port of this machine, such as the product under test
		return foreignPage()
	}
	return nil
}

func foreignPage() *problem {
	return newProblem(http.StatusForbidden, typeOrigin,
		"A page of another site may not ask this service; start it with --host NAME to allow that site.")
}

// knows reports whether a host, with or without a port, is this service.
func (g *guard) knows(host string) bool { return slices.Contains(g.hosts, hostName(host)) }

// named reports whether a host was allowed by its name, with Options.Hosts.
func (g *guard) named(host string) bool {
	return slices.Contains(g.hosts[len(thisMachine):], hostName(host))
}

// hostName returns a host without its port, in lower case.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// noRoute returns the answer for an unknown route.
func (g *guard) noRoute(mux *http.ServeMux, r *http.Request, h http.Header) *problem {
	said := &silent{header: http.Header{}}
	mux.ServeHTTP(said, r)
	if said.status == http.StatusMethodNotAllowed {
		h.Set("Allow", said.header.Get("Allow"))
		return newProblem(http.StatusMethodNotAllowed, typeMethod, "This route takes "+said.header.Get("Allow")+".")
	}
	return newProblem(http.StatusNotFound, typeNotFound, "There is no such route; GET /openapi.json lists them.")
}

// silent records the status and headers of an answer, and drops its text.
type silent struct {
	header http.Header
	status int
}

func (s *silent) Header() http.Header         { return s.header }
func (s *silent) WriteHeader(status int)      { s.status = status }
func (s *silent) Write(b []byte) (int, error) { return len(b), nil }

// inner wraps the handler of a route.
func (g *guard) inner(r *route, do http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		out := &statusRecorder{ResponseWriter: w}
		began := g.s.opts.Now()
		var c *caller
		q, span := g.s.traced(q, r)
		defer func() { span.answered(r, c, out.status) }()
		defer func() {
			if broke := recover(); broke != nil {
				g.broke(out, q, r, broke)
			}
			g.s.account(q, r, c, out, began)
		}()
		if r.scope == "" {
			do(out, q)
			return
		}
		c, p := g.admit(q, r)
		if p != nil {
			writeProblem(out, p)
			return
		}
		leave, p := g.enter(out, q, r)
		if p != nil {
			writeProblem(out, p)
			return
		}
		defer leave()
		if c.tree != nil {
			setAsOf(out.Header(), c.tree)
		}
		do(out, q.WithContext(context.WithValue(q.Context(), callerKey{}, c)))
	}
}

// admit returns the caller, or why it is refused.
func (g *guard) admit(q *http.Request, r *route) (*caller, *problem) {
	if g.s.closing() {
		return nil, closing()
	}
	c, p := g.who(q)
	if p != nil {
		return nil, p
	}
	if name := q.PathValue("tree"); name != "" {
		if c.tree = g.s.trees.get(name); c.tree == nil || !c.sees(name) {
			return c, noTree()
		}
	}
	if !c.may(r.scope) {
		return c, lacksScope(r.scope)
	}
	if c.tree != nil {
		if f := c.tree.Health().Following; f != nil && errors.Is(f.Away, store.ErrDeleted) {
			return c, problemOf(f.Away)
		}
	}
	if wait := g.rates.take(c, g.s.opts.Now()); wait > 0 {
		return c, newProblem(http.StatusTooManyRequests, typeRate,
			"This token asks too often; wait as long as Retry-After says.").after(wait)
	}
	return c, nil
}

// noTree returns the answer for a tree that does not exist, and for one that the token may not see.
func noTree() *problem {
	return newProblem(http.StatusNotFound, typeNotFound,
		"There is no such tree, or this token may not see it; GET /v1/trees lists those it may.")
}

// who identifies the caller.
func (g *guard) who(q *http.Request) (*caller, *problem) {
	if g.s.opts.Open {
		return &caller{}, nil
	}
	if g.s.opts.Tokens == nil {
		return nil, noToken("No token is known here.")
	}
	scheme, secret, _ := strings.Cut(q.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		secret = ""
	}
	t, err := g.s.opts.Tokens.Find(strings.TrimSpace(secret), g.s.opts.Now())
	switch {
	case err == nil:
		return &caller{token: t}, nil
	case errors.Is(err, token.ErrNone):
		return nil, noToken("Send a token: Authorization: Bearer mt_…; memtree token add makes one.")
	case errors.Is(err, token.ErrExpired):
		return nil, noToken("This token has expired; memtree token add makes another.")
	case errors.Is(err, token.ErrWrong):
		return nil, noToken("This token is not known here, or was revoked; memtree token add makes one.")
	}
	g.s.opts.Logger.ErrorContext(q.Context(), "nobody can be let in", "error", err.Error())
	return nil, newProblem(http.StatusServiceUnavailable, typeTokenFile,
		"The tokens of this service cannot be read, so nobody is let in; its log says why.")
}

func noToken(detail string) *problem { return newProblem(http.StatusUnauthorized, typeNoToken, detail) }

// enter acquires a slot among the requests in progress, and memory for the body.
func (g *guard) enter(w http.ResponseWriter, q *http.Request, r *route) (leave func(), p *problem) {
	places := g.flying
	if r.stream {
		places = g.streams
	}
	select {
	case places <- struct{}{}:
	default:
		return nil, busy()
	}
	leave = func() { <-places }
	if q.ContentLength > r.body {
		leave()
		return nil, tooLarge(r.body)
	}
	q.Body = http.MaxBytesReader(w, q.Body, r.body)
	if r.stream || r.body == 0 {
		return leave, nil
	}
	held := q.ContentLength
	if held < 0 {
		held = r.body
	}
	if !g.bodies.TryAcquire(held) {
		leave()
		return nil, busy()
	}
	return func() { g.bodies.Release(held); <-places }, nil
}

func busy() *problem {
	return newProblem(http.StatusServiceUnavailable, typeBusy,
		"The service answers as many requests as it takes at one time; ask again as Retry-After says.").after(1)
}
