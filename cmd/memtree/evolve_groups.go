package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
)

// This file shows groups of cases: those that wait, that were refused, or that are no lesson yet.

// waitingLines names the groups of cases that are enough for a lesson but have not been sent to the model yet.
func waitingLines(v *say.Voice, tax *taxonomy.Taxonomy, x *evolution.Evolved) []string {
	p := v.Page()
	for _, plan := range x.Plans {
		for _, g := range plan.Groups {
			refused := slices.ContainsFunc(plan.Rejections, func(r evolution.Rejection) bool {
				return slices.Equal(r.Members, g.Cases)
			})
			if plan.Waiting == 0 || len(g.Missing) > 0 || refused || g.Apart != "" || g.LeftOut != "" {
				continue
			}
			cases := v.Say("%d cases of %d tests: %s", len(g.Cases), g.Tests, shortList(g.Cases))
			p.Item("  - ", branchName(v, tax, plan.ErrorType, plan.Direction)+": "+cases)
		}
	}
	return p.Lines
}

// apartLines names the groups for which the model wrote no lesson because their cases share no cause.
func apartLines(v *say.Voice, tax *taxonomy.Taxonomy, x *evolution.Evolved) []string {
	p := v.Page()
	for _, plan := range x.Plans {
		for _, g := range plan.Groups {
			if g.Apart == "" {
				continue
			}
			if len(p.Lines) == 0 {
				p.Add("")
				p.Raw(v.Say("Groups without one cause; each is asked about again when its cases change:"))
			}
			p.Item("  - ", v.Say("%s: %s", groupName(v, tax, &g), text.Line(g.Apart)))
		}
	}
	return p.Lines
}

// groupName names a group by its check and its cases.
func groupName(v *say.Voice, tax *taxonomy.Taxonomy, g *evolution.Group) string {
	if c, ok := tax.Check(g.Check); ok {
		return v.Say("%s (%s)", c.Name.In(v.Lang), shortList(g.Cases))
	}
	if name := taxonomy.OwnName(g.Check); name != "" {
		return v.Say("%s (%s)", name, shortList(g.Cases))
	}
	return shortList(g.Cases)
}

// bannedLines returns how many groups make no lesson because a person banned it.
func bannedLines(v *say.Voice, x *evolution.Evolved) []string {
	groups, cases := 0, 0
	for i := range x.Plans {
		for j := range x.Plans[i].Groups {
			if g := &x.Plans[i].Groups[j]; g.Banned {
				groups, cases = groups+1, cases+len(g.Cases)
			}
		}
	}
	if groups == 0 {
		return nil
	}
	return v.Wrap(v.Say("Not learned, because a person banned it: %d (cases: %d).", groups, cases))
}

// refusedLines names the drafts that a gate refused now, and the number of those refused before.
func refusedLines(v *say.Voice, x *evolution.Evolved) []string {
	p := v.Page()
	before := 0
	for _, plan := range x.Plans {
		for _, r := range plan.Rejections {
			if r.Known {
				before++
				continue
			}
			if len(p.Lines) == 0 {
				p.Add("")
				p.Raw(v.Say("Drafts that a gate refused; their cases stay in use:"))
			}
			p.Raw(refusedLine(v, &r)...)
		}
	}
	if before > 0 {
		p.Add("")
		p.Raw(v.Say("Drafts refused before: %d; memtree show --rejected says why.", before))
	}
	return p.Lines
}

func refusedLine(v *say.Voice, r *evolution.Rejection) []string {
	title := cmp.Or(text.Line(r.Title), v.Say("no draft"))
	reasons := text.Line(strings.Join(r.Reasons, v.Say("; ")))
	return say.Hanging("  - ", v.Say("%s: %s", v.Say("%s (%s)", title, shortList(r.Members)), reasons), v.Width)
}

// mostGroups is how many groups of a partition are explained.
const mostGroups = 3

func lacksLines(v *say.Voice, tax *taxonomy.Taxonomy, x *evolution.Evolved) []string {
	p := v.Page()
	for i, plan := range x.Plans {
		if i > 0 {
			p.Add("")
		}
		p.Bold(branchName(v, tax, plan.ErrorType, plan.Direction))
		p.Item("  ", v.Say("cases: %d; groups that are no lesson yet: %d; "+
			"a lesson takes %d cases of 2 tests within %.0f days, with as many different notes; a case without a note counts "+
			"as one more",
			plan.Cases, len(plan.Groups), plan.Rule.CaseThreshold, plan.Rule.TimeWindow.Hours()/24))
		if l, _ := countChanges(&evolution.Evolved{Plans: []evolution.Plan{plan}}); l.experiences > 0 {
			p.Raw("  " + v.Say("ready to be learned: %d; memtree evolve does it", l.experiences))
		}
		for _, g := range plan.Groups[:min(mostGroups, len(plan.Groups))] {
			p.Item("  - ", lacks(v, tax, &g))
		}
		if rest := len(plan.Groups) - mostGroups; rest > 0 {
			p.Raw("    " + v.Say("... and %d more", rest))
		}
	}
	return p.Lines
}

// lacks describes what a group of cases still lacks for a lesson.
func lacks(v *say.Voice, tax *taxonomy.Taxonomy, g *evolution.Group) string {
	parts := make([]string, 0, len(g.Missing)+1)
	for _, m := range g.Missing {
		switch m.What {
		case "cases":
			parts = append(parts, v.Say("%.0f of %.0f cases", m.Have, m.Need))
		case "recent":
			parts = append(parts, v.Say("%.0f of %.0f cases within the time window", m.Have, m.Need))
		case "notes":
			parts = append(parts, v.Say("%.0f of %.0f different notes (one note on many runs counts "+
				"once; memtree relabel RUN --reason notes what was missed in that run)", m.Have, m.Need))
		case "tests":
			parts = append(parts, v.Say("%.0f of %.0f different tests", m.Have, m.Need))
		case "confidence":
			parts = append(parts, v.Say("confidence %.2f of %.2f", m.Have, m.Need))
		case "words":
			parts = append(parts, v.Say("no check of the catalogue fits, and there is no model to word a lesson"))
		}
	}
	switch {
	case g.Apart != "":
		parts = []string{v.Say("the cases have no one cause: %s", text.Line(g.Apart))}
	case g.Banned:
		parts = []string{v.Say("%d cases; a person banned this lesson", len(g.Cases))}
	case g.LeftOut != "":
		parts = []string{v.Say("left out of %s, as of another cause", g.LeftOut)}
	}
	if len(parts) == 0 {
		parts = append(parts, v.Say("%d cases; the draft was refused, see memtree show --rejected", len(g.Cases)))
	}
	return v.Say("%s: %s", groupName(v, tax, g), strings.Join(parts, v.Say(", ")))
}
