package access

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
)

// RanElsewhere is the error of a command that another process ran and whose output is printed. Code is its exit code.
type RanElsewhere struct{ Code int }

func (*RanElsewhere) Error() string { return "the command ran in another process" }

// elsewhere reports whether a command has to run in the process that holds the store, if there is one. Commands that
// only read do not: they can read while it writes.
func elsewhere(c *cobra.Command) bool {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	switch name {
	case "record", "ingest", "import", "promote", "evolve", "brief", "review", "prune", "map add",
		"guide", "context", "mcp", "stats",
		"teach", "forget", "pin", "ban", "about", "relabel", "edit", "undo",
		"run start", "run add", "run end", "run rate",
		"know", "know confirm", "know contradict", "know edit", "know forget", "know settle", "know read", "know import":
		return true
	case "label":
		return !c.Flags().Changed("list") && !c.Flags().Changed("csv") // else it only reads
	case "triage":
		return c.Flags().Changed("out") // else it only reads
	}
	return false
}

// Elsewhere runs the command c in the process that holds the store, and returns a *RanElsewhere. It returns nil if c
// only reads, or there is no such process or it cannot be reached; then the caller runs the command itself.
func (d *Opener) Elsewhere(ctx context.Context, c *cobra.Command) error {
	if d.ReadOnly || !elsewhere(c) {
		return nil
	}
	to, err := Dial(d.Dir)
	if errors.Is(err, errNobody) {
		return nil
	}
	if err != nil {
		d.lost = err // the reason, in case the store turns out to be locked
		return nil
	}
	defer to.Close() //nolint:errcheck // all was said
	about := &to.About
	if about.Version != d.Version {
		d.Note(d.Say("memtree %s (process %d) holds the store, so its version does this: %s, and this is %s. Start it again "+
			"to have one version.", text.Line(about.Command), about.PID, text.Line(about.Version), d.Version))
	}
	line, err := d.line()
	if err != nil {
		return err
	}
	code, err := to.Run(ctx, line, d.Stdin, d.Stdout, d.Stderr)
	switch {
	case errors.Is(err, errNobody):
		return nil
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errEnded):
		return d.Fail(err, "memtree %s (process %d), which holds the store, ended before this was done; what it "+
			"acknowledged is kept, and nothing is recorded twice; give the same command again", text.Line(about.Command),
			about.PID)
	case err != nil:
		return err
	}
	return &RanElsewhere{code}
}

// SoonElsewhere tries Elsewhere for up to two seconds. It is for a command that found the store locked: the process
// that holds the store may be about to accept commands.
func (d *Opener) SoonElsewhere(ctx context.Context, c *cobra.Command) error {
	for range 20 {
		if err := d.Elsewhere(ctx, c); err != nil || d.lost != nil {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// line returns the command line for the other process.
func (d *Opener) line() (commandLine, error) {
	dir, err := os.Getwd()
	l := commandLine{Args: d.Args, Env: map[string]string{}, Dir: dir, Width: d.Width, Colour: d.Colour, Live: d.Live}
	for _, names := range [][]string{speaking, modelling} {
		for _, name := range names {
			if v := d.Getenv(name); v != "" {
				l.Env[name] = v
			}
		}
	}
	return l, err
}

// holderSentence describes which process holds a store, and why it did not run the command or what to do. It returns
// "" if that is not known.
func (d *Opener) holderSentence(e *store.LockedError) string {
	switch {
	case errors.Is(d.lost, errUntrusted):
		return d.Say("process %d holds store %s, and would do this; but others than you may enter %s/holder, so it is not "+
			"known to be yours: run this as the user who runs it, or stop it first", e.PID, e.Dir, e.Dir)
	case errors.Is(d.lost, errSilent):
		return d.Say("process %d holds store %s and does not answer; stop it first, or read with --read-only", e.PID, e.Dir)
	case errors.Is(d.lost, errProtocol):
		return d.Say("process %d holds store %s, and is of another version that cannot do this; start it again with this "+
			"version, or read with --read-only", e.PID, e.Dir)
	}
	to, err := Dial(e.Dir)
	if err != nil {
		return ""
	}
	defer to.Close() //nolint:errcheck // it was only asked who it is
	at := ""
	if to.About.Address != "" {
		at = ", " + text.Line(to.About.Address)
	}
	return d.Say("memtree %s (process %d%s) holds store %s; stop it first, then give the command again",
		text.Line(to.About.Command), to.About.PID, at, e.Dir)
}
