package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

// testNames finds the runs of reports by the names that a table of truths has for them. A nil one finds none.
type testNames struct {
	wanted map[string]bool
	runs   map[string][]string // ids by name
}

func newTestNames(labels *ingest.Labels) *testNames {
	n := &testNames{wanted: map[string]bool{}, runs: map[string][]string{}}
	for i := range labels.Told {
		n.wanted[labels.Told[i].ID] = true
	}
	return n
}

// meet notes the names of a run: of its test, whole and alone, and with a full stop or :: as runners print it.
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

// meetVerdict notes the names of a run of which the ledger alone is left.
func (n *testNames) meetVerdict(v *tree.Verdict) {
	title := v.CaseID
	if i := strings.LastIndex(title, " › "); i >= 0 {
		title = title[i+len(" › "):]
	}
	n.meet(&tree.Evaluation{ID: v.Evaluation, CaseID: v.CaseID, Scope: tree.Scope{Test: title}})
}

// of returns the ids of the runs of a name.
func (n *testNames) of(name string) []string {
	if n == nil {
		return nil
	}
	return n.runs[name]
}

// toldBefore reports whether a run that contradicts one of the same key tells the same: two tools write of one run what
// each of them knows, and what counts is the verdict.
func (r *recorder) toldBefore(ctx context.Context, e *tree.Evaluation) (bool, error) {
	if r.reports == nil {
		return false, nil
	}
	if err := r.readWaiting(ctx); err != nil {
		return false, err
	}
	was, waits := r.waiting[e.Key()]
	if e.Labelled() {
		return false, nil
	}
	return !waits || was == judgment.PolarityOf(judgment.Decode(e.Judgment)), nil // else its truth was told meanwhile
}

// readWaiting reads the verdicts that wait for a truth, once in a command: two large reports may contradict each other
// in every line.
func (r *recorder) readWaiting(ctx context.Context) error {
	if r.waiting != nil {
		return nil
	}
	if err := r.mem.Wait(ctx); err != nil {
		return err
	}
	box, err := r.mem.Inbox(ctx, 0)
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

// apart is how far apart two reports of one run tell of a test, at most.
const apart = 30 * time.Minute

// alike counts the runs of this command that may be told twice: the same test, with the same verdict and at about the
// same time, also waits from another run. Whether both are one run nobody can know from the reports alone.
func (r *recorder) alike(ctx context.Context) (int, error) {
	if len(r.fresh) == 0 {
		return 0, nil
	}
	box, err := r.mem.Inbox(ctx, 0)
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
