package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/internal/cli/say"
)

func mapShowCommand(a *app) *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use:  "show [PAGE]",
		Args: arguments(a.Voice, 0, 1, a.Say("an address or a route")),
		RunE: func(c *cobra.Command, args []string) error {
			return mapped(c.Context(), a, product, func(_ *memtree.Memory, x *appmap.Map) error {
				if len(args) == 0 {
					return printPages(a.Voice, x.Pages(product))
				}
				p, ok := x.Page(product, args[0])
				if !ok {
					return a.Usage("the map has no page %s; memtree map show lists them", args[0])
				}
				return a.Result(p, pageLines(a.Voice, &p)...)
			})
		},
	}
	productFlag(a.Voice, c, &product)
	return c
}

func printPages(v *say.Voice, pages []appmap.Page) error {
	if v.JSON {
		return v.PrintJSON(emptyNotNull(pages))
	}
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("page"), Least: 20}, {Head: v.Say("title"), Least: 10}, {Head: v.Say("seen"), Right: true},
		{Head: v.Say("tests"), Right: true}, {Head: v.Say("elements tested"), Right: true},
	}}
	for i := range pages {
		p := &pages[i]
		t.Add(p.Page, p.Title, fmt.Sprint(p.Seen), fmt.Sprint(len(p.Tests)),
			fmt.Sprintf("%d / %d", p.Count.Tested, p.Count.All))
	}
	return v.Table(t)
}

func pageLines(v *say.Voice, p *appmap.Page) []string {
	out := v.Page()
	out.Bold(strings.TrimSpace(p.Page + " " + p.Title))
	out.Part(v.Say("seen"), fmt.Sprint(p.Seen))
	out.Part(v.Say("parameters"), strings.Join(p.Params, " "))
	out.Part(v.Say("tests"), shortList(p.Tests))
	if len(p.Elements) > 0 {
		t := &say.Table{Columns: []say.Column{
			{Head: v.Say("role")}, {Head: v.Say("name"), Least: 16}, {Head: v.Say("place"), Least: 8},
			{Head: v.Say("tests"), Right: true},
		}}
		for _, e := range p.Elements {
			t.Add(e.Role, e.Name, e.Place, fmt.Sprint(len(e.Tests)))
		}
		out.Head(v.Say("Elements"))
		out.Table(t)
	}
	if len(p.Links) > 0 {
		out.Head(v.Say("Leads to"))
		for i := range p.Links {
			out.Add("  " + stepLineOf(v, &p.Links[i]))
		}
	}
	if len(p.Calls) > 0 {
		out.Head(v.Say("Calls"))
		for _, c := range p.Calls {
			out.Add(fmt.Sprintf("  %s %s %v", c.Method, c.Path, c.Statuses))
		}
	}
	return out.Lines
}

// stepLineOf returns one step of a way as a line.
func stepLineOf(v *say.Voice, s *appmap.WayStep) string {
	how := strings.TrimSpace(strings.Join([]string{s.Do, s.Role, quotedName(s.Name)}, " "))
	if how == "" {
		how = v.Say("link")
	}
	return s.To + "  (" + strings.Join(strings.Fields(how), " ") + ")"
}

func quotedName(s string) string {
	if s == "" {
		return ""
	}
	return "“" + s + "”"
}

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
	if v.JSON {
		return v.PrintJSON(emptyNotNull(found))
	}
	if len(found) == 0 && !all {
		return v.Print(v.Wrap(v.Say("No selector that fits has proved itself. --all also prints others."))...)
	}
	if len(found) == 0 {
		return v.Print(v.Say("Nothing fits."))
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
	return v.Print(p.Lines...)
}

func mapPathCommand(a *app) *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use:  "path FROM TO",
		Args: arguments(a.Voice, 2, 2, a.Say("two pages: addresses or routes")),
		RunE: func(c *cobra.Command, args []string) error {
			return mapped(c.Context(), a, product, func(_ *memtree.Memory, x *appmap.Map) error {
				way, ok := x.Path(product, args[0], args[1])
				if a.JSON {
					return a.PrintJSON(map[string]any{"found": ok, "steps": emptyNotNull(way)})
				}
				if !ok {
					return a.Print(a.Wrap(a.Say("No way from %s to %s is known.", args[0], args[1]))...)
				}
				out := a.Page()
				out.Raw(appmap.PageOf(args[0]))
				for i := range way {
					out.Add("→ " + stepLineOf(a.Voice, &way[i]))
					if way[i].Selector != "" {
						out.Add("    " + way[i].Selector)
					}
				}
				return a.Print(out.Lines...)
			})
		},
	}
	productFlag(a.Voice, c, &product)
	return c
}

func mapGapsCommand(a *app) *cobra.Command {
	product, limit := "", 20
	c := &cobra.Command{
		Use: "gaps",
		RunE: func(c *cobra.Command, _ []string) error {
			return mapped(c.Context(), a, product, func(m *memtree.Memory, x *appmap.Map) error {
				wrong, err := appmap.WrongOnPages(c.Context(), m.Tree(), product)
				if err != nil {
					return err
				}
				return printGaps(a.Voice, x.Gaps(product, func(page string) float64 { return wrong[page] }), limit)
			})
		},
	}
	productFlag(a.Voice, c, &product)
	c.Flags().IntVar(&limit, "limit", 20, a.Say("print this many at most; 0: all"))
	return c
}

func printGaps(v *say.Voice, gaps []appmap.Gap, limit int) error {
	all := len(gaps)
	if limit > 0 {
		gaps = gaps[:min(limit, all)]
	}
	if v.JSON {
		return v.PrintJSON(map[string]any{"all": all, "gaps": emptyNotNull(gaps)})
	}
	if all == 0 {
		return v.Print(v.Say("Tests touch all that the map has."))
	}
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("not tested")}, {Head: v.Say("page"), Least: 12}, {Head: v.Say("name"), Least: 20},
		{Head: v.Say("wrong verdicts"), Right: true},
	}}
	for i := range gaps {
		g := &gaps[i]
		t.Add(gapName(v, g), g.Page, g.Name, fmt.Sprint(g.Risk))
	}
	out := t.Painted(&v.Terminal)
	if len(gaps) < all {
		out = append(out, v.Say("%d more; --limit 0 prints all.", all-len(gaps)))
	}
	return v.Print(out...)
}

func gapName(v *say.Voice, g *appmap.Gap) string {
	switch g.Kind {
	case appmap.UntestedElement:
		return g.Role
	case appmap.UntestedPage:
		return v.Say("page")
	case appmap.OrphanPage:
		return v.Say("page without a way")
	case appmap.UntestedCall:
		return v.Say("interface")
	case appmap.UntestedFlow:
		return v.Say("flow")
	default:
		return v.Say("requirement")
	}
}

func mapRequirementsCommand(a *app) *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use: "requirements",
		RunE: func(c *cobra.Command, _ []string) error {
			return mapped(c.Context(), a, product, func(m *memtree.Memory, x *appmap.Map) error {
				return printRequirements(a.Voice, x.Requirements(product, m.Briefs().Prompts(product)))
			})
		},
	}
	productFlag(a.Voice, c, &product)
	return c
}

func printRequirements(v *say.Voice, all []appmap.Requirement) error {
	if v.JSON {
		return v.PrintJSON(emptyNotNull(all))
	}
	if len(all) == 0 {
		return v.Print(v.Wrap(v.Say("No requirement is known. Add a table: memtree map add requirements.csv"))...)
	}
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("code")}, {Head: v.Say("title"), Least: 20}, {Head: v.Say("priority")},
		{Head: v.Say("checked by"), Least: 16},
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
	return v.Table(t)
}
