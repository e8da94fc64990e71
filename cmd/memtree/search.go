package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
)

func searchCommand(a *app) *cobra.Command {
	q := find.Search{}
	c := &cobra.Command{
		Use:  `search "TEXT"`,
		Args: arguments(a.Voice, 1, -1, a.Say("what is looked for")),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkFind(a.Voice, &q.Where); err != nil {
				return err
			}
			for _, kind := range q.Kinds {
				if !slices.Contains(find.Kinds(), kind) {
					return a.Usage("--kind is %q; use %s", kind, choices(find.Kinds()))
				}
			}
			q.Text, q.Lang = strings.Join(args, " "), a.Lang
			return runSearch(c.Context(), a, q)
		},
	}
	c.Flags().StringArrayVar(&q.Kinds, "kind", nil, a.Say("only these kinds: %s; may be repeated",
		strings.Join(find.Kinds(), ", ")))
	c.Flags().StringVar(&q.Where.Product, "product", "", a.Say("only of this product"))
	c.Flags().StringVar(&q.Where.Since, "since", "", a.Say("first day, such as 2026-01-31"))
	c.Flags().StringVar(&q.Where.Until, "until", "", a.Say("last day, such as 2026-01-31"))
	c.Flags().IntVar(&q.Limit, "limit", 20, a.Say("print this many at most, up to 200"))
	completes(c, "kind", find.Kinds)
	return c
}

func runSearch(ctx context.Context, a *app, q find.Search) error {
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		consideredOf, err := m.Search(ctx, q)
		if err != nil {
			return err
		}
		if len(consideredOf) == 0 {
			return a.Result(consideredOf, a.Say("Nothing fits."))
		}
		out := a.Page()
		for i := range consideredOf {
			h := &consideredOf[i]
			at := ""
			if !h.At.IsZero() {
				at = h.At.UTC().Format("2006-01-02")
			}
			head := dotted(foundKind(a.Voice, h.Kind), short(h.ID), h.Product, at, fmt.Sprintf("%.2f", h.Score))
			out.Bold(head)
			out.Item("  ", text.Line(text.Clip(h.Title, 240)))
			if h.Text != "" {
				out.Item("    ", text.Line(text.Clip(h.Text, 240)))
			}
		}
		return a.Result(consideredOf, out.Lines...)
	})
}

// foundKind names a kind of hit.
func foundKind(v *say.Voice, kind string) string {
	return cmp.Or(map[string]string{
		find.Fact: v.Say("fact"), find.Element: v.Say("element"), "case": v.Say("case"), "strategy": v.Say("strategy"),
	}[kind], v.Say("experience"))
}
