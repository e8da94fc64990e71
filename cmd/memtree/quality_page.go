package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/score"
	"github.com/memtree/memtree/tree"
)

func (a *app) printTrees(o *trees) error {
	top := a.say("%s: %d runs, %d questions.", o.Suite, o.Runs, o.Questions)
	if err := writeLines(a.stdout, append(wrap(top, a.width), "")...); err != nil {
		return err
	}
	if err := a.learnedTable(o).write(a.stdout, &a.screen); err != nil {
		return err
	}
	if o.Questions > 0 {
		if err := writeLines(a.stdout, ""); err != nil {
			return err
		}
		if err := a.warnedTable(o).write(a.stdout, &a.screen); err != nil {
			return err
		}
	}
	var lines []string
	for _, l := range a.treeNotes(o) {
		lines = append(lines, wrap(l, a.width)...)
	}
	if len(lines) > 0 {
		lines = append([]string{""}, lines...)
	}
	return writeLines(a.stdout, append(lines, a.besides(o)...)...)
}

func (a *app) learnedTable(o *trees) *textTable {
	t := &textTable{columns: []column{{head: a.say("tree of"), least: 8}}}
	for _, head := range []string{
		a.say("cases"), a.say("lessons"), a.say("strategies"), a.say("cover"), a.say("purity"), a.say("causes"),
		a.say("typed"), a.say("agree"),
	} {
		t.columns = append(t.columns, column{head: head, right: true})
	}
	for i := range o.Trees {
		r := &o.Trees[i]
		t.add(r.name, fmt.Sprint(r.Cases), fmt.Sprint(r.Experiences), fmt.Sprint(r.Strategies),
			figure(r.Cover), figure(r.Purity), fmt.Sprintf("%d/%d", r.Found, r.Causes),
			figure(r.Typed), figure(r.Agree))
	}
	return t
}

func (a *app) warnedTable(o *trees) *textTable {
	t := &textTable{columns: []column{{head: a.say("tree of"), least: 8}, {head: ""}}}
	for _, head := range []string{a.say("warned"), a.say("idle"), a.say("precision"), a.say("tokens"), a.say("answers")} {
		t.columns = append(t.columns, column{head: head, right: true})
	}
	for i := range o.Trees {
		r := &o.Trees[i]
		add := func(who, when string, w *score.Warned) {
			t.add(who, when, figure(w.Warned), figure(w.ForNothing), figure(w.Precision),
				fmt.Sprintf("%.1f", w.Tokens), fmt.Sprint(w.Answers))
		}
		add(r.name, a.say("cases alone"), &r.Alone)
		add("", a.say("evolved"), &r.Evolved)
	}
	return t
}

// figure prints a share with three digits.
func figure(x float64) string { return fmt.Sprintf("%.3f", x) }

func (a *app) treeNotes(o *trees) []string {
	var out []string
	for i := range o.Trees {
		if r := &o.Trees[i]; r.NotRecorded > 0 && !o.Model.Played { // else spentLines says it
			out = append(out, a.say("%d questions were not recorded, and the rules answered them: "+
				"the runs, the prompts or the checks have changed since.", r.NotRecorded))
		}
	}
	if len(o.Trees) == 1 && !a.quiet {
		out = append(out, a.say("No model is set and nothing is recorded in %s, "+
			"so there is nothing to compare the rules with.", o.Suite+"/cassettes"))
	}
	return append(out, a.spentLines()...)
}

// besides prints the lessons of all trees, those about the same beside each other.
func (a *app) besides(o *trees) []string {
	var about []string
	for i := range o.Trees {
		for j := range o.Trees[i].Lessons {
			if s := o.Trees[i].Lessons[j].about(); !slices.Contains(about, s) {
				about = append(about, s)
			}
		}
	}
	slices.Sort(about)
	var lines []string
	for _, s := range about {
		lines = append(lines, "")
		lines = append(lines, wrap(a.paint(bold, s), a.width)...)
		for i := range o.Trees {
			for j := range o.Trees[i].Lessons {
				if l := &o.Trees[i].Lessons[j]; l.about() == s {
					lines = append(lines, a.lessonOf(&o.Trees[i], l)...)
				}
			}
		}
	}
	return lines
}

func (a *app) lessonOf(r *treeRow, l *taughtLesson) []string {
	p := &page{width: a.width}
	who := a.say("%s: %d cases", r.name, l.Cases)
	if l.Type == string(tree.Strategy) {
		who = a.say("%s: %d lessons", r.name, l.Cases)
	}
	if r.By != byRules && l.By == byRules {
		who = a.say("%s, written by the rules", who)
	}
	p.lines = append(p.lines, wrap("  "+who, a.width)...)
	p.part("    "+a.say("title"), l.Title)
	p.part("    "+a.say("when"), strings.Join(l.When, "\n"))
	p.part("    "+a.say("guidance"), l.Guidance)
	p.part("    "+a.say("not when"), strings.Join(l.NotWhen, "\n"))
	return p.lines
}
