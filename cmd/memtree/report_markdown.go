package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
)

// Widths of foreign texts in a summary, in cells.
const (
	reportTitle  = 120
	reportCheck  = 300
	reportWhy    = 200
	reportPrompt = 160
	reportID     = 80
)

func fitTitle(s string) string { return text.Fit(text.Line(s), seenTitle) }

// markdown writes a summary for people. memtree's own sentences contain only numbers of the data; foreign texts pass
// through say.Markdown or say.Code.
func markdown(v *say.Voice, r *ciReport) string {
	var b strings.Builder
	p := func(s string) { b.WriteString(s + "\n\n") }
	p("## " + v.Say("Summary of this run by memtree"))
	learnedMarkdown(v, p, r)
	factsMarkdown(v, p, r)
	riskyMarkdown(v, p, r)
	judgesMarkdown(v, p, r)
	p("### " + v.Say("Does memory help?"))
	p(text.Line(r.Effect.Verdict))
	goneMarkdown(v, p, r)
	p("### " + v.Say("What to do next"))
	for _, next := range r.Next {
		b.WriteString("1. " + text.Line(next) + "\n")
	}
	return b.String()
}

// learnedMarkdown writes what is new.
func learnedMarkdown(v *say.Voice, p func(string), r *ciReport) {
	head := v.Say("Learned since the last summary")
	if r.First {
		head = v.Say("Lessons in memory")
	}
	p("### " + head)
	switch {
	case r.First:
		p(v.Say("Lessons in use: %d, from %d mistakes. From the next summary on only what is new is listed here.",
			r.Lessons, r.Cases))
	case len(r.Learned) == 0 && r.NewCases == 0:
		p(v.Say("Nothing new. Lessons in use: %d, from %d mistakes.", r.Lessons, r.Cases))
	default:
		p(v.Say("New lessons: %d. New mistakes: %d. Lessons in use: %d, from %d mistakes.",
			len(r.Learned)+r.moreLearned, r.NewCases, r.Lessons, r.Cases))
	}
	var lines []string
	for i := range r.Learned {
		l := &r.Learned[i]
		lines = append(lines, fmt.Sprintf("- **%s**<br>%s<br>%s", say.Markdown(l.Title, reportTitle),
			say.Markdown(l.Check, reportCheck), say.Markdown(restsOn(v, l), reportTitle)))
	}
	if r.moreLearned > 0 {
		lines = append(lines, "- "+v.Say("... and %d more; memtree tree lists them", r.moreLearned))
	}
	if len(lines) > 0 {
		p(strings.Join(lines, "\n"))
	}
}

// restsOn describes the kind of mistake that a lesson is about, and how often it occurred.
func restsOn(v *say.Voice, l *lessonNews) string {
	if l.Tests > 0 {
		return v.Say("%s, in %d tests", l.kind, l.Tests)
	}
	return v.Say("%s, from %d mistakes", l.kind, l.Cases)
}

// riskyMarkdown writes the verdicts to read first.
func riskyMarkdown(v *say.Voice, p func(string), r *ciReport) {
	p("### " + v.Say("Verdicts to read first"))
	switch {
	case r.Waiting == 0:
		p(v.Say("No verdict waits for its truth."))
		return
	case r.Known == 0:
		p(v.Say("Verdicts that wait for their truth: %d. Which of them are likely to be wrong is not known before the first "+
			"labels.", r.Waiting))
		return
	case r.Scored == 0:
		p(v.Say("Verdicts that wait for their truth: %d. Which of them are likely to be wrong is not known yet. "+
			"Labels so far: %d; past errors do not foretell new ones yet.", r.Waiting, r.Known))
		return
	}
	p(v.Say("%s These are the likeliest to be wrong:",
		waitingLine(v, &inbox.Inbox{Total: r.Waiting, Scored: r.Scored, Expected: r.Expected})))
	rows := []string{
		fmt.Sprintf("| %s | %s | %s | %s |", v.Say("likely wrong"), v.Say("verdict"), v.Say("test"), v.Say("why")),
		"|---:|---|---|---|",
	}
	for i := range r.Risky {
		x := &r.Risky[i]
		name := cmp.Or(x.CaseID, x.Evaluation)
		rows = append(rows, fmt.Sprintf("| %s<br>(%.0f–%.0f) | %s | %s<br>%s | %s |", percent(x.P), 100*x.Low, 100*x.High,
			say.Markdown(x.judged, reportID), say.Code(name, reportID), say.Markdown(x.prompt, reportPrompt),
			say.Markdown(whyRisky(v, &x.Risk), reportWhy)))
	}
	p(strings.Join(rows, "\n"))
}

// goneMarkdown writes which memories went out of use.
func goneMarkdown(v *say.Voice, p func(string), r *ciReport) {
	if len(r.Gone) == 0 {
		return
	}
	p("### " + v.Say("Out of use since the last summary"))
	var lines []string
	for i := range r.Gone {
		g := &r.Gone[i]
		line := fmt.Sprintf("- **%s**: %s", say.Markdown(g.Title, reportTitle), fateName(v, g.Fate))
		if g.Why != "" {
			line += " (" + say.Markdown(g.Why, reportWhy) + ")"
		}
		lines = append(lines, line)
	}
	if r.moreGone > 0 {
		lines = append(lines, "- "+v.Say("... and %d more", r.moreGone))
	}
	p(strings.Join(lines, "\n"))
}

// fateName describes why a memory went out of use.
func fateName(v *say.Voice, fate string) string {
	return cmp.Or(map[string]string{
		"banned": v.Say("a person banned it"), "held": v.Say("held back, since runs with it went wrong more often"),
		"replaced": v.Say("another took its place"), "quarantined": v.Say("waits in quarantine"),
		"retired": v.Say("retired, since no case supports it any more"), "removed": v.Say("removed with its evidence"),
	}[fate], v.Say("forgotten; its evidence is kept"))
}
