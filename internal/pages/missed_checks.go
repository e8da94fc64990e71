package pages

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// worst is a check that is missed often.
type worst struct {
	Title     string // of the mistake, else the name of the check
	Check     string
	Direction taxonomy.Direction
	Cases     int    // as many as the list of its cases has
	Lesson    string // id of the lesson about the check; "": none is in use
}

// worstMost is the maximum number of them that are shown.
const worstMost = 5

// missed reports whether a case missed a check.
func missed(n *tree.Node, check string) bool {
	return n.CaseData != nil && slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool { return m.Check == check })
}

// memoryScan is the result of one scan of the memories.
type memoryScan struct {
	worst map[missedBy]*worst
	live  map[tree.Type]int // memories in use
	waits int               // cases that wait for a model
}

// missedBy is a check, missed in one direction.
type missedBy struct {
	check string
	way   taxonomy.Direction
}

// surveyOf counts the memories in use, and the cases among them by the checks that they missed.
func surveyOf(ctx context.Context, m *memtree.Memory, lang string) (memoryScan, error) {
	s := memoryScan{worst: map[missedBy]*worst{}, live: map[tree.Type]int{}}
	for n, err := range m.Tree().Scan(ctx, store.Filter{}) {
		if err != nil {
			return s, err
		}
		if !n.Live() {
			continue
		}
		s.live[n.Type]++
		if formation.Waits(&n) {
			s.waits++
		}
		switch {
		case n.Type == tree.Experience && len(n.Content.Lessons) > 0:
			if x := s.of(m.Taxonomy(), lang, n.Content.Lessons[0].Kind, n.Direction); x != nil {
				x.Lesson = n.ID
				x.Title = cmp.Or(x.Title, n.In(lang).Content.Title)
			}
		case n.CaseData != nil:
			for check := range checksOf(&n) {
				if x := s.of(m.Taxonomy(), lang, check, n.Direction); x != nil {
					x.Cases++
				}
			}
		}
	}
	return s, nil
}

// checksOf returns the checks that a case missed, each once.
func checksOf(n *tree.Node) map[string]bool {
	out := map[string]bool{}
	for i := range n.CaseData.Misses {
		out[n.CaseData.Misses[i].Check] = true
	}
	return out
}

// of returns the count of a check, nil for an unknown one.
func (s *memoryScan) of(t *taxonomy.Taxonomy, lang, check string, way taxonomy.Direction) *worst {
	c, known := t.Check(check)
	if !known && !taxonomy.IsOwn(check) {
		return nil
	}
	k := missedBy{check, way}
	if s.worst[k] == nil {
		s.worst[k] = &worst{Title: cmp.Or(c.Advice(way).Title.In(lang), c.Name.In(lang)), Check: check, Direction: way}
	}
	return s.worst[k]
}

// most returns the checks that most cases missed.
func (s *memoryScan) most() []worst {
	out := make([]worst, 0, len(s.worst))
	for _, x := range s.worst {
		if x.Title = cmp.Or(x.Title, taxonomy.OwnName(x.Check)); x.Cases > 0 {
			out = append(out, *x)
		}
	}
	slices.SortFunc(out, func(a, b worst) int {
		return cmp.Or(cmp.Compare(b.Cases, a.Cases), cmp.Compare(a.Check, b.Check), cmp.Compare(a.Direction, b.Direction))
	})
	return out[:min(worstMost, len(out))]
}
