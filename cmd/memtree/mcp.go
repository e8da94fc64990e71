package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/mcpserver"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// mostMessage is the size limit of a protocol message, in bytes.
const mostMessage = 2 * mcpserver.MaxArguments

func (a *app) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: a.say("Let agents use the memory over MCP, on standard input and output"),
		Long: a.say(`Serves the store to one agent over MCP, the Model Context Protocol, until the agent closes
standard input. The agent gets guidance before a test and records the outcome after it; lessons
that it proposes wait until a person promotes them. Name this command in the settings of the
agent's program, as a server that is started on stdio.

Standard output carries the protocol alone; what people should know goes to standard error.
Other commands on the store, and further agents, work beside it. With --read-only, and while a
process that works for itself alone writes to the store, the agent can ask and not record.`),
		Example: `  memtree mcp --store /path/to/.memtree
  claude mcp add memtree -- memtree mcp --store /path/to/.memtree`,
		Args: a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error { return a.mcp(c.Context(), c) },
	}
}

func (a *app) mcp(ctx context.Context, c *cobra.Command) error {
	level := slog.LevelWarn
	if a.quiet {
		level = slog.LevelError
	}
	a.logger = slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
	served := false
	err := a.with(ctx, writing, func(m *memtree.Memory) error {
		served = true
		if a.on == nil && !a.readOnly {
			defer a.share(ctx, m, a.store, "mcp", "")()
		}
		return a.serveMCP(ctx, m, !a.readOnly)
	})
	if served || !a.readable(err) {
		return err
	}
	if _, locked := errors.AsType[*tree.LockedError](err); locked {
		if err := a.soonElsewhere(ctx, c); err != nil {
			return err
		}
	}
	a.remark(text.Line(a.sentence(err)) + "; " + a.say("until this is started again, agents can ask and not record"))
	return a.with(ctx, reading, func(m *memtree.Memory) error { return a.serveMCP(ctx, m, false) })
}

// readable reports whether a store that could not be opened for writing, because of err, can
// still be read.
func (a *app) readable(err error) bool {
	var locked *tree.LockedError
	var damaged *tree.CorruptError
	return errors.As(err, &locked) || errors.As(err, &damaged) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, syscall.EROFS) || errors.Is(err, tree.ErrFull) || errors.Is(err, syscall.ENOSPC)
}

// serveMCP serves m until standard input ends or ctx does. Both are a good end.
func (a *app) serveMCP(ctx context.Context, m *memtree.Memory, writes bool) error {
	ctx, cancel := a.untilEnding(ctx)
	defer cancel()
	o := mcpserver.Options{Lang: a.lang, Version: built().Version, Logger: a.logger}
	if writes {
		o.May = mcpserver.Write | mcpserver.Propose | mcpserver.Correct
	}
	err := mcpserver.New(m, &o).Run(ctx, mcpserver.Drained{Transport: &mcp.IOTransport{
		Reader: io.NopCloser(interruptible{ctx, a.stdin}), Writer: unclosed{a.stdout}, MaxLineLength: mostMessage,
	}})
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return &failure{a.say("the agent's program sent what is not MCP (%s); nothing that was accepted is lost",
			err.Error()), err}
	}
	if a.on != nil && a.on.endsNow() {
		return &failure{a.say("memtree %s (process %d), which held the store, ends, and so does this; nothing that was "+
			"accepted is lost; start this again", a.on.about.Command, a.on.pid()), nil}
	}
	return nil
}

// unclosed never closes standard output, which belongs to the process.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
