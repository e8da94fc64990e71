package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// replayOptions are the flags of replay.
type replayOptions struct {
	seed   uint64
	page   string // file of the page to write
	evolve bool
	items  int
	word   string // one of wordings
	embed  string // one of embedders
	floor  float64
	bound  float64 // risk from which a verdict is corrected
}

func replayCommand(a *app) *cobra.Command {
	o := replayOptions{}
	c := &cobra.Command{
		Use:  "replay FILE... [flags]",
		Args: arguments(a.Voice, 1, -1, a.Say("one file or more, or - for standard input")),
		RunE: func(c *cobra.Command, args []string) error {
			if o.items < 1 {
				return a.Usage("--max-items is %d; give how many memories a run may be given, 1 or more", o.items)
			}
			if !(o.floor >= 0 && o.floor <= 1) {
				return a.Usage("--trust-floor is %v; it lies in 0 to 1", o.floor)
			}
			if !(o.bound > 0 && o.bound <= 1) {
				return a.Usage("--correct-above is %v; it lies above 0 and goes to 1", o.bound)
			}
			if !slices.Contains(wordings, o.word) {
				return a.Usage("--wording is %s; use one of: %s", o.word, strings.Join(wordings, ", "))
			}
			if !slices.Contains(embedders, o.embed) {
				return a.Usage("--embedder is %s; use one of: %s", o.embed, strings.Join(embedders, ", "))
			}
			return runReplay(c.Context(), a, args, &o)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.evolve, "evolve", false, a.Say("also measure a memory whose tree evolves every night of the history"))
	f.IntVar(&o.items, "max-items", 3, a.Say("most memories a run is given"))
	f.Float64Var(&o.bound, "correct-above", ledger.CorrectAbove,
		a.Say("say what taking the other verdict would have done "+
			"where one is at least this likely to be wrong"))
	f.Float64Var(&o.floor, "trust-floor", 0.2, a.Say("leave out what is trusted less, 0 to 1; "+
		"a case of the very test at half of it"))
	f.StringVar(&o.word, "wording", wordings[0], a.Say("what a run is told: actions, "+
		"or what was found before too (findings)"))
	f.StringVar(&o.embed, "embedder", embedders[0], a.Say("what gives texts their meaning: the built-in encoder, "+
		"or the embedding model that is configured (model), which is sent every prompt"))
	f.StringVar(&o.page, "html", "", a.Say("also write a page for a browser to this file: "+
		"what reading the riskiest verdicts finds"))
	f.Uint64Var(&o.seed, "seed", 1, a.Say("seed of the random control"))
	return c
}

// wordings are the values of --wording: actions alone, or findings too.
var wordings = []string{"actions", "findings"}

// limits returns the limits of every query.
func (o *replayOptions) limits() retrieval.Limits {
	l := retrieval.Limits{Total: o.items, Confidence: o.floor}
	if o.floor == 0 {
		l.Confidence = -1 // no floor; 0 would mean the default floor
	}
	return l
}

func runReplay(ctx context.Context, a *app, files []string, o *replayOptions) error {
	in, err := a.files.RunFiles(files, a.Say("reading"))
	if err != nil {
		return err
	}
	var stream []tree.Evaluation
	for _, name := range files {
		if err := in.File(ctx, name, func(e *tree.Evaluation) error {
			stream = append(stream, *e)
			return nil
		}); err != nil {
			return err
		}
	}
	in.Bar.End()
	in.Hidden()
	rep, said, err := measure(ctx, a, stream, o)
	if err != nil {
		return err
	}
	if o.page != "" {
		if err := writeReplayPage(a, o.page, rep.Risk, said); err != nil {
			return err
		}
	}
	return errors.Join(a.Result(rep, replayLines(a.Voice, &rep)...), in.Err(len(stream) > 0))
}

// nearestGiven is the number of cases that the plain search includes. It equals the maximum of memtree.
const nearestGiven = 2

// measure replays a stream. It also returns the predicted risk of each labelled verdict.
func measure(ctx context.Context, a *app, stream []tree.Evaluation, o *replayOptions) (
	rep effect.ReplayResult, said []predicted, err error,
) {
	e, err := replayEmbedder(ctx, a, stream, o.embed)
	if err != nil {
		return rep, nil, err
	}
	given := min(nearestGiven, o.items)
	ours := memorySubject{limits: o.limits(), findings: o.word == wordings[1], embedder: e}
	r := &predictor{memorySubject: ours, plain: effect.NewNearest(1)}
	v := &evolvingSubject{memorySubject: ours}
	memories, subjects := []*memorySubject{&r.memorySubject}, []effect.ReplaySubject{r, effect.NewNearest(given)}
	if o.evolve {
		memories, subjects = append(memories, &v.memorySubject), append(subjects, v, effect.NewNearest(given))
	}
	for _, m := range memories {
		if err := m.open(ctx); err != nil {
			return rep, nil, err
		}
		defer func() { err = errors.Join(err, m.mem.Close()) }() //nolint:contextcheck // as in with
	}
	bar := a.Progress(a.Say("replaying"), say.Count)
	defer bar.End()
	rep, err = effect.Replay(ctx, stream, effect.ReplayOptions{
		Judge: judged, Seed: o.seed, Progress: func(done, total int) { bar.Step(int64(done), int64(total)) },
	}, subjects...)
	if e != nil {
		rep.Embedder = e.ID()
	}
	for _, m := range memories {
		if note := m.mem.Health().Note; note != "" {
			a.Note(text.Line(note))
		}
	}
	if i := slices.IndexFunc(rep.Rows, func(r effect.ReplayRow) bool { return r.Name == v.Name() }); i >= 0 {
		rep.Evolved = &rep.Rows[i]
	}
	if len(r.told) > 0 {
		risks := effect.MeasureRisks(r.told, o.seed)
		rep.Risk = &risks
		correction := effect.Reverse(r.told, o.bound, o.seed)
		rep.Correction = &correction
	}
	return rep, r.said, err
}

// replayLines returns a report, and explains its columns below.
func replayLines(v *say.Voice, rep *effect.ReplayResult) []string {
	p := v.Page()
	if rep.N == 0 {
		p.Add(v.Say("None of the %d runs says what was true, so there is nothing to measure. Give them ground_truth or "+
			"correct.", rep.Unlabelled))
		return p.Lines
	}
	top := v.Say("%d judged runs in time order, %d of them wrong (%s).", rep.N, rep.Wrong, percentOf(rep.Wrong, rep.N))
	if rep.Unlabelled > 0 {
		top += v.Say(" %d without a label do not count.", rep.Unlabelled)
	}
	if rep.Duplicate > 0 {
		top += v.Say(" %d were there twice and count once.", rep.Duplicate)
	}
	if rep.Embedder != "" {
		top += v.Say(" Search model: %s.", rep.Embedder)
	}
	p.Add(top, "")
	rowsPart(v, p, rep)
	if rep.Risk != nil && rep.Risk.AUC != nil {
		risksPart(v, p, rep.Risk)
	}
	correctionPart(v, p, rep.Correction)
	if !v.Quiet {
		keyPart(v, p, rep)
	}
	return p.Lines
}

// correctionPart adds how replacing risky verdicts would have changed accuracy.
func correctionPart(v *say.Voice, p *say.Output, c *effect.Reversal) {
	switch {
	case c == nil:
	case c.Flipped > 0:
		p.Add("", v.Say("Had the other verdict been taken wherever one was %.0f %% or more likely to be wrong: %d of %d "+
			"taken the other way round, %d put right, %d right ones broken. Accuracy %.1f %% instead of %.1f %% "+
			"(%+.1f points, %+.1f to %+.1f).", 100*c.Bound, c.Flipped, c.N, c.Right, c.Broken, 100*c.AccuracyAfter,
			100*c.AccuracyBefore, 100*(c.AccuracyAfter-c.AccuracyBefore), 100*c.Low, 100*c.High))
	default:
		p.Add("", v.Say("No verdict was %.0f %% or more likely to be wrong, by evidence of its own, and had one opposite: "+
			"nothing would have been corrected.", 100*c.Bound))
	}
}

// rowsPart adds two tables: the share of wrong verdicts with guidance and without, and the share of wrong verdicts
// with a warning.
func rowsPart(v *say.Voice, p *say.Output, rep *effect.ReplayResult) {
	t := &say.Table{Columns: []say.Column{
		{Head: ""}, {Head: v.Say("guided"), Right: true},
		{Head: v.Say("wrong if so")}, {Head: v.Say("wrong if not")}, {Head: "AUC"},
	}}
	all := &rep.Rows[0].Warned
	w := &say.Table{Columns: []say.Column{
		{Head: ""}, {Head: v.Say("all %d wrong", all.N)},
		{Head: v.Say("%d again", all.Recurrence.N)}, {Head: v.Say("%d new", all.Transfer.N)},
	}}
	for i := range rep.Rows {
		r := &rep.Rows[i]
		g, u, warned := &r.Guided, &r.Unguided, &r.Warned
		t.Add(r.Name, percentOf(g.N, rep.N), share(g.P, g.Interval), share(u.P, u.Interval), auc(r))
		w.Add(r.Name, share(warned.P, warned.Interval), share(warned.Recurrence.P, warned.Recurrence.Interval),
			share(warned.Transfer.P, warned.Transfer.Interval))
	}
	p.Table(t)
	p.Raw("", v.Say("Wrong verdicts that had been warned of:"), "")
	p.Table(w)
	if rep.Evolved != nil && rep.Evolved.Difference != nil && rep.Evolved.Difference.AUC != nil {
		d := rep.Evolved.Difference
		p.Add("", v.Say("evolved against memtree, run by run: AUC %+.3f (%+.3f to %+.3f), warned of %+.0f points "+
			"(%+.0f to %+.0f).", *d.AUC, d.Interval.Low, d.Interval.High, 100*d.Warned, 100*d.WarnedInterval.Low,
			100*d.WarnedInterval.High))
	}
}

// keyPart adds what the columns mean.
func keyPart(v *say.Voice, p *say.Output, rep *effect.ReplayResult) {
	p.Add("",
		v.Say("guided: share of the runs that were given something. wrong if so, if not: share of those verdicts that "+
			"were wrong. Ranges are 95-percent intervals."),
		v.Say("AUC: how often a wrong verdict had a nearer memory than a right one; .50 is chance."),
		v.Say("warned of: a memory given was of the same direction. again: verdicts on a test or scene where one had "+
			"been wrong before; new: those where none had, so that only what was learned elsewhere can warn."))
	if rep.Evolved != nil {
		p.Add(v.Say("evolved: memtree with a tree that evolved every night, and whenever %d runs had come "+
			"since. as evolved: given to as many runs as that.", longestDay))
	}
	p.Add(v.Say("bm25: the nearest wrong cases by words alone, given to as many runs as memtree guided, "+
		"the cut chosen afterwards in its favour. shuffled: the same guidance given at random, "+
		"what chance would do; intervals are the range of chance."),
		v.Say("A replay changes no run: it shows when memory would have spoken, not whether the agent would have listened."))
}

// share prints a share, with its interval if there is one.
func share(p *float64, in *stat.Interval) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%s (%.0f-%.0f)", percent(*p), 100*in.Low, 100*in.High)
}

func auc(r *effect.ReplayRow) string {
	if r.AUC == nil {
		return "-"
	}
	short := func(f float64) string { return strings.TrimPrefix(two(f), "0") }
	return fmt.Sprintf("%s (%s-%s)", short(*r.AUC), short(r.Interval.Low), short(r.Interval.High))
}

// risksPart adds how well a replay separated wrong verdicts from right ones.
func risksPart(v *say.Voice, p *say.Output, r *effect.RiskMeasure) {
	p.Add("", v.Say("Once a verdict is given, and before its truth is known: how much of what is wrong does "+
		"reading the riskiest find?"), "")
	in := func(name string, f float64) string {
		i := r.Intervals["auc"]
		return fmt.Sprintf("%s (%.0f-%.0f)", percent(f), 100*i.Low, 100*i.High)
	}
	t := &say.Table{Columns: []say.Column{
		{Head: ""}, {Head: v.Say("first 5 %")}, {Head: v.Say("first 10 %")}, {Head: v.Say("first 20 %")}, {Head: "AUC"},
	}}
	t.Add("risk", in("found5", r.Found.At5), in("found10", r.Found.At10), in("found20", r.Found.At20),
		areaOf(r.AUC)+" "+areaIn(r))
	near := r.Baselines.Nearest
	t.Add("bm25", percent(near.At5), percent(near.At10), percent(near.At20), areaOf(r.Baselines.AUC))
	t.Add(v.Say("random"), percent(0.05), percent(0.1), percent(0.2), ".50")
	p.Table(t)
	if r.Enough == 0 {
		p.Add("", baseRateOnly(v, r))
		return
	}
	p.Add("", v.Say("%d of %d verdicts were given a risk of their own, AUC of the later half %s. What it says is off by "+
		"%.1f points on average.", r.Enough, r.N, areaOf(r.AUCSecondHalf), 100*r.ECE), "")
	reliabilityPart(v, p, r)
}

// baseRateOnly explains why no verdict has a risk of its own, and how good the order is nevertheless.
func baseRateOnly(v *say.Voice, r *effect.RiskMeasure) string {
	return v.Say("No verdict was given a risk of its own: %d verdicts, %d of them wrong, do not show yet that past "+
		"errors predict later ones, so each was given the share wrong so far. The order is a first guess: its AUC is %s %s, "+
		"where .50 is chance.", r.N, r.Wrong, areaOf(r.AUC), areaIn(r))
}

// reliabilityPart adds predicted risks beside observed shares. With colour it also draws bars.
func reliabilityPart(v *say.Voice, p *say.Output, r *effect.RiskMeasure) {
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("said")}, {Head: v.Say("verdicts"), Right: true}, {Head: v.Say("mean"), Right: true},
		{Head: v.Say("were wrong"), Right: true}, {},
	}}
	for i, b := range r.Reliability {
		if b.N > 0 {
			t.Add(fmt.Sprintf("%d-%d %%", 10*i, 10*i+10), fmt.Sprint(b.N), percent(b.P), percent(b.Wrong), barOf(v, b.Wrong,
				b.P))
		}
	}
	p.Table(t)
	p.Add("", v.Say("After the first %d verdicts. Brier score %.3f; saying the share wrong so far each time: %.3f.",
		r.Warmup, r.Brier, r.Baselines.Brier))
}

// barOf draws a share as a bar, with a mark at the predicted risk. It returns "" without colour.
func barOf(v *say.Voice, share, mark float64) string {
	const cells = 25
	if !v.Colour {
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

func areaIn(r *effect.RiskMeasure) string {
	i := r.Intervals["auc"]
	return fmt.Sprintf("(%s-%s)", strings.TrimPrefix(two(i.Low), "0"), strings.TrimPrefix(two(i.High), "0"))
}
