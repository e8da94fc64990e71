package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/ledger"
	agentrun "github.com/memtree/memtree/run"
)

// Limits of a transcript.
const (
	longestMessage = 2 << 20 // bytes of a line
	mostTranscript = 64 << 20
	exampleMessage = `{"role": "assistant", "content": "I pay by card, since the invoice is broken."}`
)

func runCompactCommand(a *app) *cobra.Command {
	o := agentrun.CompactOptions{}
	c := &cobra.Command{
		Use:  "compact [FILE]",
		Args: arguments(a.Voice, 0, 1, a.Say("a file of messages")),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Budget < 100 {
				return a.Usage("--budget is %d; use 100 or more", o.Budget)
			}
			o.Lang = a.Lang
			return fitMessages(c.Context(), a, cmp.Or(append(args, "-")[0], "-"), o)
		},
	}
	c.Flags().IntVar(&o.Budget, "budget", 0, a.Say("most tokens of the result"))
	c.Flags().IntVar(&o.Last, "last", 6, a.Say("messages at the end that stay whole"))
	return c
}

// fitMessages prints a transcript within a budget: its lines, or with --json one object with what was done.
func fitMessages(ctx context.Context, a *app, file string, o agentrun.CompactOptions) error {
	list, err := messages(ctx, a, file)
	if err != nil {
		return err
	}
	out, did := agentrun.Compact(list, o)
	if a.JSON {
		return a.PrintJSON(struct {
			agentrun.Compacted
			Messages []agentrun.Message `json:"messages"`
		}{did, emptyNotNull(out)})
	}
	for i := range out {
		m := &out[i]
		b, err := json.Marshal(struct {
			Role    string          `json:"role"`
			Kind    ledger.WorkKind `json:"kind,omitempty"`
			Content string          `json:"content"`
		}{m.Role, m.Kind, m.Text})
		if err == nil {
			err = a.Print(string(b))
		}
		if err != nil {
			return err
		}
	}
	a.Note(a.Say("Tokens: %d of %d. Only in the summary: %d messages; cut: %d.", did.After, did.Before, did.Left,
		did.Short+did.Clipped))
	return nil
}

// messages reads a transcript.
func messages(ctx context.Context, a *app, file string) (list []agentrun.Message, err error) {
	total := 0
	err = a.files.Lines(ctx, file, longestMessage, func(n int, line []byte) error {
		var m struct {
			agentrun.Message
			Content string `json:"content"`
		}
		err := json.Unmarshal(line, &m)
		switch {
		case err != nil && !json.Valid(line):
			err = errors.New(a.Say("it is not JSON"))
		case err == nil && m.Role == "":
			err = errors.New(a.Say("it has no role"))
		}
		if err != nil {
			return a.Fail(err, "%s, line %d is no message: %s. A line is such as %s", a.files.Name(file), n, err.Error(),
				exampleMessage)
		}
		if total += len(line); total > mostTranscript {
			return a.Fail(nil, "%s has more than %d MiB; hand in a part of it", a.files.Name(file), mostTranscript>>20)
		}
		m.Text = cmp.Or(m.Text, m.Content)
		list = append(list, m.Message)
		return nil
	})
	if err == nil && len(list) == 0 {
		a.Complain(a.Say("%s has no message; write one on each line, such as %s", a.files.Name(file), exampleMessage))
		return nil, say.ErrRejected
	}
	return list, err
}
