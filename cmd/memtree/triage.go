package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/replay"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

func (a *app) triageCommand() *cobra.Command {
	top, above := 20, 0.0
	c := &cobra.Command{
		Use:   "triage FILE... [flags]",
		Short: a.say("Which verdicts to read first: the likeliest to be wrong, and why"),
		Long: a.say(`Reads judged runs and says how likely each verdict is to be wrong, from the verdicts in
memory whose truth is known. A truth in the file is not looked at, and nothing is recorded.

Where past errors do not predict, it says so instead of a number.`),
		Example: "  memtree triage tonight.jsonl\n  memtree triage tonight.jsonl --above 0.3 --json",
		Args:    a.arguments(1, -1, a.say("one file or more, or - for standard input")),
	}
	c.Flags().IntVar(&top, "top", top, a.say("how many verdicts to print; 0 for all"))
	c.Flags().Float64Var(&above, "above", 0, a.say("only verdicts at least this likely to be wrong, 0 to 1"))
	c.RunE = func(c *cobra.Command, args []string) error {
		if above > 0 && !c.Flags().Changed("top") {
			top = 0
		}
		return a.triage(c.Context(), args, top, above)
	}
	return c
}

// risky is a verdict and its risk, as --json prints it.
type risky struct {
	Evaluation string `json:"evaluation"`
	CaseID     string `json:"case_id,omitempty"`
	risk.Risk
	prompt string
}

// triaged is what triage found, as --json prints it.
type triaged struct {
	Known    int     `json:"known"`    // verdicts in memory whose truth is known
	Base     float64 `json:"base"`     // share of them that were wrong
	Enough   bool    `json:"enough"`   // past errors predict new ones
	Read     int     `json:"read"`     // verdicts in the files
	Learned  int     `json:"learned"`  // those left out, because memory knows their truth
	Unformed int     `json:"unformed"` // recorded runs whose truth does not count yet
	Verdicts []risky `json:"verdicts"` // the riskiest first
}

func (a *app) triage(ctx context.Context, files []string, top int, above float64) error {
	in, err := a.intake(files, a.say("reading"))
	if err != nil {
		return err
	}
	found := triaged{Verdicts: []risky{}}
	err = a.with(ctx, reading, func(m *memtree.Memory) error {
		for _, name := range files {
			if err := in.file(ctx, name, func(e *tree.Evaluation) error { return found.add(ctx, m, e) }); err != nil {
				return err
			}
		}
		info, err := m.Tree().Info(ctx)
		found.Unformed = info.Outbox
		return err
	})
	in.bar.end()
	in.hidden()
	if err != nil {
		return err
	}
	found.cut(top, above)
	if a.json {
		err = a.printJSON(found)
	} else {
		err = a.printTriage(&found)
	}
	return errors.Join(err, in.err())
}

func (f *triaged) add(ctx context.Context, m *memtree.Memory, e *tree.Evaluation) error {
	r, err := m.Risk(ctx, *e)
	if err != nil {
		return err
	}
	f.Known, f.Base, f.Enough = r.Known, r.Base, r.Enough
	f.Read++
	if r.Learned {
		f.Learned++
		return nil
	}
	f.Verdicts = append(f.Verdicts, risky{Evaluation: e.Key(), CaseID: e.CaseID, Risk: r, prompt: e.Prompt})
	return nil
}

// cut keeps the verdicts that were asked for, the riskiest first. Verdicts of equal risk stay
// in the order of the files.
func (f *triaged) cut(top int, above float64) {
	f.Verdicts = slices.DeleteFunc(f.Verdicts, func(r risky) bool { return r.P < above })
	slices.SortStableFunc(f.Verdicts, func(a, b risky) int {
		return cmp.Or(cmp.Compare(b.P, a.P), cmp.Compare(b.Order, a.Order))
	})
	if top > 0 {
		f.Verdicts = f.Verdicts[:min(top, len(f.Verdicts))]
	}
}

func (a *app) printTriage(f *triaged) error {
	var out []string
	switch {
	case f.Read == 0:
		out = append(out, a.say("There is no verdict to read."))
	case f.Learned == f.Read:
		out = wrap(a.say("Verdicts read: %d. The truth of each is in memory already, so none is left to guess.",
			f.Read), a.width)
	case f.Known < 30 && !f.Enough:
		out = wrap(a.say("Not enough evidence yet: the truth of %d verdicts is known, and 30 are the least. "+
			"Record judged runs with ground_truth or correct.", f.Known), a.width)
	case !f.Enough:
		out = wrap(a.say("No evidence that past errors predict these. Of the %d verdicts whose truth is known %s were "+
			"wrong, and that is the best guess for each.", f.Known, percent(f.Base)), a.width)
	default:
		out = wrap(a.say("Of %d verdicts, those likeliest to be wrong. Of the %d whose truth is known %s were wrong.",
			f.Read, f.Known, percent(f.Base)), a.width)
	}
	if f.Learned > 0 && f.Learned < f.Read {
		out = append(out, wrap(a.say("%d of %d are in memory with their truth and left out.", f.Learned, f.Read), a.width)...)
	}
	if f.Learned < f.Read {
		out = append(out, a.unformedLines(f.Unformed)...)
	}
	if err := writeLines(a.stdout, out...); err != nil || !f.Enough || f.Learned == f.Read {
		return err
	}
	if len(f.Verdicts) == 0 {
		return writeLines(a.stdout, a.say("None is that likely to be wrong."))
	}
	return a.printRisky(f.Verdicts)
}

func (a *app) printRisky(verdicts []risky) error {
	t := &textTable{columns: []column{
		{right: true}, {head: a.say("risk"), right: true}, {head: "95 %"},
		{head: a.say("if wrong")}, {head: a.say("evaluation"), least: 16},
	}}
	for i, v := range verdicts {
		way := ""
		if v.Direction != "" {
			way = a.directionName(v.Direction)
		}
		t.add(fmt.Sprint(i+1), percent(v.P), fmt.Sprintf("%.0f-%.0f", 100*v.Low, 100*v.High), way, v.Evaluation)
	}
	rows := t.lines(a.width)
	out := []string{"", a.paint(bold, rows[0])}
	for i, v := range verdicts {
		out = append(out, rows[i+1], a.paint(dim, "    "+text.Fit(oneLine(v.prompt), a.width-4)))
		for _, l := range wrap(a.whyRisky(v.Because), a.width-4) {
			out = append(out, a.paint(dim, "    "+l))
		}
	}
	return writeLines(a.stdout, out...)
}

// reasonsShown is how many reasons of a risk are printed; --json prints all.
const reasonsShown = 3

func (a *app) whyRisky(reasons []risk.Reason) string {
	var out []string
	for _, r := range reasons {
		if r.LogOdds > 0 && len(out) < reasonsShown {
			out = append(out, a.riskReason(&r))
		}
	}
	if len(out) == 0 {
		return a.say("nothing speaks for wrong")
	}
	return strings.Join(out, " · ")
}

// riskReason says what a signal has seen that makes it say "wrong".
func (a *app) riskReason(r *risk.Reason) string {
	nearest := ""
	if len(r.Evaluations) > 0 {
		nearest = middleCut(oneLine(r.Evaluations[0]), 36)
	}
	switch r.Signal {
	case "place":
		return a.say("such verdicts were often wrong here")
	case "truth":
		return a.say("what was true of this case before")
	case "judge":
		return a.say("this judge was often wrong")
	case "words":
		return a.say("words of its reason: %s", strings.Join(wholeWords(r.Words), a.say(", ")))
	case "style":
		return a.say("its reason reads like wrong ones")
	case "seen":
		return a.say("words of what it saw: %s", strings.Join(wholeWords(r.Words), a.say(", ")))
	case "reasons":
		return a.say("wrong before for such a reason: %s", nearest)
	case "runs":
		return a.say("what was true of runs like it, nearest %s", nearest)
	case "facts":
		return a.say("the page itself says otherwise, as memory %s would", short(slices.Concat(r.Memories, []string{""})[0]))
	default:
		return a.say("length and tone of the run and its reason")
	}
}

// wholeWords leaves out words that are part of another word: of 正, 正常 and 常 it keeps 正常.
func wholeWords(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return slices.ContainsFunc(words, func(o string) bool { return o != w && strings.Contains(o, w) })
	})
}

// middleCut shortens an id to a number of cells. It takes them from the middle, because ids
// of one file often begin alike.
func middleCut(id string, cells int) string {
	r := []rune(id)
	if text.Width(id) <= cells {
		return id
	}
	tail := ""
	for i := len(r) - 1; i >= 0 && text.Width(tail) < cells/2; i-- {
		tail = string(r[i]) + tail
	}
	return text.Fit(id, cells-text.Width(tail)) + tail
}

// printRisks prints how well a replay told wrong verdicts apart.
func (a *app) printRisks(r *replay.Risks) error {
	top := a.say("Once a verdict is given, and before its truth is known: how much of what is wrong does " +
		"reading the riskiest find?")
	if err := writeLines(a.stdout, append(append([]string{""}, wrap(top, a.width)...), "")...); err != nil {
		return err
	}
	in := func(name string, f float64) string {
		i := r.Intervals[name]
		return fmt.Sprintf("%s (%.0f-%.0f)", percent(f), 100*i.Low, 100*i.High)
	}
	t := &textTable{columns: []column{
		{head: ""}, {head: a.say("first 5 %")}, {head: a.say("first 10 %")}, {head: a.say("first 20 %")}, {head: "AUC"},
	}}
	t.add("risk", in("found5", r.Found.At5), in("found10", r.Found.At10), in("found20", r.Found.At20),
		areaOf(r.AUC)+" "+areaIn(r, "auc"))
	near := r.Baselines.Nearest
	t.add("bm25", percent(near.At5), percent(near.At10), percent(near.At20), areaOf(r.Baselines.AUC))
	t.add(a.say("random"), percent(0.05), percent(0.1), percent(0.2), ".50")
	if err := t.write(a.stdout, &a.screen); err != nil {
		return err
	}
	out := wrap(a.say("No evidence that past errors predict later ones here: "+
		"every verdict was given the share wrong so far."), a.width)
	if r.Enough > 0 {
		out = wrap(a.say("%d of %d verdicts were given a risk of their own, AUC of the later half %s. "+
			"What it says is off by %.1f points on average.", r.Enough, r.N, areaOf(r.AUCSecondHalf), 100*r.ECE), a.width)
	}
	if err := writeLines(a.stdout, append([]string{""}, out...)...); err != nil || r.Enough == 0 {
		return err
	}
	return a.printReliability(r)
}

// printReliability prints the risks that were said beside what came out. Where there is colour it
// also draws bars.
func (a *app) printReliability(r *replay.Risks) error {
	t := &textTable{columns: []column{
		{head: a.say("said")}, {head: a.say("verdicts"), right: true}, {head: a.say("mean"), right: true},
		{head: a.say("were wrong"), right: true}, {},
	}}
	for i, b := range r.Reliability {
		if b.N > 0 {
			t.add(fmt.Sprintf("%d-%d %%", 10*i, 10*i+10), fmt.Sprint(b.N), percent(b.P), percent(b.Wrong), a.barOf(b.Wrong, b.P))
		}
	}
	if err := writeLines(a.stdout, ""); err != nil {
		return err
	}
	if err := t.write(a.stdout, &a.screen); err != nil {
		return err
	}
	score := a.say("After the first %d verdicts. Brier score %.3f; saying the share wrong so far each time: %.3f.",
		r.Warmup, r.Brier, r.Baselines.Brier)
	return writeLines(a.stdout, append([]string{""}, wrap(score, a.width)...)...)
}

// barOf draws a share as a bar, with a mark at the risk that was said. It returns "" if
// the screen takes no colour.
func (a *app) barOf(share, mark float64) string {
	const cells = 25
	if !a.colour {
		return ""
	}
	at := min(cells-1, int(mark*cells))
	bar := []rune(strings.Repeat("█", int(share*cells+0.5)) + strings.Repeat("·", cells-int(share*cells+0.5)))
	bar[at] = '│'
	return string(bar)
}

func areaOf(f *float64) string {
	if f == nil {
		return "-"
	}
	return strings.TrimPrefix(two(*f), "0")
}

func areaIn(r *replay.Risks, name string) string {
	i := r.Intervals[name]
	return fmt.Sprintf("(%s-%s)", strings.TrimPrefix(two(i.Low), "0"), strings.TrimPrefix(two(i.High), "0"))
}
