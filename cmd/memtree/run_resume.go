package main

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/text"
	agentrun "github.com/memtree/memtree/run"
)

func runResumeCommand(a *app) *cobra.Command {
	by := ""
	c := &cobra.Command{
		Use:  "resume ID",
		Args: arguments(a.Voice, 1, 1, a.Say("the id of a run")),
		RunE: func(c *cobra.Command, args []string) error {
			return a.store.Read(c.Context(), func(m *memtree.Memory) error {
				r, err := m.Runs().Resume(c.Context(), args[0], by)
				if err != nil {
					return runFailure(a.Voice, args[0], err)
				}
				out := a.Page()
				out.Raw(strings.TrimRight(agentrun.Markdown(&r.Run, a.Lang), "\n"), "")
				for _, name := range slices.Sorted(maps.Keys(r.Run.Values)) {
					out.Raw(a.Say("value %s: %s", name, text.Line(r.Run.Values[name])))
				}
				out.Add(a.Say("Last update %s ago.", r.Idle.Round(time.Second)))
				if len(r.Taken) > 0 {
					out.Add(a.Say("Tasks that other agents do: %d. They are free five minutes after the last "+
						"update of those.", len(r.Taken)))
				}
				if r.Beside != "" {
					out.Add(a.Say("%s writes to this run too; agree on who does what.", r.Beside))
				}
				return a.Result(r, out.Lines...)
			})
		},
	}
	c.Flags().StringVar(&by, "by", "", a.Say("name of the agent that goes on"))
	return c
}
