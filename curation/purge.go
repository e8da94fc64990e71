package curation

import (
	"context"
	"slices"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// purge plans the purge of a node. A tombstone without a reason remains, and lessons written from it, in use or not,
// lose their text. They are learned again at the next evolution. The store removes the bytes.
func (c *Curation) purge(ctx context.Context, p *plan, n tree.Node) error {
	p.act.Purged, p.act.Why = true, ""
	gone := &store.Purge{Nodes: []string{n.ID}}
	w := tree.Decision{Kind: tree.DecisionForget, At: after(p.at, n.Decision), By: p.act.By,
		Hash: tree.ContentHash(&n), Purged: true}
	if n.Decision != nil && n.Decision.Hash != "" {
		w.Hash = n.Decision.Hash
	}
	for _, o := range n.Occurrences {
		gone.Evaluations = append(gone.Evaluations, o.Evaluation)
	}
	if err := c.ofNode(ctx, gone, n.ID); err != nil {
		return err
	}
	over, err := c.quoting(ctx, n.ID)
	if err != nil {
		return err
	}
	for _, x := range over {
		gone.Nodes = append(gone.Nodes, x.ID)
		if err := c.disown(ctx, p, &x); err != nil {
			return err
		}
		p.change(tree.OpArchive, emptied(x, n.ID), "what it said was purged with "+n.ID)
	}
	if err := c.disown(ctx, p, &n); err != nil {
		return err
	}
	n.Decision = &w
	n.Status, n.Mark = tree.Archived, tree.Unmarked
	p.put(tree.OpArchive, tree.Tombstone(&n), "a person had it purged", ledger.Before{})
	p.batch.Changes = once(p.batch.Changes)
	p.batch.Purge = gone
	return nil
}

// ofNode adds the evaluations of a case and their trials from the ledger, because a case holds only some of its
// occurrences.
func (c *Curation) ofNode(ctx context.Context, gone *store.Purge, id string) error {
	for e, err := range c.door.Tree.Ledger(ctx, 0) {
		switch {
		case err != nil:
			return err
		case e.Verdict != nil && e.Verdict.Node == id:
			gone.Evaluations = append(gone.Evaluations, e.Verdict.Evaluation)
		case e.Outcome != nil && slices.Contains(gone.Evaluations, e.Outcome.Evaluation):
			gone.Trials = append(gone.Trials, e.Outcome.Trial)
		}
	}
	slices.Sort(gone.Evaluations)
	gone.Evaluations = slices.Compact(gone.Evaluations)
	slices.Sort(gone.Trials)
	gone.Trials = slices.Compact(gone.Trials)
	return nil
}

// quoting returns the lessons of any status that were written from a node or have it as a child, and those written from
// these lessons. It skips tombstones.
func (c *Curation) quoting(ctx context.Context, id string) ([]tree.Node, error) {
	ids := map[string]bool{id: true}
	var out []tree.Node
	for _, level := range []int{2, 3} {
		for n, err := range c.door.Tree.Scan(ctx, store.Filter{Level: level}) {
			if err != nil {
				return nil, err
			}
			rests := slices.Concat(n.Children, n.Provenance.Cites)
			for _, l := range n.Content.Lessons {
				rests = append(rests, l.Cites...)
			}
			if !ids[n.ID] && !n.Buried() && slices.ContainsFunc(rests, func(id string) bool { return ids[id] }) {
				out, ids[n.ID] = append(out, n), true
			}
		}
	}
	return out, nil
}

// emptied returns a lesson without its text. Evolution may write it again from the remaining cases.
func emptied(n tree.Node, of string) tree.Node {
	kind := ""
	if len(n.Content.Lessons) > 0 {
		kind = n.Content.Lessons[0].Kind
	}
	out := tree.Node{
		ID: n.ID, Type: n.Type, Level: n.Level, ErrorType: n.ErrorType, Direction: n.Direction, Lang: n.Lang,
		Children: []string{}, Occurrences: []tree.Occurrence{}, Status: tree.Retired, Revision: n.Revision, Origin: n.Origin,
		Counters: n.Counters, Metadata: n.Metadata, Content: tree.Content{Guidance: "purged"},
		Provenance: tree.Provenance{By: n.Provenance.By, Analyst: n.Provenance.Analyst, Template: n.Provenance.Template},
	}
	if n.Mark == tree.Banned { // the ban remains, with its check only
		out.Mark, out.Decision = n.Mark, n.Decision
	}
	for _, id := range slices.Concat(n.Provenance.Cites, n.Children) {
		if id != of && !slices.Contains(out.Provenance.Cites, id) {
			out.Provenance.Cites = append(out.Provenance.Cites, id)
		}
	}
	slices.Sort(out.Provenance.Cites)
	if kind != "" {
		l := tree.Lesson{Kind: kind, From: tree.FromCatalogue}
		l.ID = tree.LessonID(l)
		out.Content.Lessons = []tree.Lesson{l}
	}
	return out
}

// once reduces the changes to one for each node: the last one that changes more than links. The parents that earlier
// changes cleared are cleared in it too.
func once(list []tree.Change) []tree.Change {
	last := map[string]int{}
	for i, c := range list {
		if j, ok := last[c.Node.ID]; !ok || list[j].Op == tree.OpAttach {
			last[c.Node.ID] = i
		}
	}
	var out []tree.Change
	for i, c := range list {
		if last[c.Node.ID] == i {
			out = append(out, c)
		}
	}
	return out
}
