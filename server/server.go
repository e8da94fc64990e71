// Package server is memtree behind HTTP: the loop of the root package for agents in other
// languages, for teams that share one memory, and for tools.
//
// A request passes the guard (guard.go), which knows from the one table of routes (routes.go)
// what the route asks for: who may call it, how long its body may be. Then a thin handler asks
// the memory. What goes wrong becomes a Problem in one place (problem.go). The committed
// openapi.json says all of it to clients.
//
// Where to look:
//   - register.go, router.go: handlers of the routes; caller.go, rate.go: who calls, how often
//   - evaluations.go, guidance.go, read.go, nodes.go, inbox.go, decision.go, travel.go: the handlers
//   - jobs.go, schedule.go: evolving, on request and at night; reader.go: coming tests
//   - agents.go: MCP over HTTP; site.go: the pages
//   - health.go, metrics.go, spans.go: what an operator sees
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

	"github.com/memtree/memtree/internal/pages"
	"github.com/memtree/memtree/internal/token"
)

// Options say how a service guards itself. The zero value lets nobody in.
type Options struct {
	Tokens   *token.Keeper // who may do what; nil: nobody, unless Open
	Open     bool          // nobody needs a token; for a loopback address alone
	Hosts    []string      // names besides those of loopback that a request may be for, without port
	Rate     float64       // requests a second of one token; 0: 5000
	InFlight int           // requests that are answered at one time; 0: 256
	Audit    *slog.Logger  // is told of every change, and who made it; nil: nobody
	Logger   *slog.Logger  // is told what failed inside; nil: nobody
	Tracer   trace.Tracer  // makes the spans of requests and jobs; nil: none are made
	Version  string        // of the program, for the specification
	Now      func() time.Time
	Pause    func(context.Context, time.Duration) bool // sleeps, and reports whether to go on; nil: time passes
}

// Server is a service on some trees. Its methods may be called at once from many goroutines.
type Server struct {
	site   *pages.Site // what people see
	trees  *Trees
	opts   Options
	api    huma.API
	mux    *http.ServeMux
	guard  *guard
	nights atomic.Pointer[Nightly] // the schedule; nil: none
	meters meters
	stop   context.CancelFunc // ends what goes on beside requests
	life   <-chan struct{}    // is closed by stop

	toAgents sync.Mutex
	mcp      map[agentsOf]*mcp.Server
}

// New returns a service on trees. It does not listen; see Serve and Handler. The trees stay the
// caller's to close, after Close.
func New(trees *Trees, o Options) *Server {
	o = o.withDefaults()
	life, stop := context.WithCancel(context.Background())
	s := &Server{trees: trees, opts: o, mux: http.NewServeMux(), stop: stop, life: life.Done()}
	s.meters.of, s.meters.nights = map[string]*meter{}, map[string]*nights{}
	s.mcp = map[agentsOf]*mcp.Server{}
	s.guard = newGuard(s)
	s.api = humago.New(router{s}, specification(o.Version))
	s.register()
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
		o.Pause = sleep
	}
	return o
}

// Handler returns all routes behind their guard.
func (s *Server) Handler() http.Handler { return s.guard.outer(s.mux) }

// The four timeouts. Streams get longer ones for themselves, see stream.
const (
	headerWithin = 5 * time.Second
	readWithin   = 30 * time.Second
	writeWithin  = 60 * time.Second
	idleWithin   = 2 * time.Minute

	// finishWithin is how long requests under way may take once the service stops.
	finishWithin = 5 * time.Second

	maxHeader = 16 << 10
)

// Serve answers requests on l until ctx ends. Then it takes no more, finishes those under way,
// and returns nil. Before the first it asks each tree a question, which takes two seconds at most;
// requests wait for that.
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
		err = h.Close() // who is slower than that loses the connection; what was acknowledged is kept
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

// Close ends what goes on beside requests, and waits for it. Requests that come later are told that
// the service stops.
func (s *Server) Close() {
	s.stop()
	for _, name := range s.trees.names {
		s.trees.byName[name].jobs.running.Wait()
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
