package main

import (
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// This file shows lessons as evolve and review print them.

// learnedCounts is the number of changes by kind.
type learnedCounts struct{ experiences, strategies, revised, out, attached, retyped, trusted int }

func countChanges(v *evolution.Evolved) (l learnedCounts, lines []tree.Change) {
	for _, plan := range v.Plans {
		for _, c := range plan.Changes {
			switch {
			case c.Node.Type == tree.Case && c.Op == tree.OpRevise:
				l.retyped++
			case c.Node.Type == tree.Case:
				l.attached++
			case c.Op == tree.OpAdd && c.Node.Type == tree.Strategy:
				l.strategies++
			case c.Op == tree.OpAdd:
				l.experiences++
			case !c.Node.Live():
				l.out++
			case c.Op == tree.OpRevise:
				l.revised++
			case c.Op == tree.OpCredit || c.Op == tree.OpStatus:
				l.trusted++
			}
			if c.Node.Type != tree.Case && c.Op != tree.OpAttach && c.Op != tree.OpCredit {
				lines = append(lines, c)
			}
		}
	}
	return l, lines
}

// changeLines shows a new or changed abstraction: its content and the reason for it.
func changeLines(v *say.Voice, tax *taxonomy.Taxonomy, c *tree.Change) []string {
	why := c.Why
	if c.Op == tree.OpAdd {
		why = grounds(v, &c.Node)
	}
	return lessonLines(v, tax, &c.Node, why)
}

// grounds returns the reason for a lesson, in the language of the user.
func grounds(v *say.Voice, n *tree.Node) string {
	if n.Type == tree.Strategy {
		return v.Say("%d experiences of one error type", len(n.Children))
	}
	return v.Say("%d cases missed the same check", len(n.Children))
}

// lessonLines shows an abstraction: its content and the reason for it.
func lessonLines(v *say.Voice, tax *taxonomy.Taxonomy, n *tree.Node, why string) []string {
	p := v.Page()
	p.Add("", n.ID+"  "+branchName(v, tax, n.ErrorType, n.Direction))
	p.Part("  "+v.Say("why"), why)
	if n.Live() {
		says := enhance.NewWording(tax).Shown(n, v.Lang).Content
		p.Part("  "+v.Say("title"), says.Title)
		if n.Type == tree.Strategy {
			p.Part("  "+v.Say("mistakes"), says.Description)
		}
		p.Part("  "+v.Say("when"), strings.Join(says.AppliesWhen, "\n"))
		for _, l := range says.Lessons {
			p.Part("  "+v.Say("check"), text.Append(l.Check, l.Instead))
			p.Part("  "+v.Say("mistake"), l.Mistake)
		}
		if len(says.Lessons) == 1 && says.Lessons[0].Mistake == "" {
			p.Part("  "+v.Say("mistake"), says.Description)
		}
		p.Part("  "+v.Say("not when"), strings.Join(says.NotWhen, "\n"))
		p.Part("  "+v.Say("rests on"), shortList(n.Children))
	}
	return p.Lines
}

func checkType(v *say.Voice, m *memtree.Memory, only string) error {
	if only == "" {
		return nil
	}
	if _, ok := m.Taxonomy().ErrorType(only); !ok {
		return v.Usage("--only is %q, which is no error type; memtree stats lists those there are", only)
	}
	return nil
}
