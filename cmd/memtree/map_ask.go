package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/internal/cli/screen"
)

func (a *app) mapShowCommand() *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use:   "show [PAGE]",
		Short: a.say("Print the pages of the application, or one of them with what it contains"),
		Args:  a.arguments(0, 1, a.say("an address or a route")),
		RunE: func(c *cobra.Command, args []string) error {
			return a.mapped(c.Context(), product, func(_ *memtree.Memory, x *appmap.Map) error {
				if len(args) == 0 {
					return a.printPages(x.Pages(product))
				}
				p, ok := x.Page(product, args[0])
				if !ok {
					return &usageError{a.say("the map has no page %s; memtree map show lists them", args[0])}
				}
				if a.json {
					return a.printJSON(p)
				}
				return a.printPage(&p)
			})
		},
	}
	a.productFlag(c, &product)
	return c
}

func (a *app) printPages(pages []appmap.Page) error {
	if a.json {
		return a.printJSON(emptyNotNull(pages))
	}
	t := &screen.Table{Columns: []screen.Column{
		{Head: a.say("page"), Least: 20}, {Head: a.say("title"), Least: 10}, {Head: a.say("seen"), Right: true},
		{Head: a.say("tests"), Right: true}, {Head: a.say("elements tested"), Right: true},
	}}
	for i := range pages {
		p := &pages[i]
		t.Add(p.Page, p.Title, fmt.Sprint(p.Seen), fmt.Sprint(len(p.Tests)),
			fmt.Sprintf("%d / %d", p.Count.Tested, p.Count.All))
	}
	return a.print(a.tableLines(t)...)
}

func (a *app) printPage(p *appmap.Page) error {
	out := &screen.Page{Width: a.Width}
	out.Lines = append(out.Lines, a.Paint(screen.Bold, strings.TrimSpace(p.Page+" "+p.Title)))
	out.Part(a.say("seen"), fmt.Sprint(p.Seen))
	out.Part(a.say("parameters"), strings.Join(p.Params, " "))
	out.Part(a.say("tests"), shortList(p.Tests))
	if len(p.Elements) > 0 {
		t := &screen.Table{Columns: []screen.Column{
			{Head: a.say("role")}, {Head: a.say("name"), Least: 16}, {Head: a.say("place"), Least: 8},
			{Head: a.say("tests"), Right: true},
		}}
		for _, e := range p.Elements {
			t.Add(e.Role, e.Name, e.Place, fmt.Sprint(len(e.Tests)))
		}
		out.Head(a.say("Elements"))
		out.Lines = append(out.Lines, a.tableLines(t)...)
	}
	if len(p.Links) > 0 {
		out.Head(a.say("Leads to"))
		for i := range p.Links {
			out.Lines = append(out.Lines, a.Wrap("  "+a.stepLineOf(&p.Links[i]))...)
		}
	}
	if len(p.Calls) > 0 {
		out.Head(a.say("Calls"))
		for _, c := range p.Calls {
			out.Lines = append(out.Lines, a.Wrap(fmt.Sprintf("  %s %s %v", c.Method, c.Path, c.Statuses))...)
		}
	}
	return a.print(out.Lines...)
}

// stepLineOf returns one step of a way as a line.
func (a *app) stepLineOf(s *appmap.Step) string {
	how := strings.TrimSpace(strings.Join([]string{s.Do, s.Role, quotedName(s.Name)}, " "))
	if how == "" {
		how = a.say("link")
	}
	return s.To + "  (" + strings.Join(strings.Fields(how), " ") + ")"
}

func quotedName(s string) string {
	if s == "" {
		return ""
	}
	return "“" + s + "”"
}

func (a *app) mapFindCommand() *cobra.Command {
	q := appmap.Query{}
	all := false
	c := &cobra.Command{
		Use:   `find "ELEMENT"`,
		Short: a.say("Find selectors that worked for an element"),
		Long: a.say(`Finds elements by what they are called, under other names too, and prints the selectors that worked:
those whose success rate is .7 or more at the lower end of its interval. With --all also others,
and for untouched elements the selector that Playwright would use.`),
		Example: "  memtree map find \"the submit button of the login form\"\n" +
			"  memtree map find \"search\" --page /orders --do fill --all",
		Args: a.arguments(1, 1, a.say("what is looked for, in quotation marks")),
		RunE: func(c *cobra.Command, args []string) error {
			q.Text = args[0]
			if all {
				q.Least = -1
			}
			return a.mapped(c.Context(), q.Product, func(_ *memtree.Memory, x *appmap.Map) error {
				return a.printFound(x.Find(q), all)
			})
		},
	}
	a.productFlag(c, &q.Product)
	c.Flags().StringVar(&q.Page, "page", "", a.say("only on this page"))
	c.Flags().StringVar(&q.Do, "do", "", a.say("only for this action, such as click or fill"))
	c.Flags().IntVar(&q.Limit, "limit", 5, a.say("print this many at most"))
	c.Flags().BoolVar(&all, "all", false, a.say("also what has not proved itself"))
	return c
}

func (a *app) printFound(found []appmap.Found, all bool) error {
	if a.json {
		return a.printJSON(emptyNotNull(found))
	}
	if len(found) == 0 && !all {
		return a.print(a.Wrap(a.say("No selector that fits has proved itself. --all also prints others."))...)
	}
	if len(found) == 0 {
		return a.print(a.say("Nothing fits."))
	}
	var out []string
	for i := range found {
		f := &found[i]
		what := strings.Join(strings.Fields(strings.Join([]string{f.Do, f.Role, quotedName(f.Name)}, " ")), " ")
		state := a.say("not tried yet")
		if f.Tried > 0 {
			state = a.say("worked %d of %d times, trust %.2f", f.Worked, f.Tried, f.Trust)
		}
		out = append(out, a.Wrap(a.Paint(screen.Bold, f.Selector))...)
		out = append(out, a.Wrap("  "+f.Page+" · "+what+" · "+state)...)
	}
	return a.print(out...)
}

func (a *app) mapPathCommand() *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use:   "path FROM TO",
		Short: a.say("Print the shortest way from one page to another"),
		Args:  a.arguments(2, 2, a.say("two pages: addresses or routes")),
		RunE: func(c *cobra.Command, args []string) error {
			return a.mapped(c.Context(), product, func(_ *memtree.Memory, x *appmap.Map) error {
				way, ok := x.Path(product, args[0], args[1])
				if a.json {
					return a.printJSON(struct {
						Found bool          `json:"found"`
						Steps []appmap.Step `json:"steps"`
					}{ok, emptyNotNull(way)})
				}
				if !ok {
					return a.print(a.Wrap(a.say("No way from %s to %s is known.", args[0], args[1]))...)
				}
				out := []string{appmap.PageOf(args[0])}
				for i := range way {
					out = append(out, a.Wrap("→ "+a.stepLineOf(&way[i]))...)
					if way[i].Selector != "" {
						out = append(out, a.Wrap("    "+way[i].Selector)...)
					}
				}
				return a.print(out...)
			})
		},
	}
	a.productFlag(c, &product)
	return c
}

func (a *app) mapGapsCommand() *cobra.Command {
	product, limit := "", 20
	c := &cobra.Command{
		Use:   "gaps",
		Short: a.say("Print what no test touches, the riskiest first"),
		Long: a.say(`Prints the elements, pages, interfaces, flows and requirements that no test touches, and pages
that nothing leads to. First come those of pages on which verdicts were wrong: each wrong verdict
counts one.`),
		Args: a.arguments(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.mapped(c.Context(), product, func(m *memtree.Memory, x *appmap.Map) error {
				wrong, err := appmap.WrongOnPages(c.Context(), m.Tree(), product)
				if err != nil {
					return err
				}
				return a.printGaps(x.Gaps(product, func(page string) float64 { return wrong[page] }), limit)
			})
		},
	}
	a.productFlag(c, &product)
	c.Flags().IntVar(&limit, "limit", 20, a.say("print this many at most; 0: all"))
	return c
}

func (a *app) printGaps(gaps []appmap.Gap, limit int) error {
	all := len(gaps)
	if limit > 0 {
		gaps = gaps[:min(limit, all)]
	}
	if a.json {
		return a.printJSON(struct {
			All  int          `json:"all"`
			Gaps []appmap.Gap `json:"gaps"`
		}{all, emptyNotNull(gaps)})
	}
	if all == 0 {
		return a.print(a.say("Tests touch all that the map has."))
	}
	t := &screen.Table{Columns: []screen.Column{
		{Head: a.say("not tested")}, {Head: a.say("page"), Least: 12}, {Head: a.say("name"), Least: 20},
		{Head: a.say("wrong verdicts"), Right: true},
	}}
	for i := range gaps {
		g := &gaps[i]
		t.Add(a.gapName(g), g.Page, g.Name, fmt.Sprint(g.Risk))
	}
	out := a.tableLines(t)
	if len(gaps) < all {
		out = append(out, a.say("%d more; --limit 0 prints all.", all-len(gaps)))
	}
	return a.print(out...)
}

func (a *app) gapName(g *appmap.Gap) string {
	switch g.Kind {
	case appmap.UntestedElement:
		return g.Role
	case appmap.UntestedPage:
		return a.say("page")
	case appmap.OrphanPage:
		return a.say("page without a way")
	case appmap.UntestedCall:
		return a.say("interface")
	case appmap.UntestedFlow:
		return a.say("flow")
	default:
		return a.say("requirement")
	}
}

func (a *app) mapRequirementsCommand() *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use:   "requirements",
		Short: a.say("Print which tests check which requirement"),
		Long: a.say(`Prints the requirements that memtree map add has read from a table, with the tests that check
each: those that the table names, and among the tests that ran those that name its code or are
like its title, with how sure that is.`),
		Args: a.arguments(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.mapped(c.Context(), product, func(m *memtree.Memory, x *appmap.Map) error {
				tests := map[string]string{}
				for _, b := range m.Briefs().Coming() {
					if product == "" || b.Test.Product == product {
						tests[cmp.Or(b.Test.ID, b.Test.Prompt)] = b.Test.Prompt
					}
				}
				return a.printRequirements(x.Requirements(product, tests))
			})
		},
	}
	a.productFlag(c, &product)
	return c
}

func (a *app) printRequirements(all []appmap.Requirement) error {
	if a.json {
		return a.printJSON(emptyNotNull(all))
	}
	if len(all) == 0 {
		return a.print(a.Wrap(a.say("No requirement is known. Add a table: memtree map add requirements.csv"))...)
	}
	t := &screen.Table{Columns: []screen.Column{
		{Head: a.say("code")}, {Head: a.say("title"), Least: 20}, {Head: a.say("priority")},
		{Head: a.say("checked by"), Least: 16},
	}}
	for i := range all {
		r := &all[i]
		var checks []string
		for _, c := range r.Checks[:min(3, len(r.Checks))] {
			name := c.Test
			if c.Confidence < 1 {
				name += fmt.Sprintf(" (%.2f)", c.Confidence)
			}
			checks = append(checks, name)
		}
		t.Add(r.Code, r.Title, r.Priority, cmp.Or(strings.Join(checks, ", "), "-"))
	}
	return a.print(a.tableLines(t)...)
}

// emptyNotNull returns a list that JSON writes as [] where it is empty.
func emptyNotNull[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return slices.Clip(list)
}
