package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/tree"
)

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: a.say("Read the whole store and check it"),
		Long: a.say(`Checks every hash and chain of the files, every law of the tree, and that the index
knows every memory. Prints what is wrong and exits with 1 if anything is. Nothing is written.`),
		Args: a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error { return a.verify(c.Context()) },
	}
}

// keptProblems limits the reported problems of a badly damaged store.
const keptProblems = 1000

func (a *app) verify(ctx context.Context) error {
	var v tree.Verified
	problems, total := []string{}, 0
	err := a.with(ctx, reading, func(m *memtree.Memory) (err error) {
		v, err = m.Verify(ctx, func(problem error) {
			said := problem.Error()
			if _, damaged := errors.AsType[*tree.CorruptError](problem); damaged {
				said += a.say("; memtree fsck says what is lost and how to go on")
			}
			for line := range strings.SplitSeq(said, "\n") {
				if total++; len(problems) < keptProblems {
					problems = append(problems, line)
				}
			}
		})
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(struct {
			OK       bool     `json:"ok"`
			Problems []string `json:"problems"`
			tree.Verified
		}{total == 0, problems, v})
	} else {
		err = a.printVerified(v, problems, total)
	}
	if err == nil && total > 0 {
		return errSaid
	}
	return err
}

func (a *app) printVerified(v tree.Verified, problems []string, total int) error {
	for _, p := range problems {
		a.complain(p)
	}
	read := a.say("Read %d files (%s): %d memories, %d batches, %d ledger entries.",
		v.Files, screen.Bytes(v.Bytes), v.Nodes, v.Batches, v.Entries)
	verdict := a.Paint(screen.Green, a.say("Everything is in order."))
	if total > 0 {
		verdict = a.Paint(screen.Red, a.say("%d things are wrong.", total))
	}
	lines := []string{read}
	if v.Torn > 0 {
		lines = append(lines, a.Wrap(a.tornSentence(v.Torn))...)
	}
	return a.print(append(lines, verdict)...)
}
