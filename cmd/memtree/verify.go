package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/store"
)

func verifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "verify",
		RunE: func(c *cobra.Command, _ []string) error { return runVerify(c.Context(), a) },
	}
}

// keptProblems limits the reported problems of a badly damaged store.
const keptProblems = 1000

func runVerify(ctx context.Context, a *app) error {
	problems, total := []string{}, 0
	v, err := a.store.Verify(ctx, func(problem error) {
		said := problem.Error()
		if _, damaged := errors.AsType[*store.CorruptError](problem); damaged {
			said += a.Say("; memtree fsck says what is lost and how to go on")
		}
		if _, unreadable := errors.AsType[*store.UnreadableError](problem); unreadable {
			said = a.Sentence(problem)
		}
		for line := range strings.SplitSeq(said, "\n") {
			if total++; len(problems) < keptProblems {
				problems = append(problems, line)
			}
		}
	})
	if err != nil {
		return err
	}
	for _, p := range problems {
		if !a.JSON {
			a.Complain(p)
		}
	}
	err = a.Result(struct {
		OK       bool     `json:"ok"`
		Problems []string `json:"problems"`
		store.Verified
	}{total == 0, problems, v}, verifiedLines(a.Voice, v, total)...)
	if err == nil && total > 0 {
		return say.ErrPrinted
	}
	return err
}

func verifiedLines(v *say.Voice, x store.Verified, total int) []string {
	read := v.Say("Read %d memories, %d commits, %d ledger entries.", x.Nodes, x.Batches, x.Entries)
	if x.Files > 0 { // not of a database
		read = v.Say("Read %d files (%s): %d memories, %d batches, %d ledger entries.",
			x.Files, say.Bytes(x.Bytes), x.Nodes, x.Batches, x.Entries)
	}
	verdict := v.Paint(say.Green, v.Say("Everything is in order."))
	if total > 0 {
		verdict = v.Paint(say.Red, v.Say("Problems found: %d.", total))
	}
	p := v.Page()
	p.Raw(read)
	if x.Torn > 0 {
		p.Add(tornSentence(v, x.Torn))
	}
	return append(p.Lines, verdict)
}
