package main

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/mcpserver"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
)

// mostMessage is the size limit of a protocol message, in bytes.
const mostMessage = 2 * mcpserver.MaxArguments

func mcpCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "mcp",
		RunE: func(c *cobra.Command, _ []string) error { return runMCP(c.Context(), a, c) },
	}
}

func runMCP(ctx context.Context, a *app, c *cobra.Command) error {
	level := slog.LevelWarn
	if a.Quiet {
		level = slog.LevelError
	}
	a.store.Logger = slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: level}))
	served := false
	err := a.store.Write(ctx, func(m *memtree.Memory) error {
		served = true
		if a.store.Guest == nil && !a.store.ReadOnly {
			defer a.store.Share(ctx, m, a.store.Dir, "mcp", "")()
		}
		return serveMCP(ctx, a, m, !a.store.ReadOnly)
	})
	if served || !access.Readable(err) {
		return err
	}
	if _, locked := errors.AsType[*store.LockedError](err); locked {
		if err := a.store.SoonElsewhere(ctx, c); err != nil {
			return err
		}
	}
	a.Remark(text.Line(a.Sentence(err)) + "; " + a.Say("until this is started again, agents can ask and not record"))
	return a.store.Read(ctx, func(m *memtree.Memory) error { return serveMCP(ctx, a, m, false) })
}

// serveMCP serves m until standard input ends or ctx does. Both are a good end.
func serveMCP(ctx context.Context, a *app, m *memtree.Memory, writes bool) error {
	ctx, cancel := a.store.UntilEnding(ctx)
	defer cancel()
	o := mcpserver.Options{Lang: a.Lang, Version: built().Version, Logger: a.store.Logger}
	if writes {
		o.May = mcpserver.Write | mcpserver.Propose | mcpserver.Correct
	}
	lines := &mcpserver.Lines{In: input.Until(ctx, a.Stdin), Out: a.Stdout, Most: mostMessage}
	err := mcpserver.New(m, &o).Run(ctx, lines)
	if err == nil || errors.Is(err, io.EOF) {
		err = lines.Foreign()
	}
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return a.Fail(err, "the agent's program sent what is not MCP (%s); nothing that was accepted is lost", err.Error())
	}
	return a.store.Ended()
}
