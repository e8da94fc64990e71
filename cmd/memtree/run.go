package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/ledger"
	agentrun "github.com/memtree/memtree/run"
	"github.com/memtree/memtree/tree"
)

func runCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:  "run",
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(runStartCommand(a), runAddCommand(a), runListCommand(a), runShowCommand(a), runResumeCommand(a),
		runEndCommand(a), runRateCommand(a), runCompactCommand(a))
	return c
}

func runStartCommand(a *app) *cobra.Command {
	w := ledger.Work{}
	c := &cobra.Command{
		Use:  "start GOAL",
		Args: arguments(a.Voice, 1, 1, a.Say("the goal, in quotation marks")),
		RunE: func(c *cobra.Command, args []string) error {
			w.Text = args[0]
			return a.store.Write(c.Context(), func(m *memtree.Memory) error {
				r, err := m.Runs().Start(c.Context(), w)
				if err != nil {
					return err
				}
				return a.Result(r, r.ID)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&w.Run, "id", "", a.Say("id of the run; without it one is made"))
	f.StringVar(&w.Product, "product", "", a.Say("product that it is about"))
	f.StringVar(&w.Build, "build", "", a.Say("build of the product"))
	f.StringVar(&w.Test, "test", "", a.Say("id of the test, if it is a test"))
	f.StringVar(&w.By, "by", "", a.Say("name of the agent"))
	return c
}

const (
	mostUpdateLine = 64 << 10 // bytes
	exampleUpdate  = `{"kind": "note", "text": "the cart is slow"}`
)

func runEndCommand(a *app) *cobra.Command {
	w := ledger.Work{Kind: ledger.WorkEnd}
	c := &cobra.Command{
		Use:  "end ID",
		Args: arguments(a.Voice, 1, 1, a.Say("the id of a run")),
		RunE: func(c *cobra.Command, args []string) error {
			w.Run = args[0]
			return addToRun(c.Context(), a, []ledger.Work{w})
		},
	}
	c.Flags().StringVar(&w.State, "outcome", "success", a.Say("how it ended: success, partial or failure"))
	c.Flags().StringVar(&w.Text, "why", "", a.Say("why, in one sentence; it is saved"))
	c.Flags().StringVar(&w.By, "by", "", a.Say("name of the agent"))
	return c
}

func runRateCommand(a *app) *cobra.Command {
	w := ledger.Work{Kind: ledger.WorkFeedback}
	c := &cobra.Command{
		Use:  "rate ID",
		Args: arguments(a.Voice, 1, 1, a.Say("the id of a run")),
		RunE: func(c *cobra.Command, args []string) error {
			w.Run = args[0]
			return addToRun(c.Context(), a, []ledger.Work{w})
		},
	}
	c.Flags().IntVar(&w.Rating, "rating", 0, a.Say("1 to %d", ledger.MaxRating))
	c.Flags().StringVar(&w.Text, "why", "", a.Say("why, in one sentence; it is saved"))
	c.Flags().StringVar(&w.By, "by", "", a.Say("who decides; it is saved"))
	return c
}

func runShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "show ID",
		Args: arguments(a.Voice, 1, 1, a.Say("the id of a run")),
		RunE: func(c *cobra.Command, args []string) error {
			return a.store.Read(c.Context(), func(m *memtree.Memory) error {
				r, err := m.Runs().Get(c.Context(), args[0])
				if err != nil {
					return runFailure(a.Voice, args[0], err)
				}
				return a.Result(r, strings.TrimRight(agentrun.Markdown(&r, a.Lang), "\n"))
			})
		},
	}
}

// runFailure is the error for a run that is not there.
func runFailure(v *say.Voice, id string, err error) error {
	if errors.Is(err, tree.ErrNotFound) {
		return v.Fail(err, "no run of the last 30 days is named %s; memtree run list lists them", id)
	}
	return err
}
