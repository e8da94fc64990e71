package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/internal/cli/say"
)

func mapFindCommand(a *app) *cobra.Command {
	q := appmap.SelectorQuery{}
	all := false
	c := &cobra.Command{
		Use:  `find "ELEMENT"`,
		Args: arguments(a.Voice, 1, 1, a.Say("what is looked for, in quotation marks")),
		RunE: func(c *cobra.Command, args []string) error {
			q.Text = args[0]
			if all {
				q.Least = -1
			}
			return mapped(c.Context(), a, q.Product, func(_ *memtree.Memory, x *appmap.Map) error {
				return printFound(a.Voice, x.Find(q), all)
			})
		},
	}
	productFlag(a.Voice, c, &q.Product)
	c.Flags().StringVar(&q.Page, "page", "", a.Say("only on this page"))
	c.Flags().StringVar(&q.Do, "do", "", a.Say("only for this action, such as click or fill"))
	c.Flags().IntVar(&q.Limit, "limit", 5, a.Say("print this many at most"))
	c.Flags().BoolVar(&all, "all", false, a.Say("also what has not proved itself"))
	return c
}

func printFound(v *say.Voice, found []appmap.FoundSelector, all bool) error {
	found = emptyNotNull(found)
	if len(found) == 0 && !all {
		return v.Result(found, v.Wrap(v.Say("No selector that fits has proved itself. --all also prints others."))...)
	}
	if len(found) == 0 {
		return v.Result(found, v.Say("Nothing fits."))
	}
	p := v.Page()
	for i := range found {
		f := &found[i]
		what := strings.Join(strings.Fields(strings.Join([]string{f.Do, f.Role, quotedName(f.Name)}, " ")), " ")
		state := v.Say("not tried yet")
		if f.Tried > 0 {
			state = v.Say("worked %d of %d times, trust %.2f", f.Worked, f.Tried, f.Trust)
		}
		p.Bold(f.Selector)
		p.Add("  " + f.Page + " · " + what + " · " + state)
	}
	return v.Result(found, p.Lines...)
}
