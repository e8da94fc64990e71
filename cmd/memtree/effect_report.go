package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// mostMemories limits the helpful, and the harmful, memories that are printed; --by node prints all.
const mostMemories = 5

// printEffect prints a report. It begins with the verdict, its certainty and the recommended action.
func (a *app) printEffect(tax *taxonomy.Taxonomy, f *finding) error {
	out := a.verdictLines(f)
	if f.Runs > 0 {
		out = append(append(out, ""), a.tableLines(a.armTable(f.Report))...)
	}
	if f.None > 0 {
		out = append(append(out, ""), a.tableLines(a.liftTable(f.Report))...)
		out = append(out, "")
		out = append(out, a.Wrap(plot.SameTests(a.say, f.Report))...)
		out = append(out, "")
		out = append(out, a.Wrap(plot.EvidenceLine(a.say, f.Report))...)
	}
	if f.Runs > 0 {
		if f.None == 0 {
			out = append(out, "")
		}
		for i, said := range a.breakerSaid(tax, f.Report) {
			out = append(out, screen.Hanging(strings.Repeat("  ", min(i, 1)), said, a.Width)...)
		}
		out = append(out, a.memoryLines(a.say("Memories that help:"), f.Helpful)...)
		out = append(out, a.memoryLines(a.say("Memories that are likely to harm:"), f.Harmful)...)
		out = append(out, "")
		out = append(out, a.Wrap(plot.Claims(a.say, f.Report))...)
	}
	if f.Asked+f.Questions > 0 {
		out = append(append(out, ""), a.Wrap(a.joinedLine(f.Report))...)
	}
	return a.print(out...)
}

// verdictLines returns the verdict and the recommended action.
func (a *app) verdictLines(f *finding) []string {
	var out []string
	for _, l := range a.Wrap(f.Verdict) {
		out = append(out, a.Paint(screen.Bold, l))
	}
	return append(out, screen.Hanging(a.say("Next: "), f.Next, a.Width)...)
}

// tableLines returns the lines of a table, its head in bold.
func (a *app) tableLines(t *screen.Table) []string {
	lines := t.Lines(a.Width)
	lines[0] = a.Paint(screen.Bold, lines[0])
	return lines
}

// armTable is a table of runs by trial arm.
func (a *app) armTable(r *effect.Report) *screen.Table {
	t := &screen.Table{Columns: []screen.Column{
		{Head: a.say("given"), Least: 20}, {Head: a.say("runs"), Right: true}, {Head: a.say("right"), Right: true},
		{Head: "", Right: true}, {Head: "95 %"},
	}}
	for _, arm := range []struct {
		name    string
		n, good int
	}{
		{a.say("their memories"), r.Guided, r.Right.Guided},
		{a.say("other memories"), r.Other, r.Right.Other},
		{a.say("none"), r.None, r.Right.None},
	} {
		if arm.n > 0 {
			in := stat.Wilson(arm.good, arm.n)
			t.Add(arm.name, fmt.Sprint(arm.n), fmt.Sprint(arm.good), percent(float64(arm.good)/float64(arm.n)),
				fmt.Sprintf("%.0f-%.0f", 100*in.Low, 100*in.High))
		}
	}
	return t
}

// liftTable compares runs with memory and runs without it on the same tests.
func (a *app) liftTable(r *effect.Report) *screen.Table {
	t := &screen.Table{Columns: []screen.Column{
		{Head: a.say("on the same tests"), Least: 20},
		{Head: a.say("with"), Right: true}, {Head: a.say("without"), Right: true},
		{Head: a.say("points"), Right: true}, {Head: "95 %"},
	}}
	for _, row := range []struct {
		name string
		lift *effect.Lift
	}{
		{a.say("right"), &r.Lift},
		{a.say("missed a defect"), &r.FalsePass},
		{a.say("false alarms"), &r.FalseFail},
		{a.say("made a mistake warned of"), &r.Repeat},
		{a.say("right, against other memories"), r.Control},
	} {
		if row.lift != nil {
			t.Add(append([]string{row.name}, a.liftCells(row.lift)...)...)
		}
	}
	return t
}

// liftCells are the shares with and without memory, their difference and its interval.
func (a *app) liftCells(l *effect.Lift) []string {
	if l.N == 0 || l.M == 0 {
		return []string{"-", "-", "-", "-"}
	}
	return []string{
		a.say("%s of %d", percent(l.With), l.N), a.say("%s of %d", percent(l.Without), l.M),
		plot.Points(l.Lift), a.range95(l.Low, l.High),
	}
}

func (a *app) range95(low, high float64) string {
	return a.say("%s to %s", plot.Points(low), plot.Points(high))
}

// breakerSaid returns the breaker's state, and the error types that it switched off.
func (a *app) breakerSaid(tax *taxonomy.Taxonomy, r *effect.Report) []string {
	said := a.say("Breaker: closed: no harm by memory is proven, so it is given.")
	switch r.State {
	case effect.Open:
		said = a.say("Breaker: open since %s, so no memory is given.", r.Since.UTC().Format("2006-01-02 15:04"))
	case effect.HalfOpen:
		said = a.say("Breaker: half-open since %s, so memory is given to half of the runs, on trial.",
			r.Since.UTC().Format("2006-01-02 15:04"))
	case effect.Closed:
	}
	out := []string{said}
	for _, t := range r.Types {
		name := cmp.Or(a.typeName(tax, t.ErrorType), t.ErrorType)
		said := a.say("on trial again")
		if t.State == effect.Open {
			said = a.say("its memories are not given; evidence of harm %s", plot.Amount(t.EHarm))
		}
		out = append(out, a.say("%s: %s", name, said))
	}
	return out
}

// memoryLines lists memories, each with its effect, its state and its title.
func (a *app) memoryLines(head string, xs []effective) []string {
	if len(xs) == 0 {
		return nil
	}
	out := []string{"", a.Paint(screen.Bold, head)}
	for i := range xs {
		if i == mostMemories {
			out = append(out, "  "+a.say("... and %d more; see memtree effect --by node", len(xs)-i))
			break
		}
		x := xs[i]
		x.ID = short(x.ID)
		out = append(out, screen.Hanging("  ", x.Sentence().In(a.lang), a.Width)...)
		for _, l := range screen.Hanging("    ", dotted(a.standing(&x), x.Title), a.Width) {
			out = append(out, a.Paint(screen.Dim, l))
		}
	}
	return out
}

// standing describes the state of a memory.
func (a *app) standing(x *effective) string {
	if x.Status == "" {
		return a.say("gone")
	}
	return a.standingOf(x.Status, x.Mark, x.Held)
}

// standingOf describes whether a memory is in use, and if not, why.
func (a *app) standingOf(status tree.Status, mark tree.Mark, held *tree.Held) string {
	switch {
	case held != nil && status == tree.Quarantined:
		return a.say("quarantined since %s", held.Since.Format("2006-01-02"))
	case held != nil:
		return a.say("retired since %s", held.Since.Format("2006-01-02"))
	case effect.Given(status, mark):
		return a.say("in use")
	case mark == tree.Banned:
		return a.say("banned by a person")
	}
	return a.say("not in use (%s)", status)
}

// joinedLine describes how many runs requested guidance, and the outcomes of their trials.
func (a *app) joinedLine(r *effect.Report) string {
	o := &r.Outcomes
	var out []string
	if r.Asked > 0 {
		out = append(out, a.say("Memory had something for %d of %d runs that asked (%s).",
			r.Found, r.Asked, percent(float64(r.Found)/float64(r.Asked))), a.say(" Outcomes that have come: %d.", o.Known))
	}
	for _, n := range []struct {
		n    int
		said string
	}{
		{o.Open, a.say(" Not yet: %d.", o.Open)},
		{o.Unknown, a.say(" Of no trial here: %d.", o.Unknown)},
		{o.Contrary, a.say(" Deny an earlier one, which counts: %d.", o.Contrary)},
		{r.Questions, a.say(" Questions that no run followed, which do not count: %d.", r.Questions)},
		{o.Retries, a.say(" Later attempts, which do not count: %d, %d of them with another end.", o.Retries, o.Flipped)},
	} {
		if n.n > 0 {
			out = append(out, n.said)
		}
	}
	return strings.TrimSpace(strings.Join(out, ""))
}
