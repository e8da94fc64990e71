// Package server serves memtree over HTTP: guidance, recording and evolving for agents in other languages, for teams
// that share one memory, and for tools.
//
// A request passes the guard (guard.go), which reads the requirements of the route from the one table of routes
// (routes.go): who may call it, how long its body may be. Then a thin handler calls the memory. Errors become problems
// in one place (problem.go). The committed openapi.json specifies all of it for clients.
//
// Where to look:
//   - openapi.go, router.go: handlers of the routes; caller.go, rate.go: who calls, how often
//   - evaluations.go, guidance.go, explain.go, search.go, risk.go, nodes.go, inbox.go, decision.go, transfer.go,
//     tree_state.go, stats.go, effect.go: the handlers
//   - facts.go, map.go, runs.go, looks.go: handlers about facts, the map, runs and second looks
//   - jobs.go, jobs_work.go: jobs, and what does them; evolve_nightly.go: evolving at night; briefs.go: upcoming tests
//   - mcp.go: MCP over HTTP; pages.go: the pages
//   - health.go, metrics.go, spans.go: monitoring
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/pages"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/llm/meter"
)

// Options configures a Server. The zero value admits no caller.
type Options struct {
	Tokens   *token.Keeper // tokens and their permissions; nil: admits no caller, unless Open
	Open     bool          // callers need no token; for a loopback address only
	Hosts    []string      // host names that a request may be sent to besides loopback, without port
	Rate     float64       // most requests a second with one token; 0: 5000
	InFlight int           // most requests at the same time; 0: 256
	Audit    *slog.Logger  // receives a line for every change, with its caller; nil: discards them
	Logger   *slog.Logger  // receives internal failures; nil: discards them
	Tracer   trace.Tracer  // makes spans for requests and jobs; nil: no spans
	Version  string        // version of the program, for the specification
	Price    meter.Price   // price of the model's tokens, for the cost of jobs
	Now      func() time.Time
	Pause    func(context.Context, time.Duration) bool // sleeps, and reports whether to continue; nil: real time
}

// Server serves some trees over HTTP. Its methods are safe for concurrent use.
type Server struct {
	site   *pages.Site // the pages for people
	trees  *Trees
	opts   Options
	api    huma.API
	mux    *http.ServeMux
	guard  *guard
	nights atomic.Pointer[Nightly] // the schedule; nil: none
	meters meters
	stop   context.CancelFunc // ends background work
	life   <-chan struct{}    // closed by stop

	toAgents sync.Mutex
	mcp      map[agentsOf]*mcp.Server
}

// New returns a Server for trees. It does not listen; see Serve and Handler. The caller closes trees after Close.
func New(trees *Trees, o Options) *Server {
	o = o.withDefaults()
	life, stop := context.WithCancel(context.Background())
	s := &Server{trees: trees, opts: o, mux: http.NewServeMux(), stop: stop, life: life.Done()}
	s.meters.of, s.meters.nights = map[string]*requestCounter{}, map[string]*nights{}
	s.mcp = map[agentsOf]*mcp.Server{}
	s.guard = newGuard(s)
	s.api = humago.New(router{s}, specification(o.Version))
	s.register()
	for _, name := range trees.names {
		t := trees.get(name)
		if t.jobs == nil {
			t.jobs = jobs.Here(o.Now)
		}
		t.jobs.Work(s.do(t))
	}
	return s
}

func (o Options) withDefaults() Options {
	if o.Rate == 0 {
		o.Rate = 5000
	}
	if o.InFlight == 0 {
		o.InFlight = 256
	}
	if o.Audit == nil {
		o.Audit = slog.New(slog.DiscardHandler)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Tracer != nil {
		o.Audit, o.Logger = slog.New(inTrace{o.Audit.Handler()}), slog.New(inTrace{o.Logger.Handler()})
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Pause == nil {
		o.Pause = jobs.Pause
	}
	return o
}

// Handler returns the handler of all routes. It checks the host of all requests except probes. It checks token,
// permission and limits before all routes except public ones, such as the probes and the page to sign in.
func (s *Server) Handler() http.Handler { return s.guard.outer(s.mux) }

// The four timeouts. Streams set longer ones, see stream.
const (
	headerWithin = 5 * time.Second
	readWithin   = 30 * time.Second
	writeWithin  = 60 * time.Second
	idleWithin   = 2 * time.Minute

	// finishWithin is how long requests in progress may take once the service stops.
	finishWithin = 5 * time.Second

	maxHeader = 16 << 10
)

// Serve answers requests on l until ctx ends. Then it accepts no more, gives those in progress five seconds to finish,
// and returns nil. If l fails earlier, it returns the error.
// Before the first request it sends one query to each tree, which takes two seconds at most; requests wait for that.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin, WriteTimeout: writeWithin,
		IdleTimeout: idleWithin, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.opts.Logger.Handler(), slog.LevelWarn),
	}
	s.warm(ctx)
	done := make(chan error, 1)
	go func() { done <- h.Serve(l) }()
	select {
	case err := <-done:
		s.Close()
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.stop()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
	defer cancel()
	err := h.Shutdown(late)
	if errors.Is(err, context.DeadlineExceeded) {
		err = h.Close() // slower requests lose the connection; acknowledged changes are durable
	}
	if gone := <-done; err == nil && !errors.Is(gone, http.ErrServerClosed) {
		err = gone
	}
	s.Close()
	if err != nil {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}

// Close ends background work and waits for it. Requests that come later get the answer that the service stops.
func (s *Server) Close() {
	s.stop()
	for _, name := range s.trees.names {
		s.trees.get(name).jobs.Close()
	}
}

// closing reports whether the service stops.
func (s *Server) closing() bool {
	select {
	case <-s.life:
		return true
	default:
		return false
	}
}
