package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	jsonstore "github.com/memtree/memtree/store/json"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
)

func fsckCommand(a *app) *cobra.Command {
	var accept bool
	c := &cobra.Command{
		Use:  "fsck",
		RunE: func(c *cobra.Command, _ []string) error { return runFsck(c.Context(), a, accept) },
	}
	c.Flags().BoolVar(&accept, "accept-loss", false, a.Say("go on without what is lost"))
	return c
}

func runFsck(ctx context.Context, a *app, accept bool) error {
	if accept && a.store.ReadOnly {
		return a.Usage("--accept-loss writes; leave --read-only out")
	}
	if err := a.store.NeedsFolder("memtree verify"); err != nil {
		return err
	}
	if err := a.store.CheckFolder(access.Making); err != nil {
		return err
	}
	r, err := jsonstore.Fsck(ctx, a.store.Dir, time.Now(), accept)
	if err != nil {
		return err
	}
	repaired := accept && !r.Whole()
	err = a.Result(struct {
		OK       bool `json:"ok"` // whether the store is intact now
		Repaired bool `json:"repaired"`
		jsonstore.Repair
	}{r.Whole() || repaired, repaired, r}, repairLines(a.Voice, &r, repaired)...)
	if err == nil && !r.Whole() && !repaired {
		return say.ErrPrinted
	}
	return err
}

// mostLost bounds how many losses are printed; --json prints all.
const mostLost = 40

func repairLines(v *say.Voice, r *jsonstore.Repair, repaired bool) []string {
	p := v.Page()
	list := func(head string, items []string) {
		if len(items) == 0 {
			return
		}
		p.Add(head)
		for i, item := range items {
			if i == mostLost {
				p.Add("  " + v.Say("... and %d more", len(items)-mostLost))
				break
			}
			for k, l := range say.Wrap(item, v.Width-4) {
				p.Raw([2]string{"  ", "    "}[min(k, 1)] + l)
			}
		}
	}
	var lost []string
	for i := range r.Lost {
		lost = append(lost, lossSentence(v, &r.Lost[i]))
	}
	list(v.Paint(say.Red, v.Say("Lost, and acknowledged once:")), lost)
	list(v.Say("Damaged, and made again with nothing lost:"), r.Again)
	if r.Torn > 0 {
		p.Add(tornSentence(v, r.Torn))
	}
	list(v.Say("Set aside, for you to look at; nothing deletes it:"), r.Moved)
	if len(p.Lines) > 0 {
		p.Raw("")
	}
	p.Add(v.Say("Whole: %d memories, %d runs that wait to be looked at, %d ledger entries.",
		r.Kept.Nodes, r.Kept.Evaluations, r.Kept.Entries))
	switch {
	case r.Whole():
		p.Add(v.Paint(say.Green, v.Say("Everything is in order.")))
	case repaired:
		p.Add(v.Paint(say.Green, v.Say("The store is repaired and opens again.")))
		if len(r.Lost) > 0 && !v.Quiet {
			if r.Mended > 0 {
				p.Add(v.Say("%d memories no longer refer to lost ones; a lesson without a case is archived.", r.Mended))
			}
			p.Add(v.Say("Record the files of your runs again: what was lost is taken anew (%d runs whose memory is gone, "+
				"and what a batch held), what is known is skipped. Then: memtree verify", r.Forgotten))
		}
	case len(r.Lost) == 0:
		p.Add(v.Say("Nothing was changed. To repair it, with nothing lost: memtree fsck --accept-loss"))
	default:
		p.Add(v.Say("Nothing was changed. To go on with what is whole: copy the folder if you want to keep it as it is, " +
			"then memtree fsck --accept-loss"))
	}
	return p.Lines
}

// tornSentence describes a torn write at the end of the journal, which was never acknowledged.
func tornSentence(v *say.Voice, bytes int64) string {
	return v.Say("The last write was cut short after %d bytes, before anybody was told that it was kept: "+
		"nothing is lost by it.", bytes)
}

// lossSentence describes a loss and its place in the file.
func lossSentence(v *say.Voice, l *jsonstore.Loss) string {
	where := v.Say("%s from byte %d: ", l.File, l.Offset)
	switch {
	case l.Kind == jsonstore.LostHeld && l.Name == "inbox":
		return where + v.Say("the texts of the runs without a label; their files recorded again, they wait for one again")
	case l.Kind == jsonstore.LostHeld:
		return where + v.Say("what it held beside the tree (%s)", l.Name)
	case l.Name != "":
		return where + v.Say("the memory %s", l.Name)
	}
	switch l.Kind {
	case jsonstore.LostBatches:
		if l.Count == 0 {
			return where + v.Say("%d bytes of batches, nobody can say how many", l.Bytes)
		}
		return where + v.Say("%d batches, %d bytes", l.Count, l.Bytes)
	case jsonstore.LostNodes:
		return where + v.Say("%d memories", l.Count)
	case jsonstore.LostEvaluations:
		return where + v.Say("%d runs that waited to be looked at", l.Count)
	case jsonstore.LostEntries:
		return where + v.Say("%d ledger entries", l.Count)
	case jsonstore.LostLetters:
		return where + v.Say("%d runs that had been set aside", l.Count)
	case jsonstore.LostKeys:
		return where + v.Say("that %d runs were recorded: recorded again, they count again", l.Count)
	case jsonstore.LostHeld: // above
	}
	return where + string(l.Kind)
}
