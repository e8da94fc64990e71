package main

import (
	"fmt"
	"strings"

	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/internal/cli/screen"
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
// through screen.Markdown or screen.Code.
func (a *app) markdown(r *ciReport) string {
	var b strings.Builder
	p := func(s string) { b.WriteString(s + "\n\n") }
	p("## " + a.say("Summary of this run by memtree"))
	a.learnedMarkdown(p, r)
	a.factsMarkdown(p, r)
	a.riskyMarkdown(p, r)
	p("### " + a.say("Does memory help?"))
	p(text.Line(r.Effect.Verdict))
	a.goneMarkdown(p, r)
	p("### " + a.say("What to do next"))
	for _, next := range r.Next {
		b.WriteString("1. " + text.Line(next) + "\n")
	}
	return b.String()
}

// learnedMarkdown writes what is new.
func (a *app) learnedMarkdown(p func(string), r *ciReport) {
	head := a.say("Learned since the last summary")
	if r.First {
		head = a.say("Lessons in memory")
	}
	p("### " + head)
	switch {
	case r.First:
		p(a.say("Lessons in use: %d, from %d mistakes. From the next summary on only what is new is listed here.",
			r.Lessons, r.Cases))
	case len(r.Learned) == 0 && r.NewCases == 0:
		p(a.say("Nothing new. Lessons in use: %d, from %d mistakes.", r.Lessons, r.Cases))
	default:
		p(a.say("New lessons: %d. New mistakes: %d. Lessons in use: %d, from %d mistakes.",
			len(r.Learned)+r.moreLearned, r.NewCases, r.Lessons, r.Cases))
	}
	var lines []string
	for i := range r.Learned {
		l := &r.Learned[i]
		lines = append(lines, fmt.Sprintf("- **%s**<br>%s<br>%s", screen.Markdown(l.Title, reportTitle),
			screen.Markdown(l.Check, reportCheck), screen.Markdown(a.restsOn(l), reportTitle)))
	}
	if r.moreLearned > 0 {
		lines = append(lines, "- "+a.say("... and %d more; memtree tree lists them", r.moreLearned))
	}
	if len(lines) > 0 {
		p(strings.Join(lines, "\n"))
	}
}

// restsOn describes the kind of mistake that a lesson is about, and how often it occurred.
func (a *app) restsOn(l *lessonNews) string {
	if l.Tests > 0 {
		return a.say("%s, in %d tests", l.kind, l.Tests)
	}
	return a.say("%s, from %d mistakes", l.kind, l.Cases)
}

// riskyMarkdown writes the verdicts to read first.
func (a *app) riskyMarkdown(p func(string), r *ciReport) {
	p("### " + a.say("Verdicts to read first"))
	switch {
	case r.Waiting == 0:
		p(a.say("No verdict waits for its truth."))
		return
	case r.Scored == 0:
		p(a.say("Verdicts whose truth nobody has told: %d. Which of them are likely to be wrong cannot be said yet: the "+
			"truth of %d verdicts is known, and past errors do not foretell new ones so far.", r.Waiting, r.Known))
		return
	}
	p(a.say("%s These are the likeliest to be wrong:",
		a.waitingLine(&inbox.Inbox{Total: r.Waiting, Scored: r.Scored, Expected: r.Expected})))
	rows := []string{
		fmt.Sprintf("| %s | %s | %s | %s |", a.say("likely wrong"), a.say("verdict"), a.say("test"), a.say("why")),
		"|---:|---|---|---|",
	}
	for i := range r.Risky {
		v := &r.Risky[i]
		name := v.CaseID
		if name == "" {
			name = v.Evaluation
		}
		rows = append(rows, fmt.Sprintf("| %s<br>(%.0f–%.0f) | %s | %s<br>%s | %s |", percent(v.P), 100*v.Low, 100*v.High,
			screen.Markdown(v.judged, reportID), screen.Code(name, reportID), screen.Markdown(v.prompt, reportPrompt),
			screen.Markdown(a.whyRisky(&v.Risk), reportWhy)))
	}
	p(strings.Join(rows, "\n"))
}

// goneMarkdown writes which memories went out of use.
func (a *app) goneMarkdown(p func(string), r *ciReport) {
	if len(r.Gone) == 0 {
		return
	}
	p("### " + a.say("Out of use since the last summary"))
	var lines []string
	for i := range r.Gone {
		g := &r.Gone[i]
		line := fmt.Sprintf("- **%s**: %s", screen.Markdown(g.Title, reportTitle), a.fateName(g.Fate))
		if g.Why != "" {
			line += " (" + screen.Markdown(g.Why, reportWhy) + ")"
		}
		lines = append(lines, line)
	}
	if r.moreGone > 0 {
		lines = append(lines, "- "+a.say("... and %d more", r.moreGone))
	}
	p(strings.Join(lines, "\n"))
}

// fateName describes why a memory went out of use.
func (a *app) fateName(fate string) string {
	switch fate {
	case "banned":
		return a.say("a person banned it")
	case "held":
		return a.say("held back, since runs with it went wrong more often")
	case "replaced":
		return a.say("another took its place")
	case "quarantined":
		return a.say("waits in quarantine")
	case "retired":
		return a.say("retired, since no case supports it any more")
	case "removed":
		return a.say("removed with its evidence")
	}
	return a.say("forgotten; its evidence is kept")
}
