package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/effect"
)

func (a *app) effectCommand() *cobra.Command {
	var arms string
	c := &cobra.Command{
		Use:   "effect --arms FILE [flags]",
		Short: a.say("Did it help? Hold the arms of an experiment against each other"),
		Long: a.say(`Compares the arms of a recorded experiment, such as an agent with memory and without: by how many
points more often one is right than the other, with its 95-percent interval, and the evidence E that
they differ. From 20 on it is proven, however often one looks. Cases are paired: only those that both
arms have count, each after the same number of attempts.

The file has a line for each run: {"study", "case_id", "arm", "correct"}, and "attempt" and "series"
where there are several.`),
		Example: "  memtree effect --arms arms.jsonl\n  memtree effect --arms - --json < arms.jsonl",
		Args:    a.arguments(0, 0, a.say("no arguments (the file goes after --arms)")),
		RunE: func(c *cobra.Command, _ []string) error {
			if arms == "" {
				return &usageError{a.say("--arms is missing; name a file of runs, or - for standard input")}
			}
			return a.compareArms(c.Context(), arms)
		},
	}
	c.Flags().StringVar(&arms, "arms", "", a.say("file of runs, or - for standard input"))
	return c
}

// mostArms bounds a file of runs, in bytes.
const mostArms = 64 << 20

func (a *app) compareArms(ctx context.Context, name string) error {
	file, err := a.textOf(ctx, name, mostArms)
	if err != nil {
		return err
	}
	if len(file) > mostArms {
		return &failure{a.say("%s is longer than %s, which is the most", name, byteCount(mostArms)), nil}
	}
	runs, err := effect.ParseRecorded([]byte(file))
	if err != nil {
		return &failure{fmt.Sprintf("%s: %s", name, a.sentence(err)), err}
	}
	pairs := effect.Compare(runs)
	if a.json {
		return a.printJSON(struct {
			Pairs []effect.Pair `json:"pairs"`
		}{append([]effect.Pair{}, pairs...)})
	}
	if len(pairs) == 0 {
		return writeLines(a.stdout, wrap(a.say("No study in %s has two arms with a case in common, so there is nothing "+
			"to compare.", name), a.width)...)
	}
	return a.printPairs(pairs)
}

// printPairs prints a table for each study, in the order of the pairs.
func (a *app) printPairs(pairs []effect.Pair) error {
	for from := 0; from < len(pairs); {
		to := from
		for to < len(pairs) && pairs[to].Study == pairs[from].Study {
			to++
		}
		head := wrap(oneLine(pairs[from].Study), a.width)
		if from > 0 {
			head = append([]string{""}, head...)
		}
		if err := writeLines(a.stdout, head...); err != nil {
			return err
		}
		if err := a.pairTable(pairs[from:to]).write(a.stdout, &a.screen); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func (a *app) pairTable(pairs []effect.Pair) *textTable {
	t := &textTable{columns: []column{
		{head: a.say("arm"), least: 16}, {head: a.say("against"), least: 14}, {head: a.say("test cases"), right: true},
		{head: a.say("points"), right: true}, {head: "E", right: true}, {head: ""},
	}}
	for i := range pairs {
		p := &pairs[i]
		proven := ""
		if p.Claimed() {
			proven = a.say("proven")
		}
		t.add(oneLine(p.B), oneLine(p.A), fmt.Sprint(p.N),
			fmt.Sprintf("%+.1f (%+.1f…%+.1f)", 100*p.Lift, 100*p.Low, 100*p.High), evidence(p.E), proven)
	}
	return t
}

// evidence prints E as far as it matters: 20 is proof, and a thousand is as good as more.
func evidence(e float64) string {
	if e > 1000 {
		return "> 1000"
	}
	return fmt.Sprintf("%.1f", e)
}
