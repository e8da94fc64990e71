package evolution

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// Reread returns the changes that replace stored cases, which only rules have analysed, with cases: the same ones, as a
// model has analysed them now. If the misses of a case differ, Reread retires the lessons about its earlier misses, and
// the next Plan writes them again. A lesson that a person pinned or wrote stays; if its error type is none of a case's
// new misses, the case keeps its earlier misses. Reread skips a case that has changed since it was read, or that a
// model has analysed meanwhile.
func (e *Evolver) Reread(ctx context.Context, v Scanner, cases []tree.Node) ([]tree.Change, error) {
	s, err := e.survey(ctx, v, time.Time{})
	if err != nil {
		return nil, fmt.Errorf("read the tree: %w", err)
	}
	a := &anew{
		e: e, edits: s.edits(), strategies: map[Partition]bool{}, why: "a model read a case again that it is about",
	}
	for _, n := range cases {
		old := s.nodes[n.ID]
		if old == nil || old.Revision != n.Revision || !old.Provenance.Unread() {
			continue
		}
		n, old := n.Clone(), new(old.Clone())
		if now, ok := a.get(n.ID); ok {
			n.Parent = now.Parent // a case before it may have retired their lesson
		}
		if old.Parent != "" && staysUnder(a.survey.live(tree.Experience), &n) {
			n.ErrorType, n.CaseData.Misses = old.ErrorType, old.CaseData.Misses
		}
		a.put(n, tree.OpRevise, "a model read it")
		if old.Parent != "" && !slices.EqualFunc(old.CaseData.Misses, n.CaseData.Misses, sameKind) {
			a.unlearn(old)
		}
	}
	a.retireStrategies()
	return a.changes(), nil
}

func sameKind(a, b tree.Miss) bool {
	return a.Check == b.Check && a.ErrorType == b.ErrorType
}
