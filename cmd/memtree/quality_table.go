package main

import (
	"fmt"
	"strings"

	"github.com/memtree/memtree/score"
)

// printAnalysts prints how the readers did.
func (a *app) printAnalysts(o *analysts) error {
	top := a.say("%s: %d wrong runs with a label in %s, %d classes.", o.File, o.Cases, o.Field, o.Classes)
	if o.Unlabelled > 0 {
		top += a.say(" Wrong runs without one: %d.", o.Unlabelled)
	}
	t := &textTable{columns: []column{
		{head: a.say("analyst"), least: 8}, {head: a.say("cases"), right: true}, {head: a.say("agreement")},
		{head: "macro-F1"}, {head: a.say("invalid"), right: true},
		{head: a.say("s/case"), right: true}, {head: a.say("cost/case"), right: true},
	}}
	for i := range o.Rows {
		r := &o.Rows[i]
		invalid, seconds := "·", a.say("played")
		if r.By != byRules {
			invalid = fmt.Sprint(r.Invalid)
		}
		if s, told := r.Seconds.(float64); told {
			seconds = fmt.Sprintf("%.3f", s)
		}
		t.add(r.name, fmt.Sprint(o.Cases), share(&r.Agreement, &r.Interval), share(&r.MacroF1, &r.F1Interval),
			invalid, seconds, a.costWords(r.Cost))
	}
	if err := writeLines(a.stdout, append(wrap(top, a.width), "")...); err != nil {
		return err
	}
	if err := t.write(a.stdout, &a.screen); err != nil {
		return err
	}
	var lines []string
	for _, l := range a.analystNotes(o) {
		lines = append(lines, wrap(l, a.width)...)
	}
	return writeLines(a.stdout, append([]string{""}, lines...)...)
}

// analystNotes says how to read the table.
func (a *app) analystNotes(o *analysts) []string {
	var out []string
	for i := range o.Rows {
		if r := &o.Rows[i]; r.Unanswered > 0 {
			out = append(out, a.say("%s gave no answer about %d cases, so the rules' answer counts there.",
				r.name, r.Unanswered))
		}
	}
	strange := 0
	names := make([]string, 0, len(o.Unknown))
	for _, u := range o.Unknown {
		strange += u.Cases
		names = append(names, fmt.Sprintf("%s (%d)", oneLine(u.Label), u.Cases))
	}
	switch {
	case strange == o.Cases:
		out = append(out, a.say("None of the labels is an error type of the taxonomy, "+
			"so nobody can find them, and agreement says nothing: %s.", strings.Join(names, a.say(", "))))
	case strange > 0:
		out = append(out, a.say("Labels that are no error type of the taxonomy, so that nobody can find them: %s.",
			strings.Join(names, a.say(", "))))
	}
	if !a.quiet {
		out = append(out, a.say("In brackets: 95 %% intervals, Wilson's of agreement, "+
			"by %d draws with seed %d of macro-F1 (the mean over the labelled classes).", score.Rounds, o.Seed))
	}
	if len(o.Rows) == 1 && !a.quiet {
		out = append(out, a.say("No model is set, so there is nothing to compare the rules with; "+
			"memtree llm check says how to set one."))
	}
	return append(out, a.spentLines()...)
}
