package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/internal/tracing"
	"github.com/memtree/memtree/server"
	"github.com/memtree/memtree/store"
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
	day       dayBudget
}

func serveCommand(a *app) *cobra.Command {
	o := serveOptions{}
	c := &cobra.Command{
		Use: "serve [flags]",
		RunE: func(c *cobra.Command, _ []string) error {
			if o.probe {
				return probeService(c.Context(), a.Voice, o.listen)
			}
			return runServe(c.Context(), a, &o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:7788", a.Say("address and port; port 0 chooses one"))
	f.BoolVar(&o.open, "insecure-loopback", false, a.Say("ask for no token; only for a loopback address"))
	f.BoolVar(&o.probe, input.NoSetting, false, a.Say("do not serve; ask the service at --listen whether it is ready, "+
		"and end with 0 or 1"))
	f.StringArrayVar(&o.trees, "tree", nil, a.Say("a further tree, as NAME=FOLDER; may be given again"))
	f.StringArrayVar(&o.hosts, "host", nil, a.Say("a name the service is asked by, besides those of loopback; "+
		"may be given again"))
	f.Float64Var(&o.rate, "rate", 5000, a.Say("requests a second of one token"))
	f.StringVar(&o.logFormat, "log-format", "json", a.Say("of the lines on standard error: text or json"))
	nightlyFlags(a.Voice, f, &o.nightly)
	dayFlags(a.Voice, f, &o.day)
	completes(c, "log-format", func() []cobra.Completion { return []cobra.Completion{"text", "json"} })
	return c
}

func runServe(ctx context.Context, a *app, o *serveOptions) error {
	var err error
	if a.store.Logger, err = logTo(a.Voice, o.logFormat); err != nil {
		return err
	}
	if err := checkServe(a, o); err != nil {
		return err
	}
	stores, err := namedStores(a, o.trees)
	if err != nil {
		return err
	}
	var l net.Listener
	if l, err = (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen); err != nil {
		return listenFailure(a.Voice, o.listen, err)
	}
	defer l.Close() //nolint:errcheck // Serve has closed it, or it never served
	trees := server.NewTrees()
	shared := sharing{address: "http://" + l.Addr().String()}
	defer context.AfterFunc(ctx, shared.stop)() // while requests are still running
	a.store.Follows = true
	for _, s := range stores {
		if err = openTree(ctx, a, trees, s, &shared, &o.day); err != nil {
			break
		}
	}
	if err == nil {
		err = answer(ctx, a, l, trees, o)
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
func answer(ctx context.Context, a *app, l net.Listener, trees *server.Trees, o *serveOptions) error {
	//nolint:contextcheck // it sends after requests are over
	traces := tracing.Open(a.Getenv, built().Version, a.store.Logger)
	defer traces.Close() //nolint:contextcheck // it has a second of its own
	s := server.New(trees, server.Options{
		Tokens: token.NewKeeper(a.store.Tokens()), Open: o.open, Hosts: o.hosts, Rate: o.rate, Audit: a.store.Logger,
		Logger:  a.store.Logger,
		Tracer:  traces.Tracer(),
		Version: built().Version,
		Price:   priceOf(a),
	})
	welcome(a, l.Addr().String(), trees, o)
	nights, ended := schedule(a, &o.nightly), make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	go func() { ended <- s.RunSchedule(ctx, nights) }()
	read := make(chan struct{})
	go func() {
		s.RunReader(ctx)
		close(read)
	}()
	reopened := make(chan struct{})
	go func() {
		s.RunReopen(ctx)
		close(reopened)
	}()
	err := s.Serve(ctx, l)
	cancel()
	err = errors.Join(err, <-ended)
	<-read
	<-reopened
	a.Note(a.Say("Stopped; what was acknowledged is kept."))
	return err
}

// checkServe refuses settings that would give access to the wrong people.
func checkServe(a *app, o *serveOptions) error {
	host, _, err := net.SplitHostPort(o.listen)
	switch {
	case err != nil:
		return badAddress(a.Voice, o.listen)
	case o.open && !loopback(host):
		return a.Usage("--insecure-loopback is for a loopback address, such as 127.0.0.1:7788, "+
			"and --listen is %s; leave one of them out", o.listen)
	case !(o.rate > 0): // also NaN
		return a.Usage("--rate is %g; give a number above 0", o.rate)
	}
	if err := checkDay(a, &o.day, o.trees); err != nil {
		return err
	}
	return checkNightly(a, &o.nightly)
}

// loopback reports whether an address can be reached from this machine only.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func badAddress(v *say.Voice, listen string) error {
	return v.Usage("--listen is %q; give an address and a port, such as 127.0.0.1:7788", listen)
}

func listenFailure(v *say.Voice, addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return v.Fail(err, "another process listens on %s; choose another port with --listen", addr)
	case errors.Is(err, syscall.EACCES):
		return v.Fail(err, "this user may not listen on %s; choose a port above 1023", addr)
	}
	return v.Fail(err, "it is not possible to listen on %s: %s", addr, err)
}

// named is a store and the name of its tree.
type named struct{ name, dir string }

// namedStores returns the stores to serve, that of --store first.
func namedStores(a *app, flags []string) ([]named, error) {
	out := []named{{server.Default, a.store.Dir}}
	for _, s := range flags {
		name, dir, ok := strings.Cut(s, "=")
		if !ok || dir == "" {
			return nil, a.Usage("--tree is %q; give a name and a folder, as NAME=FOLDER", s)
		}
		if err := server.CheckName(name); err != nil {
			return nil, &say.UsageError{Text: badTree(a.Voice, name)}
		}
		for _, x := range out {
			if x.name == name {
				return nil, a.Usage("two trees are named %s; give each its own name", name)
			}
		}
		out = append(out, named{name, dir})
	}
	return out, nil
}

func badTree(v *say.Voice, name string) string {
	return v.Say("--tree names a tree %q; use up to 64 of a-z, 0-9 and -, a letter or digit first", name)
}

// openTree opens one store. A store that is damaged or not writable is served for reading only.
func openTree(ctx context.Context, a *app, trees *server.Trees, s named, shared *sharing, day *dayBudget) error {
	a.model.Spending = model.Spending{}
	if s.name != server.Default {
		back, err := a.store.At(s.dir)
		if err != nil {
			return err
		}
		defer back()
	}
	m, err := a.store.Open(ctx, access.Writing, servedWithin)
	readOnly := a.store.ReadOnly
	var damaged *store.CorruptError
	full := false
	switch {
	case errors.As(err, &damaged):
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		full = !a.store.Shared()
		a.Note(a.Say("%s: the disk is full, so this tree is only read until there is room.", s.name))
	case errors.Is(err, store.ErrReadOnly), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		a.Note(a.Say("%s: %s cannot be written here, so this tree is only read.", s.name, a.store.Name()))
	case err != nil:
		return &say.Failure{Text: fmt.Sprintf("%s: %s", s.name, a.Sentence(err)), Cause: err}
	}
	if err != nil {
		readOnly = true
		if m, err = a.store.Open(ctx, access.Reading, servedWithin); err != nil {
			return &say.Failure{Text: fmt.Sprintf("%s: %s", s.name, a.Sentence(err)), Cause: err}
		}
	}
	if full {
		return trees.AddFull(s.name, m, reopen(a, shared))
	}
	if !readOnly {
		shared.add(a.store.Share(ctx, m, a.store.Dir, "serve", shared.address))
	}
	var q jobs.Queue
	if !readOnly && a.store.Shared() {
		if q, err = a.store.Jobs(ctx, day.options(a)); err != nil {
			err = &say.Failure{Text: fmt.Sprintf("%s: %s", s.name, a.Sentence(err)), Cause: err}
			return errors.Join(err, m.Close()) //nolint:contextcheck // it has a bound of its own
		}
	}
	return trees.Add(s.name, m, readOnly, q)
}

// reopen returns what opens the present store of a for writing later, when its disk may have room.
func reopen(a *app, shared *sharing) server.Reopen {
	o, m := *a.store, *a.store.Model // other stores are opened meanwhile
	o.Model = &m
	return func(ctx context.Context) (*memtree.Memory, error) {
		m, err := o.Open(ctx, access.Writing, servedWithin)
		if err == nil {
			shared.add(o.Share(ctx, m, o.Dir, "serve", shared.address))
		}
		return m, err
	}
}

// welcome prints the address, and what to do next.
func welcome(a *app, addr string, trees *server.Trees, o *serveOptions) {
	a.Note(a.Say("Listening on http://%s; trees: %s. Ctrl-C ends it.", addr, strings.Join(trees.Names(), ", ")))
	if host, _, err := net.SplitHostPort(addr); err == nil && !loopback(host) {
		a.Note(a.Say("What is sent is not encrypted; put a proxy with TLS before it."))
	}
	held, err := token.List(a.store.Tokens())
	switch {
	case o.open:
		if trees.Writable() {
			a.Note(a.Say("No token is needed: everyone on this machine may read and change the trees."))
		} else {
			a.Note(a.Say("No token is needed: everyone on this machine may read the trees, and nobody may change them."))
		}
		a.Note(a.Say(`Try: curl -s http://%s/v1/trees/default/guidance --json '{"prompt":"Check the order total"}'`, addr))
	case err != nil:
		a.Complain(err.Error())
	case len(held) == 0:
		a.Note(a.Say("There is no token, so nobody is let in. Make one: "+
			"memtree token add --name agent --scope write --store %s", shellName(a.store.Name())))
	}
}

// logTo returns a logger of a format on standard error.
func logTo(v *say.Voice, format string) (*slog.Logger, error) {
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(v.Stderr, nil)), nil
	case "text":
		return slog.New(slog.NewTextHandler(v.Stderr, nil)), nil
	}
	return nil, v.Usage("--log-format is %q; use text or json", format)
}

// probeWithin is the time limit for a service to report that it is ready.
const probeWithin = 3 * time.Second

// probeService checks whether the service at an address is ready. The health check of a container runs it, because the
// image contains no other program.
func probeService(ctx context.Context, v *say.Voice, listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return badAddress(v, listen)
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, stop := context.WithTimeout(ctx, probeWithin)
	defer stop()
	at := net.JoinHostPort(host, port)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/readyz", nil)
	if err != nil {
		return badAddress(v, listen)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request) // no proxy: the service is here
	if err != nil {
		return v.Fail(err, "no service answers at %s: %s", at, err)
	}
	defer answer.Body.Close() //nolint:errcheck // it is not read
	if answer.StatusCode != http.StatusOK {
		return v.Fail(nil, "the service at %s is not ready: %s", at, answer.Status)
	}
	return v.Print(v.Say("The service at %s is ready.", at))
}
