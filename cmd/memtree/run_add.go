package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/ledger"
)

func runAddCommand(a *app) *cobra.Command {
	by := ""
	c := &cobra.Command{
		Use:  "add ID [FILE]",
		Args: arguments(a.Voice, 1, 2, a.Say("the id of a run, and a file")),
		RunE: func(c *cobra.Command, args []string) error {
			file := "-"
			if len(args) > 1 {
				file = args[1]
			}
			list, err := updates(c.Context(), a, file, args[0], by)
			if err != nil {
				return err
			}
			return addToRun(c.Context(), a, list)
		},
	}
	c.Flags().StringVar(&by, "by", "", a.Say("name of the agent, where an update names none"))
	return c
}

// updates reads the lines of a file.
func updates(ctx context.Context, a *app, file, id, by string) (list []ledger.Work, err error) {
	err = a.files.Lines(ctx, file, mostUpdateLine, func(n int, line []byte) error {
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		var w ledger.Work
		if err := d.Decode(&w); err != nil {
			return a.Fail(err, "%s, line %d is no update: %s. A line is such as %s", a.files.Name(file), n, err.Error(),
				exampleUpdate)
		}
		w.Run, w.By = cmp.Or(w.Run, id), cmp.Or(w.By, by)
		list = append(list, w)
		return nil
	})
	if err == nil && len(list) == 0 {
		a.Complain(a.Say("%s has no update; write one on each line, such as %s", a.files.Name(file), exampleUpdate))
		return nil, say.ErrRejected
	}
	return list, err
}

// addToRun adds updates and prints what came of it.
func addToRun(ctx context.Context, a *app, list []ledger.Work) error {
	return a.store.Write(ctx, func(m *memtree.Memory) error {
		did, err := m.Runs().Add(ctx, list)
		if err != nil {
			return err
		}
		out := a.Page()
		out.Add(a.Say("Updates: %d. Known before: %d.", did.Updates, did.Known))
		if len(did.Taken) > 0 {
			out.Add(a.Say("Another agent took these tasks at the same moment; take others: %s",
				strings.Join(did.Taken, ", ")))
		}
		if did.Beside != "" {
			out.Add(a.Say("%s writes to this run too; agree on who does what.", did.Beside))
		}
		return a.Result(did, out.Lines...)
	})
}
