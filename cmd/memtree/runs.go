package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
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

const (
	mostUpdateLine = 64 << 10 // bytes
	exampleUpdate  = `{"kind": "note", "text": "the cart is slow"}`
)

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
		if a.JSON {
			return a.PrintJSON(did)
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
		return a.Print(out.Lines...)
	})
}

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

// runListFlags are the flags of run list.
type runListFlags struct {
	f     agentrun.Filter
	like  string
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
	l.StringVar(&f.like, "like", "", a.Say("ended runs whose goal is like this one, the likest first"))
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
		var found []agentrun.Episode
		var err error
		if f.like != "" {
			found, err = m.Runs().Like(ctx, f.like, f.f, f.limit)
		} else {
			var list []agentrun.Run
			list, err = m.Runs().List(ctx, f.f, f.limit)
			for i := range list {
				found = append(found, agentrun.Episode{Run: list[i]})
			}
		}
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
		t.Add(text.Fit(r.ID, 24), runState(v, r.State), tasks, count(len(r.Of(ledger.WorkFinding))),
			r.Last.UTC().Format("01-02 15:04"), text.Line(r.Goal))
	}
	return t.Painted(&v.Terminal)
}

func runState(v *say.Voice, s agentrun.State) string {
	return cmp.Or(map[agentrun.State]string{
		agentrun.Open: v.Say("under way"), agentrun.Success: v.Say("success"), agentrun.Partial: v.Say("partial"),
		agentrun.Failure: v.Say("failure"),
	}[s], string(s))
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
				if a.JSON {
					return a.PrintJSON(r)
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
				return a.Print(out.Lines...)
			})
		},
	}
	c.Flags().StringVar(&by, "by", "", a.Say("name of the agent that goes on"))
	return c
}

// runFailure is the error for a run that is not there.
func runFailure(v *say.Voice, id string, err error) error {
	if errors.Is(err, tree.ErrNotFound) {
		return v.Fail(err, "no run of the last 30 days is named %s; memtree run list lists them", id)
	}
	return err
}
