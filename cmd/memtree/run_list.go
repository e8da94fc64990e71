package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	agentrun "github.com/memtree/memtree/run"
)

// runListFlags are the flags of run list.
type runListFlags struct {
	f     agentrun.Filter
	limit int
}

func runListCommand(a *app) *cobra.Command {
	f := runListFlags{limit: 20}
	c := &cobra.Command{
		Use:  "list",
		RunE: func(c *cobra.Command, _ []string) error { return runList(c.Context(), a, &f) },
	}
	l := c.Flags()
	l.StringVar((*string)(&f.f.State), "state", "", a.Say("only these: open, ended, success, partial or failure"))
	l.StringVar(&f.f.Product, "product", "", a.Say("only for this product"))
	l.StringVar(&f.f.Agent, "by", "", a.Say("only those of this agent"))
	l.StringVar(&f.f.Words, "words", "", a.Say("only those that contain this"))
	l.StringVar(&f.f.Like, "like", "", a.Say("ended runs whose goal is like this one, the likest first"))
	l.IntVar(&f.limit, "limit", f.limit, a.Say("how many runs to print; 0 for all"))
	return c
}

func runList(ctx context.Context, a *app, f *runListFlags) error {
	switch f.f.State {
	case "", agentrun.Open, agentrun.Ended, agentrun.Success, agentrun.Partial, agentrun.Failure:
	default:
		return a.Usage("--state is %q; use open, ended, success, partial or failure", f.f.State)
	}
	if f.limit < 0 {
		return a.Usage("--limit is %d; use 0 for all", f.limit)
	}
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		found, err := m.Runs().Find(ctx, f.f, f.limit)
		switch {
		case err != nil:
			return err
		case a.JSON:
			return a.PrintJSON(map[string][]agentrun.Episode{"runs": append([]agentrun.Episode{}, found...)})
		case len(found) == 0:
			return a.Print(a.Say("No run. memtree run start begins one."))
		}
		return a.Print(runTable(a.Voice, found)...)
	})
}

// runTable lists runs, a line each.
func runTable(v *say.Voice, found []agentrun.Episode) []string {
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("run")}, {Head: v.Say("state")}, {Head: v.Say("tasks"), Right: true},
		{Head: v.Say("found"), Right: true}, {Head: v.Say("last update")}, {Head: v.Say("goal"), Least: 20},
	}}
	for i := range found {
		r := &found[i].Run
		done := 0
		for _, task := range r.Tasks {
			if task.State == "done" {
				done++
			}
		}
		tasks := "·"
		if len(r.Tasks) > 0 {
			tasks = fmt.Sprintf("%d/%d", done, len(r.Tasks))
		}
		t.Add(text.Fit(r.ID, 24), v.Names().RunState(r.State), tasks, count(len(r.Of(ledger.WorkFinding))),
			r.Last.UTC().Format("01-02 15:04"), text.Line(r.Goal))
	}
	return t.Painted(&v.Terminal)
}
