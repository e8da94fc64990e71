package store

import (
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
	"slices"
)

// Purge names the data that a batch removes permanently. The changes of the batch remove the nodes themselves and
// leave tombstones. A store in a folder removes the bytes of all this data from its files before Commit returns, or
// after a crash when it is opened next. PostgreSQL has the bytes in its files until VACUUM. Copies in memory remain
// until the process ends.
type Purge struct {
	// Nodes are ids of nodes and facts. Actions on them lose their reason and the state that an undo would restore. A
	// ledger entry loses its fact (ledger.FactNone) if the fact is one of these, or if a model read it in the notes of
	// one of these nodes.
	Nodes []string `json:"nodes,omitempty"`
	// Evaluations are keys. Verdicts on them lose everything but key, result, direction, attempt, node and who labelled.
	// Actions on them lose the same as actions on Nodes, and dead letters lose the run.
	Evaluations []string `json:"evaluations,omitempty"`
	Trials      []string `json:"trials,omitempty"` // ids; the trials lose scene, scope and query
}

// All reports whether p is not nil and names nothing. A process notes a purge of another one so, which may have removed
// anything.
func (p *Purge) All() bool { return p != nil && len(p.Nodes)+len(p.Evaluations)+len(p.Trials) == 0 }

// Clean removes purged data from the ledger entry e if e is about something that p names. It reports whether it
// changed e.
func (p *Purge) Clean(e *ledger.Entry) bool {
	switch {
	case e.Verdict != nil && slices.Contains(p.Evaluations, e.Verdict.Evaluation):
		v := e.Verdict
		e.Verdict = &ledger.Verdict{Evaluation: v.Evaluation, Attempt: v.Attempt, Labelled: v.Labelled, Correct: v.Correct,
			Direction: v.Direction, Node: v.Node, By: v.By}
	case e.Trial != nil && slices.Contains(p.Trials, e.Trial.ID):
		t := *e.Trial
		t.Scene, t.Scope, t.Query = tree.Scene{}, tree.Scope{}, ""
		e.Trial = &t
	case e.Act != nil && (p.names(e.Act.Node) || slices.Contains(p.Evaluations, e.Act.Evaluation) ||
		slices.ContainsFunc(e.Act.Before, func(b ledger.Before) bool { return p.names(b.ID) }) ||
		slices.ContainsFunc(e.Act.Verdicts, func(v ledger.Verdict) bool {
			return slices.Contains(p.Evaluations,
				v.Evaluation)
		})):
		a := *e.Act
		a.Before, a.Verdict, a.Verdicts, a.Why, a.Purged = nil, nil, nil, "", true
		e.Act = &a
	case e.Known != nil && p.ofFact(e.Known):
		k := &ledger.FactEntry{Op: ledger.FactNone, Fact: ledger.FactPrefix, Source: e.Known.Source, Case: e.Known.Case}
		if p.names(k.Case) {
			k.Case = ""
		}
		e.Known = k // a note that was read is not read again
	default:
		return false
	}
	return true
}

// ofFact reports whether the purge names a fact that an entry is on, or the case whose note states it.
func (p *Purge) ofFact(k *ledger.FactEntry) bool {
	return k.Case != "" && p.names(k.Case) || p.names(k.Fact) || k.Says != nil && p.names(k.Says.ID())
}

func (p *Purge) names(id string) bool { return slices.Contains(p.Nodes, id) }

// CleanLetter removes the run from the dead letter l if p names its evaluation, and reports whether it did.
func (p *Purge) CleanLetter(l *DeadLetter) bool {
	key := l.Evaluation.Key()
	if !slices.Contains(p.Evaluations, key) {
		return false
	}
	*l = DeadLetter{Evaluation: tree.Evaluation{ID: key}, Why: "purged"}
	return true
}

// With returns a purge of everything that p or o names. p may be nil.
func (p *Purge) With(o Purge) *Purge {
	if p != nil {
		o.Nodes, o.Evaluations = slices.Concat(p.Nodes, o.Nodes), slices.Concat(p.Evaluations, o.Evaluations)
		o.Trials = slices.Concat(p.Trials, o.Trials)
	}
	return &o
}
