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
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("page"), Least: 20}, {Head: v.Say("title"), Least: 10}, {Head: v.Say("seen"), Right: true},
		{Head: v.Say("tests"), Right: true}, {Head: v.Say("elements tested"), Right: true},
	}}
	for i := range pages {
		p := &pages[i]
		t.Add(p.Page, p.Title, fmt.Sprint(p.Seen), fmt.Sprint(len(p.Tests)),
			fmt.Sprintf("%d / %d", p.Count.Tested, p.Count.All))
	}
	return v.Result(emptyNotNull(pages), t.Painted(&v.Terminal)...)
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
	how := cmp.Or(strings.TrimSpace(strings.Join([]string{s.Do, s.Role, quotedName(s.Name)}, " ")), v.Say("link"))
	return s.To + "  (" + strings.Join(strings.Fields(how), " ") + ")"
}

func quotedName(s string) string {
	if s == "" {
		return ""
	}
	return "“" + s + "”"
}
