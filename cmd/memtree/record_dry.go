package main

import (
	"context"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/tree"
)

// planned is the result of a dry run of record, as --json prints it.
type planned struct {
	Accepted   int       `json:"accepted"`
	Duplicate  int       `json:"duplicate"`
	Correct    int       `json:"correct"`
	Wrong      int       `json:"wrong"`
	Unlabelled int       `json:"unlabelled"`
	Calls      int       `json:"calls"`   // of the model, estimated
	Usage      llm.Usage `json:"usage"`   // likewise
	Cost       any       `json:"cost"`    // likewise; a number, or "unknown"
	Vectors    vectored  `json:"vectors"` // of an embedding model, estimated; included in calls and cost
	Estimated  bool      `json:"estimated"`
	Rejected   []reject  `json:"rejected"`
}

// recordDry prints what a record of the files would do, and its model calls. It writes nothing and calls no model.
func (a *app) recordDry(ctx context.Context, files []string, run string) error {
	in, err := a.intake(files, a.say("reading"))
	if err != nil {
		return err
	}
	in.run = run
	err = a.with(ctx, planning, func(m *memtree.Memory) error {
		r := &recorder{intake: in, mem: m}
		e := &meter.Estimator{}
		if err := r.plan(ctx, files, e); err != nil {
			return err
		}
		in.bar.End()
		calls, usage := meter.WithRepairs(e.Sum())
		v := a.vectorsOf(r.texts)
		o := &r.out
		p := planned{o.Accepted, o.Duplicate, o.Correct, o.Wrong, o.Unlabelled,
			calls + v.Calls, usage.Add(v.Usage), plus(a.costOf(calls, 0, usage), v.Cost), v, true, in.rejected}
		if a.json {
			return a.printJSON(p)
		}
		lines := []string{
			a.say("%s would be accepted, %d were recorded before, %d would be rejected.",
				a.runs(p.Accepted), p.Duplicate, in.rejects),
			a.say("Of the accepted: %d right, %d wrong, %d without a label.", p.Correct, p.Wrong, p.Unlabelled),
		}
		if a.spending.model != "" {
			lines = append(lines, a.say("The model would be asked about %d times: some %d tokens in, %d out; cost %s. "+
				"That is with one answer in five asked for twice.",
				calls, usage.InputTokens, usage.OutputTokens, a.costWords(a.costOf(calls, 0, usage))))
		}
		if v.Calls > 0 {
			lines = append(lines, a.vectorsLine(&v))
		}
		for i, l := range lines {
			lines[i] = strings.Join(a.Wrap(l), "\n")
		}
		return a.print(lines...)
	})
	in.bar.End()
	if err != nil {
		return err
	}
	return in.err()
}

// plan reads the files and estimates the model calls.
func (r *recorder) plan(ctx context.Context, files []string, ask *meter.Estimator) error {
	known := map[string]bool{}
	for entry, err := range r.mem.Tree().Ledger(ctx, 0) {
		if err != nil {
			return err
		}
		if entry.Verdict != nil {
			known[entry.Verdict.Evaluation] = true
		}
	}
	o := formation.Options{Taxonomy: r.mem.Taxonomy()}
	if r.spending.model != "" {
		o.Generator = ask
	}
	former, err := formation.New(o)
	if err != nil {
		return err
	}
	var runs []*formation.Run
	for _, name := range files {
		err := r.intake.file(ctx, name, func(e *tree.Evaluation) error {
			e.Identify()
			if known[e.Key()] {
				r.out.Duplicate++
				return nil
			}
			known[e.Key()] = true
			r.accepted(e)
			run, err := former.Detect(ctx, *e)
			if runs = append(runs, run); err == nil && len(runs) == batchRuns {
				err = r.estimate(ctx, former, runs)
				runs = nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return r.estimate(ctx, former, runs)
}

// estimate forms runs as a record would, and collects the texts that would get vectors.
func (r *recorder) estimate(ctx context.Context, former *formation.Former, runs []*formation.Run) error {
	view := noNeighbours{r.mem.Tree()}
	if err := former.Read(ctx, view, runs); err != nil {
		return err
	}
	for _, run := range runs {
		f, err := former.Insert(ctx, view, run)
		if err != nil {
			return err
		}
		for i := range f.Changes {
			r.texts = append(r.texts, f.Changes[i].Node.Text())
		}
	}
	return nil
}

// noNeighbours is a view of a tree in which no two cases are similar, so each wrong one needs a model call.
type noNeighbours struct{ tree.Reader }

func (noNeighbours) Similar(context.Context, *tree.Node, int) ([]tree.Node, error) { return nil, nil }

// vectored is an estimate of embedding calls.
type vectored struct {
	Texts int       `json:"texts"`
	Calls int       `json:"calls"`
	Usage llm.Usage `json:"usage"`
	Cost  any       `json:"cost"` // a number, or "unknown"
}

// vectorsOf estimates the embedding calls for texts; none without an embedding model.
func (a *app) vectorsOf(texts []string) vectored {
	if a.spending.embed == "" {
		return vectored{Cost: 0.0}
	}
	calls, usage := meter.EstimateTexts(texts)
	return vectored{len(texts), calls, usage, a.embedCost(calls, 0, usage)}
}

func (a *app) vectorsLine(v *vectored) string {
	return a.say("The embedding model would be asked about %d times, for %d texts: some %d tokens; cost %s.",
		v.Calls, v.Texts, v.Usage.InputTokens, a.costWords(v.Cost))
}
