package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func treeCommand(a *app) *cobra.Command {
	var f store.Filter
	var level, status string
	limit := 0
	var q find.Query
	c := &cobra.Command{
		Use: "tree [flags]",
		RunE: func(c *cobra.Command, _ []string) error {
			f.Level, f.Direction, f.Status = tree.Type(level).Level(), q.Direction, tree.Status(status)
			switch {
			case level != "" && f.Level == 0:
				return a.Usage("--level is %q; use case, experience or strategy", level)
			case status != "" && !slices.Contains(tree.Standings(), f.Status):
				return a.Usage("--status is %q; use %s", status, choices(tree.Standings()))
			case limit < 0:
				return a.Usage("--limit is %d; use 0 for all", limit)
			}
			if err := checkFind(a.Voice, &q); err != nil {
				return err
			}
			f.ErrorType = q.ErrorType
			return runTree(c.Context(), a, f, &q, limit, c.Flags().Changed("limit"))
		},
	}
	findFlags(a.Voice, c, &q, "type", "direction", "product", "suite", "run", "since", "until", "words")
	c.Flags().StringVar(&level, "level", "", a.Say("only this level: case, experience or strategy"))
	c.Flags().StringVar(&status, "status", "", a.Say("only this status, such as active"))
	c.Flags().IntVar(&limit, "limit", 20, a.Say("how many memories to print; "+
		"0 for all (with --json all, unless it is given)"))
	return c
}

func runTree(ctx context.Context, a *app, f store.Filter, q *find.Query, limit int, limited bool) error {
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		if a.JSON {
			if !limited {
				limit = 0
			}
			return treeJSON(ctx, a.Voice, m, f, q, limit)
		}
		s, err := survey(ctx, a.Voice, m, f, q, limit)
		if err != nil {
			return err
		}
		info, err := m.Tree().Info(ctx)
		if err != nil {
			return err
		}
		if s.found == 0 {
			return printNoTree(ctx, a.Voice, m, &info)
		}
		out := treeLines(a.Voice, m, s)
		if !a.Quiet {
			out = append(out, unformedLines(a.Voice, info.Outbox)...)
		}
		return a.Print(out...)
	})
}

// treeJSON prints the nodes one at a time, one a line, so that memory use does not grow with their number.
func treeJSON(ctx context.Context, v *say.Voice, m *memtree.Memory, f store.Filter, q *find.Query, limit int) error {
	w := bufio.NewWriter(v.Stdout)
	enc := json.NewEncoder(noBreak{w})
	enc.SetEscapeHTML(false)
	f, ofStatus := find.ByStanding(f)
	between, n, picked := "{\"nodes\":[\n", 0, m.Briefs().Picked()
	for node, err := range m.Tree().Scan(ctx, f) {
		if err != nil {
			return err
		}
		if !ofStatus(&node) || !q.HasNode(&node) {
			continue
		}
		if limit > 0 && n == limit {
			break
		}
		if _, err := w.WriteString(between); err != nil {
			return err
		}
		if err := enc.Encode(briefedNode{node, picked[node.ID]}); err != nil {
			return fmt.Errorf("print %s: %w", node.ID, err)
		}
		between = ",\n"
		n++
	}
	end := "\n]}\n"
	if n == 0 {
		end = "{\"nodes\":[]}\n"
	}
	if _, err := w.WriteString(end); err != nil {
		return err
	}
	return w.Flush()
}

// briefedNode is a node with the number of coming tests for which a reader picked it.
type briefedNode struct {
	tree.Node
	Briefed int `json:"briefed,omitempty"`
}

// noBreak drops the line break that a json.Encoder ends a value with.
type noBreak struct{ io.Writer }

func (n noBreak) Write(p []byte) (int, error) {
	if len(p) > 0 && p[len(p)-1] == '\n' {
		k, err := n.Writer.Write(p[:len(p)-1])
		return k + 1, err
	}
	return n.Writer.Write(p)
}

// printNoTree explains why the list is empty.
func printNoTree(ctx context.Context, v *say.Voice, m *memtree.Memory, info *store.Info) error {
	switch {
	case info.Nodes > 0:
		return v.Print(v.Say("No memory is of the kind that the flags choose."))
	case info.Outbox > 0:
		return v.Print(append([]string{v.Say("No memories here yet.")}, unformedLines(v, info.Outbox)...)...)
	}
	return printEmpty(ctx, v, m)
}

// printEmpty prints that there are no memories, and the next step: to label the waiting runs, or to record some.
func printEmpty(ctx context.Context, v *say.Voice, m *memtree.Memory) error {
	box, err := m.Inbox().List(ctx, 1)
	switch {
	case err != nil:
		return err
	case box.Total > 0:
		return say.WriteLines(
			v.Stdout,
			v.Say("No memories here yet. Runs that wait for a label: %d. Next: memtree label", box.Total),
		)
	}
	return v.Print(v.Say("No memories here yet. Next: memtree record runs.jsonl"))
}

func treeLines(v *say.Voice, m *memtree.Memory, s *surveyed) []string {
	p := v.Page()
	p.Bold(levelCounts(v, s.levels, s.out))
	p.Table(branchTable(v, m.Taxonomy(), s))
	if s.waiting > 0 && !v.Quiet {
		p.Add(v.Say("%d of these wait in quarantine: no agent gets them before memtree promote.", s.waiting))
	}
	leafPart(v, p, m.Taxonomy(), s.leaves)
	if rest := s.found - len(s.leaves); rest > 0 && !v.Quiet {
		p.Raw(v.Say("... and %d more (--limit 0 prints all)", rest))
	}
	return p.Lines
}

// basis describes what supports a memory.
func basis(v *say.Voice, l *leaf) string {
	switch {
	case l.taught:
		return v.Say("taught")
	case l.level == tree.Case.Level():
		return runCount(v, l.runs)
	case l.level == tree.Experience.Level():
		if l.runs == 1 {
			return v.Say("1 case")
		}
		return v.Say("%d cases", l.runs)
	default:
		return v.Say("%d lessons", l.runs)
	}
}

// leafPart lists memories. A second line of each describes the error.
func leafPart(v *say.Voice, p *say.Output, tax *taxonomy.Taxonomy, leaves []leaf) {
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("memory")}, {Head: v.Say("error type"), Least: 16}, {Head: v.Say("direction")},
		{Head: v.Say("scene"), Least: 10}, {Head: v.Say("rests on"), Right: true},
	}}
	for _, l := range leaves {
		t.Add(short(l.id), typeName(v, tax, l.errorType), v.DirectionName(l.direction), l.scene, basis(v, &l))
	}
	rows := t.Lines(v.Width)
	p.Head(rows[0])
	for i, l := range leaves {
		p.Raw(rows[i+1])
		says := l.says
		if given(&l) == 0 {
			says = standingOf(v, l.status, l.mark, l.held) + " · " + says
		}
		if l.briefed > 0 {
			says = v.Say("fits coming tests, as read: %d", l.briefed) + " · " + says
		}
		if says := text.Fit(says, v.Width-4); says != "" {
			p.Raw(v.Paint(say.Dim, "    "+says))
		}
		for _, s := range nonEmpty(l.found) {
			p.Raw(v.Paint(say.Dim, "    "+text.Fit(s, v.Width-4)))
		}
	}
}

// branchTable is a table of the memories of every error type and direction.
func branchTable(v *say.Voice, tax *taxonomy.Taxonomy, s *surveyed) *say.Table {
	t := &say.Table{Columns: []say.Column{{Head: v.Say("error type"), Least: 20}}}
	inWords := v.Lang != "en" // an id is English and needs no translation there
	if inWords {
		t.Columns = append(t.Columns, say.Column{Head: v.Say("in words"), Least: 8})
	}
	t.Columns = append(t.Columns, say.Column{Head: v.Say("cases"), Right: true}, say.Column{Head: v.Say("runs"),
		Right: true})
	above := s.levels[2]+s.levels[3] > 0
	if above {
		t.Columns = append(t.Columns,
			say.Column{Head: v.Say("experiences"), Right: true}, say.Column{Head: v.Say("strategies"), Right: true})
	}
	add := func(name, words string, b *branch) {
		row := []string{name}
		if inWords {
			row = append(row, words)
		}
		row = append(row, count(b.levels[1]), count(b.runs))
		if above {
			row = append(row, count(b.levels[2]), count(b.levels[3]))
		}
		t.Add(row...)
	}
	for i := 0; i < len(s.branches); {
		sum, end := branch{}, i
		for ; end < len(s.branches) && s.branches[end].errorType == s.branches[i].errorType; end++ {
			sum.runs += s.branches[end].runs
			for k, n := range s.branches[end].levels {
				sum.levels[k] += n
			}
		}
		add(s.branches[i].errorType, typeName(v, tax, s.branches[i].errorType), &sum)
		for ; i < end; i++ {
			stem := "├─ "
			if i+1 == end {
				stem = "└─ "
			}
			d := s.branches[i].direction
			name := stem + string(d)
			if !inWords {
				name += ", " + v.DirectionName(d)
			}
			add(name, v.DirectionName(d), &s.branches[i])
		}
	}
	return t
}
