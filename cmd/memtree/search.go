package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
)

func (a *app) searchCommand() *cobra.Command {
	q := find.Question{}
	c := &cobra.Command{
		Use:   `search "TEXT"`,
		Short: a.say("Look for a text in memories, facts and elements of the map"),
		Long: a.say(`Prints what fits a text, the best of each kind first: cases with what the evaluator wrote, lessons,
facts, and elements of the application with their selectors. A part in double quotation marks has to occur as it
is. What would be given before a run is another question: memtree guide, or explain.`),
		Example: "  memtree search \"order total\"\n  memtree search '\"masked on purpose\"' --kind fact --product bank\n" +
			"  memtree search refund --since 2026-03-01 --json",
		Args: a.arguments(1, -1, a.say("what is looked for")),
		RunE: func(c *cobra.Command, args []string) error {
			q.Text, q.Lang = strings.Join(args, " "), a.lang
			return a.search(c.Context(), q)
		},
	}
	c.Flags().StringArrayVar(&q.Kinds, "kind", nil, a.say("only these kinds: %s; may be repeated",
		strings.Join(find.Kinds(), ", ")))
	c.Flags().StringVar(&q.Where.Product, "product", "", a.say("only of this product"))
	c.Flags().StringVar(&q.Where.Since, "since", "", a.say("first day, such as 2026-01-31"))
	c.Flags().StringVar(&q.Where.Until, "until", "", a.say("last day, such as 2026-01-31"))
	c.Flags().IntVar(&q.Limit, "limit", 20, a.say("print this many at most, up to 200"))
	completes(c, "kind", find.Kinds)
	return c
}

func (a *app) search(ctx context.Context, q find.Question) error {
	return a.with(ctx, reading, func(m *memtree.Memory) error {
		hits, err := m.Search(ctx, q)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(hits)
		}
		if len(hits) == 0 {
			return a.print(a.say("Nothing fits."))
		}
		var out []string
		for i := range hits {
			h := &hits[i]
			at := ""
			if !h.At.IsZero() {
				at = h.At.UTC().Format("2006-01-02")
			}
			head := dotted(a.foundKind(h.Kind), short(h.ID), h.Product, at, fmt.Sprintf("%.2f", h.Score))
			out = append(out, a.Paint(screen.Bold, head))
			out = append(out, screen.Hanging("  ", text.Line(text.Clip(h.Title, 240)), a.Width)...)
			if h.Text != "" {
				out = append(out, screen.Hanging("    ", text.Line(text.Clip(h.Text, 240)), a.Width)...)
			}
		}
		return a.print(out...)
	})
}

// foundKind names a kind of hit.
func (a *app) foundKind(kind string) string {
	switch kind {
	case find.Fact:
		return a.say("fact")
	case find.Element:
		return a.say("element")
	case "case":
		return a.say("case")
	case "strategy":
		return a.say("strategy")
	}
	return a.say("experience")
}
