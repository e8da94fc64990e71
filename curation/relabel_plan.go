package curation

import (
	"cmp"
	"slices"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// take removes an evaluation from its case. A case without other occurrences is archived.
func (p *plan) take(n tree.Node, v *ledger.Verdict) {
	was := n.Clone()
	before := ledger.Before{Mark: n.Mark, Decision: n.Decision}
	n.Occurrences = slices.DeleteFunc(slices.Clone(n.Occurrences), func(o tree.Occurrence) bool {
		if o.Evaluation == v.Evaluation {
			before.Occurrences = append(before.Occurrences, o)
		}
		return o.Evaluation == v.Evaluation
	})
	if len(n.Occurrences) == 0 && !n.Forgotten() {
		before.Status, before.ArchivedFor, before.SupersededBy = n.Status, n.ArchivedFor, n.SupersededBy
		p.out(&n)
	} else {
		n.Decision = p.touched(&n)
		timed(&n)
	}
	n.Decision.Fresh = fresh(&was, &n) || was.Live()
	p.put(tree.OpArchive, n, "the truth of evaluation "+v.Evaluation+" was another", before)
}

// out archives a case without occurrences.
func (p *plan) out(n *tree.Node) {
	n.Status, n.Mark = tree.Archived, tree.Unmarked
	n.ArchivedFor = tree.RelabelledFor + cmp.Or(p.act.Why, "its truth was another")
	n.Decision = &tree.Decision{Kind: tree.DecisionForget, At: after(p.at, n.Decision), By: p.act.By, Why: p.act.Why}
}

// touched returns the decision of a node that a relabel changes and that remains in use: the present one, else an undo.
func (p *plan) touched(n *tree.Node) *tree.Decision {
	if n.Decision == nil {
		return &tree.Decision{Kind: tree.DecisionUndo, At: p.at}
	}
	w := *n.Decision
	return &w
}

// timed sets the times of a case to those of its first and last occurrence.
func timed(n *tree.Node) {
	for i, o := range n.Occurrences {
		if i == 0 || o.At.Before(n.Metadata.CreatedAt) {
			n.Metadata.CreatedAt = o.At
		}
		if i == 0 || o.At.After(n.Metadata.UpdatedAt) {
			n.Metadata.UpdatedAt = o.At
		}
	}
}

// gain adopts a change that forming made: a new case, or a further occurrence of an existing one. A case that a relabel
// archived is used again.
func (p *plan) gain(c *tree.Change, evaluation string) {
	i := slices.IndexFunc(p.batch.Changes, func(o tree.Change) bool { return o.Node.ID == c.Node.ID })
	n, before := c.Node, ledger.Before{Gained: evaluation, Mark: c.Node.Mark, Decision: c.Node.Decision}
	n.Revision = c.Basis[n.ID]
	if n.Relabelled() {
		before.Status, before.ArchivedFor = n.Status, n.ArchivedFor
		n.Decision = &tree.Decision{Kind: tree.DecisionUndo, At: after(p.at, n.Decision), Fresh: true}
		n.Status, n.ArchivedFor = tree.Active, ""
	}
	if i < 0 {
		p.put(c.Op, n, c.Why, before)
		return
	}
	n.Revision = p.batch.Changes[i].Basis[n.ID] // the same action removed the evaluation from this case
	p.batch.Changes[i] = tree.NewChange(c.Op, n, n.Revision, p.batch.Changes[i].By, c.Why)
}

// correct adds the new verdict to the ledger, and the new outcome if the evaluation has a trial.
func (p *plan) correct(v *ledger.Verdict, o *ledger.Outcome, f *FormResult) {
	p.batch.Entries = append(p.batch.Entries, ledger.Entry{At: p.at, Verdict: v})
	if o == nil {
		return
	}
	now := ledger.Outcome{Trial: o.Trial, Evaluation: o.Evaluation, Attempt: o.Attempt, Correct: v.Correct,
		Direction: v.Direction, By: v.By, Void: !v.Labelled}
	for _, c := range f.Changes {
		if c.Node.ID == v.Node {
			now.ErrorType = c.Node.ErrorType
		}
	}
	p.batch.Entries = append(p.batch.Entries, ledger.Entry{At: p.at, Outcome: &now})
}

// ungain removes an evaluation that a relabel added to a case, unless it was recorded since with a truth of that case.
func (p *plan) ungain(n *tree.Node, evaluation string) {
	if p.stays(evaluation, n.ID) {
		return
	}
	left := slices.DeleteFunc(slices.Clone(n.Occurrences), func(o tree.Occurrence) bool {
		return o.Evaluation == evaluation
	})
	n.Occurrences = left
	if len(left) == 0 {
		p.out(n)
		return
	}
	timed(n)
}

// regain restores the occurrences that a relabel removed from a case.
func regain(n *tree.Node, list []tree.Occurrence) {
	for _, o := range list {
		if !slices.ContainsFunc(n.Occurrences, func(have tree.Occurrence) bool { return have.Evaluation == o.Evaluation }) {
			n.Occurrences = append(n.Occurrences, o)
		}
	}
	slices.SortStableFunc(n.Occurrences, func(a, b tree.Occurrence) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Evaluation, b.Evaluation))
	})
	timed(n)
}
