package main

import (
	"context"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// planned is the result of a dry run of record, as --json prints it.
type planned struct {
	Accepted   int            `json:"accepted"`
	Duplicate  int            `json:"duplicate"`
	Correct    int            `json:"correct"`
	Wrong      int            `json:"wrong"`
	Unlabelled int            `json:"unlabelled"`
	Calls      int            `json:"calls"`   // of the model, estimated
	Usage      llm.Usage      `json:"usage"`   // likewise
	Cost       any            `json:"cost"`    // likewise; a number, or "unknown"
	Vectors    model.Vectors  `json:"vectors"` // of an embedding model, estimated; included in calls and cost
	Estimated  bool           `json:"estimated"`
	Rejected   []input.Reject `json:"rejected"`
}

// recordDry prints what a record of the files would do, and its model calls. It writes nothing and calls no model.
func recordDry(ctx context.Context, a *app, files []string, run string) error {
	in, err := a.files.RunFiles(files, a.Say("reading"))
	if err != nil {
		return err
	}
	in.Run = run
	taken := false
	err = a.store.With(ctx, access.Planning, func(m *memtree.Memory) error {
		r := &recorder{app: a, RunFiles: in, mem: m}
		e := &meter.Estimator{}
		if err := r.plan(ctx, files, e); err != nil {
			return err
		}
		in.Bar.End()
		calls, usage := meter.WithRepairs(e.Sum())
		v := a.model.Vectors(r.texts)
		o := &r.out
		taken = o.taken()
		p := planned{o.Accepted, o.Duplicate, o.Correct, o.Wrong, o.Unlabelled,
			calls + v.Calls, usage.Add(v.Usage), model.Plus(a.model.CostOf(calls, 0, usage), v.Cost), v, true, in.Rejected}
		lines := []string{
			a.Say("%s would be accepted, %d were recorded before, %d would be rejected.",
				runCount(a.Voice, p.Accepted), p.Duplicate, in.Rejects),
			a.Say("Of the accepted: %d right, %d wrong, %d without a label.", p.Correct, p.Wrong, p.Unlabelled),
		}
		if a.model.Name != "" {
			lines = append(lines, a.Say("The model would be asked about %d times: some %d tokens in, %d out; cost %s. "+
				"That is with one answer in five asked for twice.",
				calls, usage.InputTokens, usage.OutputTokens, a.model.CostWords(a.model.CostOf(calls, 0, usage))))
		}
		if v.Calls > 0 {
			lines = append(lines, a.model.VectorsLine(&v))
		}
		for i, l := range lines {
			lines[i] = strings.Join(a.Wrap(l), "\n")
		}
		return a.Result(p, lines...)
	})
	in.Bar.End()
	if err != nil {
		return err
	}
	return in.Err(taken)
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
	if r.model.Name != "" {
		o.Generator = ask
	}
	former := formation.New(o)
	var runs []*formation.DetectedRun
	for _, name := range files {
		err := r.RunFiles.File(ctx, name, func(e *tree.Evaluation) error {
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
func (r *recorder) estimate(ctx context.Context, former *formation.Former, runs []*formation.DetectedRun) error {
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
type noNeighbours struct{ store.Reader }

func (noNeighbours) Similar(context.Context, *tree.Node, int) ([]tree.Node, error) { return nil, nil }
