package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/internal/tracing"
	"github.com/memtree/memtree/server"
	"github.com/memtree/memtree/tree"
)

// servedWithin is the deadline for guidance over HTTP. It is longer than that of the root package, because the first
// query after a start may wait for the disk, and a caller has its own deadline.
const servedWithin = 2 * time.Second

// serveOptions are the flags of serve.
type serveOptions struct {
	listen    string
	probe     bool // check a running service
	open      bool // no token is needed
	trees     []string
	hosts     []string
	logFormat string
	rate      float64
	nightly   nightly
}

func (a *app) serveCommand() *cobra.Command {
	o := serveOptions{}
	c := &cobra.Command{
		Use:   "serve [flags]",
		Short: a.say("Answer agents and tools over HTTP"),
		Long: a.say(`Serves the store of --store as the tree "default", and further stores as the trees that --tree
names. GET /openapi.json describes every route, and memtree token add makes the tokens that callers send.

Commands of the same user on these stores, such as memtree record, go on working: they are run in the
service, with its model.

On Ctrl-C or SIGTERM it takes no more requests, finishes those under way and closes the stores; what was
acknowledged is kept. Changes are written to standard error, a line each.`),
		Example: `  memtree serve --insecure-loopback
  memtree serve --listen 127.0.0.1:7788
  memtree serve --tree shop=/data/shop --host memory.example.org`,
		Args: a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.probe {
				return a.probe(c.Context(), o.listen)
			}
			return a.serve(c.Context(), &o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:7788", a.say("address and port; port 0 chooses one"))
	f.BoolVar(&o.open, "insecure-loopback", false, a.say("ask for no token; only for a loopback address"))
	f.BoolVar(&o.probe, notSet, false, a.say("do not serve; ask the service at --listen whether it is ready, "+
		"and end with 0 or 1"))
	f.StringArrayVar(&o.trees, "tree", nil, a.say("a further tree, as NAME=FOLDER; may be given again"))
	f.StringArrayVar(&o.hosts, "host", nil, a.say("a name the service is asked by, besides those of loopback; "+
		"may be given again"))
	f.Float64Var(&o.rate, "rate", 5000, a.say("requests a second of one token"))
	f.StringVar(&o.logFormat, "log-format", "json", a.say("of the lines on standard error: text or json"))
	a.nightlyFlags(f, &o.nightly)
	completes(c, "log-format", func() []cobra.Completion { return []cobra.Completion{"text", "json"} })
	return c
}

func (a *app) serve(ctx context.Context, o *serveOptions) error {
	var err error
	if a.logger, err = a.logTo(o.logFormat); err != nil {
		return err
	}
	if err := a.checkServe(o); err != nil {
		return err
	}
	stores, err := a.namedStores(o.trees)
	if err != nil {
		return err
	}
	var l net.Listener
	if l, err = (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen); err != nil {
		return a.listenFailure(o.listen, err)
	}
	defer l.Close() //nolint:errcheck // Serve has closed it, or it never served
	trees := server.NewTrees()
	shared := sharing{address: "http://" + l.Addr().String()}
	defer context.AfterFunc(ctx, shared.stop)() // while requests are still running
	for _, s := range stores {
		if err = a.openTree(ctx, trees, s, &shared); err != nil {
			break
		}
	}
	if err == nil {
		err = a.answer(ctx, l, trees, o)
	}
	shared.stop()
	return errors.Join(err, trees.Close()) //nolint:contextcheck // what is accepted is kept whatever became of ctx
}

// sharing holds the trees on which a service runs commands of other processes.
type sharing struct {
	address string
	mu      sync.Mutex
	ended   bool
	stops   []func()
}

func (s *sharing) add(stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		stop()
		return
	}
	s.stops = append(s.stops, stop)
}

// stop stops that for all trees in parallel. A second call waits for the first.
func (s *sharing) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	var all sync.WaitGroup
	for _, stop := range s.stops {
		all.Go(stop)
	}
	all.Wait()
	s.stops = nil
}

// answer serves trees on l until ctx ends. That is not an error.
func (a *app) answer(ctx context.Context, l net.Listener, trees *server.Trees, o *serveOptions) error {
	traces := tracing.Open(a.getenv, built().Version, a.logger) //nolint:contextcheck // it sends after requests are over
	defer traces.Close()                                        //nolint:contextcheck // it has a second of its own
	s := server.New(trees, server.Options{
		Tokens: token.NewKeeper(a.store), Open: o.open, Hosts: o.hosts, Rate: o.rate, Audit: a.logger,
		Logger:  a.logger,
		Tracer:  traces.Tracer(),
		Version: built().Version,
	})
	a.welcome(l.Addr().String(), trees.Names(), o)
	nights, ended := a.nights(&o.nightly), make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	go func() { ended <- s.RunSchedule(ctx, nights) }()
	read := make(chan struct{})
	go func() {
		s.RunReader(ctx)
		close(read)
	}()
	err := s.Serve(ctx, l)
	cancel()
	err = errors.Join(err, <-ended)
	<-read
	a.note(a.say("Stopped; what was acknowledged is kept."))
	return err
}

// checkServe refuses settings that would give access to the wrong people.
func (a *app) checkServe(o *serveOptions) error {
	host, _, err := net.SplitHostPort(o.listen)
	switch {
	case err != nil:
		return a.badAddress(o.listen)
	case o.open && !loopback(host):
		return &usageError{a.say("--insecure-loopback is for a loopback address, such as 127.0.0.1:7788, "+
			"and --listen is %s; leave one of them out", o.listen)}
	case o.rate <= 0:
		return &usageError{a.say("--rate is %g; give a number above 0", o.rate)}
	}
	return a.checkNightly(&o.nightly)
}

// loopback reports whether an address can be reached from this machine only.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func (a *app) badAddress(listen string) error {
	return &usageError{a.say("--listen is %q; give an address and a port, such as 127.0.0.1:7788", listen)}
}

func (a *app) listenFailure(addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return &failure{a.say("another process listens on %s; choose another port with --listen", addr), err}
	case errors.Is(err, syscall.EACCES):
		return &failure{a.say("this user may not listen on %s; choose a port above 1023", addr), err}
	}
	return &failure{a.say("it is not possible to listen on %s: %s", addr, err), err}
}

// named is a store and the name of its tree.
type named struct{ name, dir string }

// namedStores returns the stores to serve, that of --store first.
func (a *app) namedStores(flags []string) ([]named, error) {
	out := []named{{server.Default, a.store}}
	for _, s := range flags {
		name, dir, ok := strings.Cut(s, "=")
		if !ok || dir == "" {
			return nil, &usageError{a.say("--tree is %q; give a name and a folder, as NAME=FOLDER", s)}
		}
		if err := server.CheckName(name); err != nil {
			return nil, &usageError{a.badTree(name)}
		}
		for _, x := range out {
			if x.name == name {
				return nil, &usageError{a.say("two trees are named %s; give each its own name", name)}
			}
		}
		out = append(out, named{name, dir})
	}
	return out, nil
}

func (a *app) badTree(name string) string {
	return a.say("--tree names a tree %q; use up to 64 of a-z, 0-9 and -, a letter or digit first", name)
}

// openTree opens one store. A store that is damaged or not writable is served for reading only.
func (a *app) openTree(ctx context.Context, trees *server.Trees, s named, shared *sharing) error {
	a.spending = spending{}
	defer func(store string) { a.store = store }(a.store)
	a.store = s.dir
	m, err := a.openWithin(ctx, writing, servedWithin)
	readOnly := a.readOnly
	var damaged *tree.CorruptError
	switch {
	case errors.As(err, &damaged):
	case errors.Is(err, tree.ErrFull), errors.Is(err, syscall.ENOSPC):
		a.note(a.say("%s: the disk is full, so this tree is only read.", s.name))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		a.note(a.say("%s: %s cannot be written here, so this tree is only read.", s.name, s.dir))
	case err != nil:
		return &failure{fmt.Sprintf("%s: %s", s.name, a.sentence(err)), err}
	}
	if err != nil {
		readOnly = true
		if m, err = a.openWithin(ctx, reading, servedWithin); err != nil {
			return &failure{fmt.Sprintf("%s: %s", s.name, a.sentence(err)), err}
		}
	}
	if !readOnly {
		shared.add(a.share(ctx, m, s.dir, "serve", shared.address))
	}
	return trees.Add(s.name, m, readOnly)
}

// welcome prints the address, and what to do next.
func (a *app) welcome(addr string, names []string, o *serveOptions) {
	a.note(a.say("Listening on http://%s; trees: %s. Ctrl-C ends it.", addr, strings.Join(names, ", ")))
	if host, _, err := net.SplitHostPort(addr); err == nil && !loopback(host) {
		a.note(a.say("What is sent is not encrypted; put a proxy with TLS before it."))
	}
	held, err := token.List(a.store)
	switch {
	case o.open:
		a.note(a.say("No token is needed: everyone on this machine may read and change the trees."))
		a.note(a.say(`Try: curl -s http://%s/v1/trees/default/guidance --json '{"prompt":"Check the order total"}'`, addr))
	case err != nil:
		a.complain(err.Error())
	case len(held) == 0:
		a.note(a.say("There is no token, so nobody is let in. Make one: "+
			"memtree token add --name agent --scope write --store %s", a.store))
	}
}

// logTo returns a logger of a format on standard error.
func (a *app) logTo(format string) (*slog.Logger, error) {
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(a.stderr, nil)), nil
	case "text":
		return slog.New(slog.NewTextHandler(a.stderr, nil)), nil
	}
	return nil, &usageError{a.say("--log-format is %q; use text or json", format)}
}
