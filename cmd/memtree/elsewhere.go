package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/holder"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// ranElsewhere reports that a command ended in another process, which has printed all of its output.
type ranElsewhere struct{ code int }

func (*ranElsewhere) Error() string { return "the command ran in another process" }

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

// elsewhere runs the command in the process that holds the store. It returns nil if there is no such process or it
// cannot be reached; then the command runs here.
func (a *app) elsewhere(ctx context.Context, c *cobra.Command) error {
	if a.readOnly || !elsewhere(c) {
		return nil
	}
	to, err := holder.Dial(a.store)
	if errors.Is(err, holder.ErrNobody) {
		return nil
	}
	if err != nil {
		a.lost = err // the reason, in case the store turns out to be locked
		return nil
	}
	defer to.Close() //nolint:errcheck // all was said
	about := &to.About
	if about.Version != built().Version {
		a.note(a.say("memtree %s (process %d) holds the store, so its version does this: %s, and this is %s. Start it again "+
			"to have one version.", text.Line(about.Command), about.PID, text.Line(about.Version), built().Version))
	}
	line, err := a.line()
	if err != nil {
		return err
	}
	code, err := to.Run(ctx, line, a.stdin, a.stdout, a.stderr)
	switch {
	case errors.Is(err, holder.ErrNobody):
		return nil
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, holder.ErrEnded):
		return &failure{a.say("memtree %s (process %d), which holds the store, ended before this was done; what it "+
			"acknowledged is kept, and nothing is recorded twice; give the same command again", text.Line(about.Command),
			about.PID), err}
	case err != nil:
		return err
	}
	return &ranElsewhere{code}
}

// soonElsewhere is elsewhere for a command that found the store locked: its holder may be about to listen. It tries
// for two seconds.
func (a *app) soonElsewhere(ctx context.Context, c *cobra.Command) error {
	for range 20 {
		if err := a.elsewhere(ctx, c); err != nil || a.lost != nil {
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
func (a *app) line() (holder.Command, error) {
	dir, err := os.Getwd()
	l := holder.Command{Args: a.args, Env: map[string]string{}, Dir: dir, Width: a.Width, Colour: a.Colour, Live: a.Live}
	for _, names := range [][]string{speaking, modelling} {
		for _, name := range names {
			if v := a.getenv(name); v != "" {
				l.Env[name] = v
			}
		}
	}
	return l, err
}

// holderSentence describes which process holds a store, and why it did not run the command or what to do. It returns
// "" if that is not known.
func (a *app) holderSentence(e *tree.LockedError) string {
	switch {
	case errors.Is(a.lost, holder.ErrUntrusted):
		return a.say("process %d holds store %s, and would do this; but others than you may enter %s/holder, so it is not "+
			"known to be yours: run this as the user who runs it, or stop it first", e.PID, e.Dir, e.Dir)
	case errors.Is(a.lost, holder.ErrSilent):
		return a.say("process %d holds store %s and does not answer; stop it first, or read with --read-only", e.PID, e.Dir)
	case errors.Is(a.lost, holder.ErrProtocol):
		return a.say("process %d holds store %s, and is of another version that cannot do this; start it again with this "+
			"version, or read with --read-only", e.PID, e.Dir)
	}
	to, err := holder.Dial(e.Dir)
	if err != nil {
		return ""
	}
	defer to.Close() //nolint:errcheck // it was only asked who it is
	at := ""
	if to.About.Address != "" {
		at = ", " + text.Line(to.About.Address)
	}
	return a.say("memtree %s (process %d%s) holds store %s; stop it first, then give the command again",
		text.Line(to.About.Command), to.About.PID, at, e.Dir)
}

// hiddenSentence is the text for a user's file that the process with the store cannot read.
func (a *app) hiddenSentence(e *hiddenError) string {
	return a.say("%s cannot be read by the process that holds the store, as in a container of its own; put it where both "+
		"can read it, or stop that process first", e.name)
}
