package access

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
)

// host is a memory that this process keeps open, and on which it runs the commands of other processes.
type host struct {
	dir      string // of the store
	command  func(context.Context, *Guest) (code int)
	memory   *memtree.Memory
	about    Owner
	getenv   func(string) string
	spending model.Spending
	logger   *slog.Logger
}

// Guest is a command of another process that runs in this one, on the memory that this process has open.
type Guest struct {
	*RemoteCommand
	host *host
	name string // of the command, once it was admitted
}

// Share makes this process run the commands of others on the memory m, until stop is called. stop waits for running
// commands. If the process cannot listen in dir, Share prints a note, and other commands find the store locked. command
// and address describe this process to others.
func (d *Opener) Share(ctx context.Context, m *memtree.Memory, dir, command, address string) (stop func()) {
	h := &host{
		dir: dir, command: d.Command, memory: m, getenv: d.Getenv, spending: d.Model.Spending, logger: d.Logger,
		about: Owner{Version: d.Version, Command: command, Address: address},
	}
	l, err := Listen(ctx, dir, h.about, h.run)
	if err != nil {
		d.Note(d.Say("While this runs, no other command can write to %s: %s", dir, text.Line(err.Error())))
		return func() {}
	}
	return func() {
		if err := l.Close(); err != nil {
			d.Logger.Warn("stop running commands of other processes", "error", err.Error())
		}
	}
}

// run runs a command of another process.
func (h *host) run(ctx context.Context, e *RemoteCommand) int {
	begun := time.Now()
	g := &Guest{RemoteCommand: e, host: h}
	code := h.command(ctx, g)
	h.logger.InfoContext(ctx, "command", "store", h.dir, "command", g.name, "exit", code,
		"ms", time.Since(begun).Milliseconds())
	return code
}

// speaking are the variables that are taken from the user's process: language, screen and store. All others, so the
// model too, are those of the process that holds the store.
var speaking = []string{
	"LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "TERM", "WT_SESSION", "MEMTREE_STORE", "MEMTREE_LANG",
}

// modelling are the variables that name a model. The user's values are not used here, and a note reports that.
var modelling = []string{"MEMTREE_LLM_MODEL", "MEMTREE_LLM_EMBED_MODEL", model.RecordVariable, model.ReplayVariable}

// Process returns arguments, streams and environment of the command, as its user's process sent them.
func (g *Guest) Process() say.Process {
	return say.Process{Args: g.Args, Stdin: g.Stdin, Stdout: g.Stdout, Stderr: g.Stderr, Getenv: g.variable}
}

// Terminal returns what the terminal of the command's user can show.
func (g *Guest) Terminal() say.Terminal {
	return say.Terminal{Width: max(40, min(g.Width, say.FullWidth)), Colour: g.Colour, Live: g.Live}
}

// Away describes this process and the user's folder, for the files that the command's user names.
func (g *Guest) Away() *input.Away {
	return &input.Away{Dir: g.RemoteCommand.Dir, SameFiles: g.SameFiles, Command: g.host.about.Command, PID: os.Getpid()}
}

// Spending returns a count of model calls that begins at 0 for this command, on the models of this process.
func (g *Guest) Spending() model.Spending { return g.host.spending.Since() }

func (g *Guest) variable(name string) string {
	if slices.Contains(speaking, name) {
		return g.Env[name]
	}
	return g.host.getenv(name)
}

// Admit returns an error if the command c may not run in another process, and prints a note on settings that have no
// effect there.
func (d *Opener) Admit(c *cobra.Command) error {
	g := d.Guest
	g.name = c.Name()
	if !elsewhere(c) || d.ReadOnly {
		return d.Usage("%s is not run for another process", c.CommandPath())
	}
	if g.name != "record" && g.name != "evolve" {
		return nil // it uses no model
	}
	for _, name := range slices.Sorted(maps.Keys(g.Env)) {
		if slices.Contains(modelling, name) && g.Env[name] != g.host.getenv(name) {
			d.Note(d.Say("%s is not used here: memtree %s (process %d) holds the store, and its model is asked.", name,
				g.host.about.Command, os.Getpid()))
		}
	}
	return nil
}

// borrowed calls do with the memory that this process holds.
func (d *Opener) borrowed(how openMode, do func(*memtree.Memory) error) error {
	if b := d.Model; b.Metered() && how == Writing &&
		(b.Time > 0 || d.Guest.name == "record" && (b.Calls != nil || b.Cost != nil)) {
		return d.Usage("memtree %s (process %d) holds the store and asks its model within its own bounds; leave "+
			"out --max-calls, --max-cost and --max-time, or stop it first", d.Guest.host.about.Command, os.Getpid())
	}
	err := do(d.Guest.host.memory)
	d.lexical(d.Guest.host.memory, how, err)
	return err
}

// UntilEnding returns a context that ends with ctx or, for a command of another process, when this process is about to
// end.
func (d *Opener) UntilEnding(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if d.Guest == nil {
		return ctx, cancel
	}
	go func() {
		select {
		case <-d.Guest.Ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// Ended returns an error if this command runs for another process and this process is about to end; else nil.
func (d *Opener) Ended() error {
	if d.Guest == nil {
		return nil
	}
	select {
	case <-d.Guest.Ending:
		return d.Fail(nil, "memtree %s (process %d), which held the store, ends, and so does this; nothing that was "+
			"accepted is lost; start this again", d.Guest.host.about.Command, os.Getpid())
	default:
		return nil
	}
}
