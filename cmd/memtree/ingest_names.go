package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// testNames finds runs by the test names of a table of truths. A nil *testNames finds none.
type testNames struct {
	wanted map[string]bool
	runs   map[string][]string // ids by name
}

func newTestNames(labels *report.Labels) *testNames {
	n := &testNames{wanted: map[string]bool{}, runs: map[string][]string{}}
	for i := range labels.Told {
		n.wanted[labels.Told[i].ID] = true
	}
	return n
}

// meet indexes the names of a run: its case id, prompt and test, the latter with and without the suite, joined as
// runners print it.
func (n *testNames) meet(e *tree.Evaluation) {
	if n == nil {
		return
	}
	id, s := e.Key(), &e.Scope
	names := []string{e.CaseID, s.Test, s.Suite + "." + s.Test, s.Suite + "::" + s.Test, s.Suite + " " + s.Test, e.Prompt}
	for i, name := range names {
		if n.wanted[name] && !slices.Contains(names[:i], name) && !slices.Contains(n.runs[name], id) {
			n.runs[name] = append(n.runs[name], id)
		}
	}
}

// meetVerdict indexes the names of a run of which only the ledger entry is left.
func (n *testNames) meetVerdict(v *ledger.Verdict) {
	title := v.CaseID
	if i := strings.LastIndex(title, " › "); i >= 0 {
		title = title[i+len(" › "):]
	}
	n.meet(&tree.Evaluation{ID: v.Evaluation, CaseID: v.CaseID, Scope: tree.Scope{Test: title}})
}

// of returns the ids of the runs with a name.
func (n *testNames) of(name string) []string {
	if n == nil {
		return nil
	}
	return n.runs[name]
}

// sameVerdict reports whether an evaluation whose key was recorded with other content repeats its verdict: two tools
// report the same run with different details, and only the verdict matters.
func (r *recorder) sameVerdict(ctx context.Context, e *tree.Evaluation) (bool, error) {
	if r.Reports == nil {
		return false, nil
	}
	if err := r.readWaiting(ctx); err != nil {
		return false, err
	}
	was, waits := r.waiting[e.Key()]
	if e.Labelled() {
		return false, nil
	}
	return !waits || was == judgment.PolarityOf(judgment.Decode(e.Judgment)), nil // else labelled meanwhile
}

// readWaiting reads the unlabelled verdicts, once in a command: two large reports may contradict each other in every
// line.
func (r *recorder) readWaiting(ctx context.Context) error {
	if r.waiting != nil {
		return nil
	}
	if err := r.mem.Wait(ctx); err != nil {
		return err
	}
	box, err := r.mem.Inbox().List(ctx, 0)
	if err != nil {
		return err
	}
	r.waiting = make(map[string]judgment.Polarity, len(box.Waiting))
	for i := range box.Waiting {
		e := &box.Waiting[i].Evaluation
		r.waiting[e.Key()] = judgment.PolarityOf(judgment.Decode(e.Judgment))
	}
	return nil
}

// apart is the longest time between two reports that may be of the same run.
const apart = 30 * time.Minute

// alike returns how many runs of this command may be duplicates: another run waits with the same test and verdict at
// about the same time. Reports alone cannot prove that both are one run.
func (r *recorder) alike(ctx context.Context) (int, error) {
	if len(r.fresh) == 0 {
		return 0, nil
	}
	box, err := r.mem.Inbox().List(ctx, 0)
	if err != nil {
		return 0, err
	}
	before := map[string][]*tree.Evaluation{}
	for i := range box.Waiting {
		if e := &box.Waiting[i].Evaluation; !r.fresh[e.Key()] && e.CaseID != "" {
			before[e.CaseID] = append(before[e.CaseID], e)
		}
	}
	n := 0
	for i := range box.Waiting {
		e := &box.Waiting[i].Evaluation
		if r.fresh[e.Key()] && slices.ContainsFunc(before[e.CaseID], func(was *tree.Evaluation) bool {
			between := e.At.Sub(was.At).Abs()
			return !e.At.IsZero() && !was.At.IsZero() && between <= apart && e.RunID != was.RunID &&
				judgment.PolarityOf(judgment.Decode(e.Judgment)) == judgment.PolarityOf(judgment.Decode(was.Judgment))
		}) {
			n++
		}
	}
	return n, nil
}
