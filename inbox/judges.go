package inbox

// How often each judge is wrong, estimated from few labels, and which labels would narrow that most.

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/memtree/memtree/estimate"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// JudgeRate is how often a judge, an agent that gives verdicts, is wrong. It is computed from two sets of the judge's
// verdicts: the latest 4,096 with a label, and the waiting ones among the newest 1,000 waiting verdicts of all judges.
type JudgeRate struct {
	Judge    string `json:"judge"`    // name of the agent, "" for verdicts without an agent's name
	Verdicts int    `json:"verdicts"` // number of verdicts in both sets
	Known    int    `json:"known"`    // verdicts with a label
	Wrong    int    `json:"wrong"`    // wrong verdicts of Known

	// Labelled is the share of wrong verdicts in Known. It is too high if people labelled the riskiest verdicts first.
	Labelled estimate.Estimate `json:"labelled"`
	// Estimate is the share of wrong verdicts in Verdicts. It is corrected for which of them have a label.
	Estimate estimate.Estimate `json:"estimate"`

	// Failing estimates the share of waiting verdicts whose tests fail in truth; nil if too few labels of the judge are
	// known.
	Failing *estimate.Estimate `json:"failing,omitempty"`
	Judged  float64            `json:"judged"` // share of fails in the waiting verdicts that are pass or fail, 0 to 1

	// Changed is the number of known verdicts when package risk noticed a change of a judge or product and forgot what it
	// had learned before; 0 if it noticed none.
	Changed int `json:"changed,omitempty"`

	Next []string `json:"next"` // keys of the waiting evaluations whose labels would narrow Estimate most

	// Course is how Estimate changed as labels came in. Its last point is Estimate; it is empty without labels.
	Course []coursePoint `json:"course"`
}

// coursePoint is the estimate after the first Known labels of a judge.
type coursePoint struct {
	Known int `json:"known"` // number of labels
	estimate.Estimate
}

// coursePoints is the most points of a course.
const coursePoints = 24

// Judges returns how often each judge is wrong, the judge with the most verdicts first. next is the largest number of
// evaluations in each JudgeRate.Next. Judges omits a judge without verdicts in either set of JudgeRate.
func (r *Chooser) Judges(ctx context.Context, next int) ([]JudgeRate, error) {
	waiting, err := r.Waiting(ctx, find.Query{})
	if err != nil {
		return nil, fmt.Errorf("judges: %w", err)
	}
	names := map[string]bool{}
	for e, err := range r.o.Tree.Ledger(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("judges: %w", err)
		}
		if v := e.Verdict; v != nil && v.Labelled {
			names[v.Agent.Name] = true
		}
	}
	of := map[string]*waitingOf{}
	for i := range waiting {
		u := &waiting[i]
		if u.Risk.Forecast == 0 { // of the newest 1,000 only
			continue
		}
		name := u.Evaluation.Agent.Name
		names[name] = true
		if of[name] == nil {
			of[name] = &waitingOf{}
		}
		of[name].add(&u.Evaluation, &u.Risk)
	}
	known, err := r.o.Judge(ctx, slices.Sorted(maps.Keys(names)))
	if err != nil {
		return nil, fmt.Errorf("judges: %w", err)
	}
	out := []JudgeRate{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		w := cmp.Or(of[name], &waitingOf{})
		if x := judgeRate(name, known[name], w, next); x.Verdicts > 0 {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b JudgeRate) int { return cmp.Compare(b.Verdicts, a.Verdicts) })
	return out, nil
}

// waitingOf is the verdicts of a judge that wait for a label.
type waitingOf struct {
	ids                [estimate.Bins][]string
	n, passes, failing int
}

func (w *waitingOf) add(e *tree.Evaluation, r *risk.Risk) {
	bin := estimate.Bin(r.Forecast)
	w.ids[bin] = append(w.ids[bin], e.Key())
	w.n++
	switch judgment.PolarityOf(judgment.Decode(e.Judgment)) {
	case judgment.Passes:
		w.passes++
	case judgment.Fails:
		w.failing++
	case judgment.Unread:
	}
}

func judgeRate(name string, known risk.JudgeLabels, w *waitingOf, next int) JudgeRate {
	out := JudgeRate{Judge: name, Changed: known.Changed, Next: []string{}, Course: []coursePoint{}}
	all := make([]estimate.Stratum, estimate.Bins)
	for bin, ids := range w.ids {
		for range ids {
			all[bin].Add(estimate.Center(bin), false, false)
		}
	}
	for _, label := range known.Labels {
		bin, _ := risk.Bin(label)
		all[bin].Add(estimate.Center(bin), false, false)
	}
	step := max(1, (len(known.Labels)+coursePoints-1)/coursePoints)
	for i, label := range known.Labels {
		bin, wrong := risk.Bin(label)
		all[bin].Known++
		if wrong {
			all[bin].Wrong++
			out.Wrong++
		}
		if at := i + 1; at%step == 0 || at == len(known.Labels) {
			out.Course = append(out.Course, coursePoint{at, estimate.Powered(all)})
		}
	}
	out.Verdicts, out.Known = w.n+len(known.Labels), len(known.Labels)
	out.Labelled, out.Estimate = estimate.Labelled(all), estimate.Powered(all)
	if n := w.passes + w.failing; n > 0 {
		out.Judged = float64(w.failing) / float64(n)
		if e, ok := estimate.Truth(w.failing, n, known.Judged); ok {
			out.Failing = &e
		}
	}
	for bin, n := range estimate.Ask(all, min(next, w.n)) {
		out.Next = append(out.Next, draw(w.ids[bin], n)...)
	}
	return out
}

// draw returns n of the ids, at random by a hash of each, so that the same ids give the same ones.
func draw(ids []string, n int) []string {
	by := func(id string) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(id)) // never fails
		return h.Sum64()
	}
	out := slices.Clone(ids)
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(by(a), by(b)), cmp.Compare(a, b)) })
	return out[:min(n, len(out))]
}
