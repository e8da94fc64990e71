package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/replay"
	"github.com/memtree/memtree/store/cache"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func (a *app) replayCommand() *cobra.Command {
	var seed uint64
	page := ""
	c := &cobra.Command{
		Use:   "replay FILE... [flags]",
		Short: a.say("Would memory have warned? Your own history, in time order"),
		Long: a.say(`Goes through judged runs in time order: before each it asks for guidance, resting on earlier runs only, then it records the run. It says how often the verdict was wrong when memory spoke and when it did not, and how many of the wrong verdicts had been warned of. Beside it stand a plain search for the nearest wrong case, and a control that gives the same guidance at random: without it a number says little.

It works on a store in memory, calls no model and changes nothing of yours.`),
		Example: "  memtree replay runs.jsonl\n  memtree replay january.jsonl february.jsonl --json\n  memtree replay runs.jsonl --html risk.html",
		Args:    a.arguments(1, -1, a.say("one file or more, or - for standard input")),
		RunE:    func(c *cobra.Command, args []string) error { return a.replay(c.Context(), args, seed, page) },
	}
	c.Flags().StringVar(&page, "html", "", a.say("also write a page for a browser to this file: what reading the riskiest verdicts finds"))
	c.Flags().Uint64Var(&seed, "seed", 1, a.say("seed of the random control"))
	return c
}

func (a *app) replay(ctx context.Context, files []string, seed uint64, page string) error {
	in, err := a.intake(files, a.say("reading"))
	if err != nil {
		return err
	}
	var stream []tree.Evaluation
	for _, name := range files {
		if err := in.file(ctx, name, func(e *tree.Evaluation) error {
			stream = append(stream, *e)
			return nil
		}); err != nil {
			return err
		}
	}
	in.bar.end()
	in.hidden()
	rep, said, err := a.measure(ctx, stream, seed)
	if err != nil {
		return err
	}
	if page != "" {
		if err := a.writeReplayPage(page, rep.Risk, said); err != nil {
			return err
		}
	}
	if a.json {
		err = a.printJSON(rep)
	} else {
		err = a.printReplay(&rep, true)
	}
	return errors.Join(err, in.err())
}

// nearestGiven is how many cases the plain search gives a run: as many as
// memtree gives of that level at most.
const nearestGiven = 2

// measure replays a stream on a store of its own, in memory. It also returns
// what was said of each verdict whose truth is known.
func (a *app) measure(ctx context.Context, stream []tree.Evaluation, seed uint64) (rep replay.Report, said []foretold, err error) {
	s, err := jsonstore.Open(ctx, afero.NewMemMapFs(), "replay", jsonstore.Options{})
	if err != nil {
		return rep, nil, fmt.Errorf("make a temporary store: %w", err)
	}
	r := &rememberer{}
	o := memtree.Options{Store: cache.New(s, cachedNodes), Deadline: patient, Now: func() time.Time { return r.now }}
	if r.mem, err = memtree.Open(ctx, "", &o); err != nil {
		return rep, nil, errors.Join(err, s.Close())
	}
	defer func() { err = errors.Join(err, r.mem.Close()) }() //nolint:contextcheck // as in with
	bar := a.progress(a.say("replaying"), plainCount)
	defer bar.end()
	rep, err = replay.Run(ctx, stream, replay.Options{
		Judge: judged, Seed: seed, Progress: func(done, total int) { bar.step(int64(done), int64(total)) },
	}, r, replay.NewNearest(nearestGiven))
	if len(r.told) > 0 {
		risks := replay.Measure(r.told, seed)
		rep.Risk = &risks
	}
	return rep, r.said, err
}

func judged(e *tree.Evaluation) replay.Verdict {
	v := formation.Detect(e)
	return replay.Verdict{Labelled: v.Labelled, Correct: v.Correct, Direction: v.Direction}
}

// rememberer is memtree as it is measured: asked without leaving trials, at the
// time of each run, with what it was told formed before the next question.
type rememberer struct {
	mem *memtree.Memory
	now time.Time

	plain *replay.Nearest     // the nearest wrong case, for comparison
	next  replay.Prediction   // on the run that was asked about last
	about foretold            // the same, with its reasons
	told  []replay.Prediction // on those whose truth is known
	said  []foretold          // the same, with their reasons
}

// foretold is a risk that was said before the truth was known, and what came out.
type foretold struct {
	risky
	wrong bool
	way   taxonomy.Direction // that it was wrong
}

func (*rememberer) Name() string { return "memtree" }

func (r *rememberer) Ask(ctx context.Context, e *tree.Evaluation) (replay.Answer, error) {
	if e.At.After(r.now) {
		r.now = e.At
	}
	x, err := r.mem.Explain(ctx, memtree.Query{Prompt: e.Prompt, Scene: e.Scene, Scope: e.Scope, Agent: e.Agent, RunID: e.RunID})
	if err != nil {
		return replay.Answer{}, err
	}
	a := replay.Answer{Guided: !x.Abstained}
	if x.Nearest != nil {
		a.Score = x.Nearest.Score
	}
	for _, it := range x.Items {
		a.Score = max(a.Score, it.Score)
		n, err := r.mem.Node(ctx, it.ID)
		if err != nil {
			return replay.Answer{}, err
		}
		a.Items = append(a.Items, replay.Item{Direction: n.Direction, Scene: n.Scene})
	}
	return a, r.foretell(ctx, e)
}

// foretell says how likely the verdict of e is to be wrong.
func (r *rememberer) foretell(ctx context.Context, e *tree.Evaluation) error {
	x, err := r.mem.Risk(ctx, *e)
	if err != nil {
		return err
	}
	if r.plain == nil {
		r.plain = replay.NewNearest(1)
	}
	near, err := r.plain.Ask(ctx, e)
	if err != nil {
		return err
	}
	r.about = foretold{risky: risky{Evaluation: e.Key(), CaseID: e.CaseID, Risk: x, prompt: e.Prompt}}
	r.next = replay.Prediction{P: x.P, Order: x.Order, Base: x.Base, Enough: x.Enough, Near: near.Score, Case: cmp.Or(e.CaseID, e.Prompt)}
	return nil
}

func (r *rememberer) Learn(ctx context.Context, e *tree.Evaluation, v replay.Verdict) error {
	if v.Labelled {
		r.next.Wrong, r.about.wrong, r.about.way = v.Wrong(), v.Wrong(), v.Direction
		r.told = append(r.told, r.next)
		r.said = append(r.said, r.about)
	}
	if err := r.plain.Learn(ctx, e, v); err != nil {
		return err
	}
	told := *e
	told.Trial = "" // of another store
	if err := r.mem.Record(ctx, told); err != nil {
		return err
	}
	return r.mem.Wait(ctx)
}

// printReplay prints a report, with a key to it if explained.
func (a *app) printReplay(rep *replay.Report, explained bool) error {
	if rep.N == 0 {
		return writeLines(a.stdout, a.say("None of the %d runs says what was true, so there is nothing to measure. Give them ground_truth or correct.", rep.Unlabelled))
	}
	top := a.say("%d judged runs in time order, %d of them wrong (%s).", rep.N, rep.Wrong, percent(float64(rep.Wrong)/float64(rep.N)))
	if rep.Unlabelled > 0 {
		top += a.say(" %d without a label do not count.", rep.Unlabelled)
	}
	if rep.Duplicate > 0 {
		top += a.say(" %d were there twice and count once.", rep.Duplicate)
	}
	if err := writeLines(a.stdout, append(wrap(top, a.width), "")...); err != nil {
		return err
	}
	t := &table{columns: []column{
		{head: ""}, {head: a.say("guided"), right: true}, {head: a.say("wrong if so")}, {head: a.say("wrong if not")},
		{head: a.say("scene"), right: true}, {head: a.say("similar"), right: true}, {head: "AUC"},
	}}
	for _, r := range rep.Rows {
		t.add(r.Name, percent(float64(r.Guided.N)/float64(rep.N)), group(&r.Guided), group(&r.Unguided),
			percent(r.Warned.Exact), percent(r.Warned.Similar), auc(&r))
	}
	if err := t.write(a.stdout, &a.screen); err != nil {
		return err
	}
	if rep.Risk != nil && rep.Risk.AUC != nil {
		if err := a.printRisks(rep.Risk); err != nil {
			return err
		}
	}
	if !explained || a.quiet {
		return nil
	}
	return writeLines(a.stdout, a.replayKey(rep)...)
}

func (a *app) replayKey(rep *replay.Report) []string {
	var out []string
	for _, s := range []string{
		"",
		a.say("guided: share of the runs that were given something. wrong if so, if not: share of those verdicts that were wrong, with its 95-percent interval."),
		a.say("scene, similar: share of the %d wrong verdicts that a memory given had warned of in the same direction; one of this very scene, or else one from elsewhere.", rep.Wrong),
		a.say("AUC: how often a wrong verdict had a nearer memory than a right one; .50 is chance."),
		a.say("bm25: the nearest wrong cases by words alone, given to as many runs as memtree guided, the cut chosen afterwards in its favour. shuffled: the same guidance given at random, what chance would do; intervals are the range of chance."),
		a.say("A replay changes no run: it shows when memory would have spoken, not whether the agent would have listened."),
	} {
		out = append(out, wrap(s, a.width)...)
	}
	return out
}

func percent(p float64) string { return fmt.Sprintf("%.0f %%", 100*p) }

func group(g *replay.Group) string {
	if g.P == nil {
		return "-"
	}
	return fmt.Sprintf("%s (%.0f-%.0f)", percent(*g.P), 100*g.Interval.Low, 100*g.Interval.High)
}

func auc(r *replay.Row) string {
	if r.AUC == nil {
		return "-"
	}
	short := func(f float64) string { return strings.TrimPrefix(two(f), "0") }
	return fmt.Sprintf("%s (%s-%s)", short(*r.AUC), short(r.Interval.Low), short(r.Interval.High))
}
