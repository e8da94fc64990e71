package main

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/holder"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm/meter"
)

// held is a memory that this process keeps open, and on which it runs the commands of other processes.
type held struct {
	m        *memtree.Memory
	about    holder.About
	dir      string
	getenv   func(string) string
	spending spending
	logger   *slog.Logger
	ending   <-chan struct{} // of one command: closed when this process is about to end
	e        *holder.Request // the command
}

// share runs commands of other processes on a memory that this process holds, until stop is called. stop waits for
// running commands. If it cannot listen, it prints a note, and other commands find the store locked.
func (a *app) share(ctx context.Context, m *memtree.Memory, dir, command, address string) (stop func()) {
	h := held{
		m: m, about: holder.About{Version: built().Version, Command: command, Address: address}, dir: dir,
		getenv: a.getenv, spending: a.spending, logger: a.logger,
	}
	l, err := holder.Listen(ctx, dir, h.about, h.run)
	if err != nil {
		a.note(a.say("While this runs, no other command can write to %s: %s", dir, text.Line(err.Error())))
		return func() {}
	}
	return func() {
		if err := l.Close(); err != nil {
			a.logger.Warn("stop running commands of other processes", "error", err.Error())
		}
	}
}

// run runs a command of another process.
func (h held) run(ctx context.Context, e *holder.Request) int {
	begun := time.Now()
	h.e, h.ending = e, e.Ending
	p := process{args: e.Args, stdin: e.Stdin, stdout: e.Stdout, stderr: e.Stderr, getenv: h.variable}
	b := newApp(p, config{env: p.getenv}) // both processes have read their config files
	b.Terminal = screen.Terminal{Width: max(40, min(e.Width, screen.FullWidth)), Colour: e.Colour, Live: e.Live}
	b.on = &h
	b.spending = h.spending
	b.spending.before = map[string]meter.Spent{}
	if h.spending.meter != nil {
		b.spending.before = h.spending.meter.Stages()
	}
	code := b.run(ctx)
	h.logger.InfoContext(ctx, "command", "store", h.dir, "command", b.command, "exit", code,
		"ms", time.Since(begun).Milliseconds())
	return code
}

// speaking are the variables that are taken from the user's process: language, screen and store. All others, so the
// model too, are those of the process that holds the store.
var speaking = []string{
	"LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "TERM", "WT_SESSION", "MEMTREE_STORE", "MEMTREE_LANG",
}

// modelling are the variables that name a model. The user's values are not used here, and a note reports that.
var modelling = []string{"MEMTREE_LLM_MODEL", "MEMTREE_LLM_EMBED_MODEL", recordVariable, replayVariable}

func (h *held) pid() int { return os.Getpid() }

func (h *held) variable(name string) string {
	if slices.Contains(speaking, name) {
		return h.e.Env[name]
	}
	return h.getenv(name)
}

// mayRun refuses commands that are not run for another process, and notes settings that are not used.
func (a *app) mayRun(c *cobra.Command) error {
	a.command = c.Name()
	if !elsewhere(c) || a.readOnly {
		return &usageError{a.say("%s is not run for another process", c.CommandPath())}
	}
	if a.command != "record" && a.command != "evolve" {
		return nil // it uses no model
	}
	for _, name := range slices.Sorted(maps.Keys(a.on.e.Env)) {
		if slices.Contains(modelling, name) && a.on.e.Env[name] != a.on.getenv(name) {
			a.note(a.say("%s is not used here: memtree %s (process %d) holds the store, and its model is asked.", name,
				a.on.about.Command, a.on.pid()))
		}
	}
	return nil
}

// borrowed calls do with the memory that this process holds.
func (a *app) borrowed(how access, do func(*memtree.Memory) error) error {
	if b := &a.bounds; a.spending.meter != nil && how == writing &&
		(b.time > 0 || a.command == "record" && (b.calls != nil || b.cost != nil)) {
		return &usageError{a.say("memtree %s (process %d) holds the store and asks its model within its own bounds; leave "+
			"out --max-calls, --max-cost and --max-time, or stop it first", a.on.about.Command, a.on.pid())}
	}
	err := do(a.on.m)
	a.byWords(a.on.m, how, err)
	return err
}

// untilEnding returns a context that is also cancelled when the process that holds the store is about to end.
func (a *app) untilEnding(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if a.on == nil {
		return ctx, cancel
	}
	go func() {
		select {
		case <-a.on.ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// endsNow reports whether the process that holds the store is about to end.
func (h *held) endsNow() bool {
	select {
	case <-h.ending:
		return true
	default:
		return false
	}
}

// folder returns the store's folder, for files outside of the memory.
func (a *app) folder() string {
	if a.on != nil {
		return a.on.dir
	}
	return a.store
}

// collectAt makes garbage collection more frequent, which is slower and takes less memory, until the returned
// function is called. It does nothing in a process that serves others.
func (a *app) collectAt(percent int) (before func()) {
	if a.on != nil {
		return func() {}
	}
	old := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(old) }
}
