package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/screen"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

func (a *app) compactCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: a.say("Write the store anew without what it no longer needs"),
		Long: a.say(`Writes a snapshot and removes the journals and files it replaces. The store does this
by itself from time to time; it is good before a backup or a commit. Memories, archived ones too,
stay.`),
		Args: a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error { return a.compact(c.Context()) },
	}
}

func (a *app) compact(ctx context.Context) (err error) {
	if a.readOnly {
		return &usageError{a.say("compact writes; leave --read-only out")}
	}
	if err := a.checkFolder(writing); err != nil {
		return err
	}
	s, err := jsonstore.OpenDir(ctx, a.store, jsonstore.Options{Started: time.Now()})
	if err != nil {
		return err
	}
	var before, after tree.Info
	before, err = s.Info(ctx)
	if err == nil {
		err = s.Compact(ctx)
	}
	if err == nil {
		after, err = s.Info(ctx)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			Before int64 `json:"before"`
			After  int64 `json:"after"`
		}{before.Bytes, after.Bytes})
	}
	return a.print(a.say("%s had %s and has %s; nothing was lost.",
		a.store, screen.Bytes(before.Bytes), screen.Bytes(after.Bytes)))
}
