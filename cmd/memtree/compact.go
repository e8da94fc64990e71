package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
)

func compactCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "compact",
		RunE: func(c *cobra.Command, _ []string) error { return runCompact(c.Context(), a) },
	}
}

func runCompact(ctx context.Context, a *app) (err error) {
	if a.store.ReadOnly {
		return a.Usage("compact writes; leave --read-only out")
	}
	if err := a.store.NeedsFolder("VACUUM"); err != nil {
		return err
	}
	if err := a.store.Exists(); err != nil {
		return err
	}
	s, err := jsonstore.OpenDir(ctx, a.store.Dir, jsonstore.Options{Started: time.Now()})
	if err != nil {
		return err
	}
	var before, after store.Info
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
	return a.Result(struct {
		Before int64 `json:"before"`
		After  int64 `json:"after"`
	}{before.Bytes, after.Bytes}, a.Say("%s had %s and has %s; nothing was lost.",
		a.store.Dir, say.Bytes(before.Bytes), say.Bytes(after.Bytes)))
}
