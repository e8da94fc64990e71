package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// branch is the statistics of one error type and direction.
type branch struct {
	errorType string
	direction taxonomy.Direction
	levels    [4]int // how many memories, by level
	runs      int    // occurrences of its cases
}

// leaf is a node as the list of memories shows it.
type leaf struct {
	id, errorType, says, scene string
	direction                  taxonomy.Direction
	level, runs                int // runs: the runs of a case, or the memories that support an abstraction
	taught                     bool
	briefed                    int // coming tests for which a reader picked it
	last                       time.Time
	idle, waits                bool // not included in runs; because it waits for a promote
	status                     tree.Status
	mark                       tree.Mark
	held                       *tree.Held
	found                      []string // of a case that was searched for: its task, and the note
}

type surveyed struct {
	branches []branch
	leaves   []leaf // the first of found
	found    int
	levels   [4]int // in use, or waiting for a promote
	out      int    // not in use
	waiting  int    // imports that have not been promoted
}

// survey reads the nodes and stores only what is printed of each. It reads the texts of the first limit, 0 for all,
// unless it has to look for words.
func survey(
	ctx context.Context, v *say.Voice, m *memtree.Memory, f store.Filter, q *find.Query, limit int,
) (*surveyed, error) {
	s, words, picked := &surveyed{}, enhance.NewWording(m.Taxonomy()), m.Briefs().Picked()
	f.Bare = limit > 0 && q.Words == ""
	f, ofStatus := find.ByStanding(f)
	at := map[[2]string]int{}
	for n, err := range m.Tree().Scan(ctx, f) {
		if err != nil {
			return nil, err
		}
		if !ofStatus(&n) {
			continue
		}
		if !q.HasNode(&n) {
			if q.Words == "" {
				continue
			}
			if w := words.Shown(&n, v.Lang); !q.HasNode(&w) {
				continue
			}
		}
		l := leaf{
			id: n.ID, errorType: n.ErrorType, direction: n.Direction, level: n.Level,
			runs: max(len(n.Occurrences), len(n.Children)), last: n.Metadata.UpdatedAt,
			briefed: picked[n.ID], idle: !n.Live(), status: n.Status, mark: n.Mark, waits: transfer.Waits(&n),
		}
		s.count(at, &l, len(n.Occurrences))
		if i := s.place(&l, limit); i >= 0 {
			if !f.Bare {
				l.describe(v, words, &n, q)
			}
			s.leaves = slices.Insert(s.leaves, i, l)
		}
		if limit > 0 {
			s.leaves = s.leaves[:min(limit, len(s.leaves))]
		}
	}
	if limit == 0 {
		slices.SortFunc(s.leaves, leafOrder)
	}
	for i := range s.leaves {
		if !f.Bare {
			break
		}
		n, err := m.Tree().Get(ctx, s.leaves[i].id)
		if err != nil {
			return nil, err
		}
		s.leaves[i].describe(v, words, &n, q)
	}
	perType := map[string]int{}
	for _, b := range s.branches {
		perType[b.errorType] += b.runs
	}
	slices.SortFunc(s.branches, func(x, y branch) int {
		return cmp.Or(perType[y.errorType]-perType[x.errorType], cmp.Compare(x.errorType, y.errorType),
			y.runs-x.runs, cmp.Compare(x.direction, y.direction))
	})
	return s, nil
}

// count adds a memory to the counts; at has the places of the branches.
func (s *surveyed) count(at map[[2]string]int, l *leaf, runs int) {
	s.found++
	if l.waits {
		s.waiting++
	}
	if given(l) == 0 {
		s.out++
		return
	}
	k := [2]string{l.errorType, string(l.direction)}
	i, ok := at[k]
	if !ok {
		i = len(s.branches)
		at[k] = i
		s.branches = append(s.branches, branch{errorType: l.errorType, direction: l.direction})
	}
	s.branches[i].levels[l.level&3]++
	s.branches[i].runs += runs
	s.levels[l.level&3]++
}

// place returns where a memory comes among the first limit; -1 if it does not. For a limit of 0 it is the end.
func (s *surveyed) place(l *leaf, limit int) int {
	if limit == 0 {
		return len(s.leaves)
	}
	i, _ := slices.BinarySearchFunc(s.leaves, *l, leafOrder)
	if i == limit {
		return -1
	}
	return i
}

// leafOrder is the order of the list of memories.
func leafOrder(x, y leaf) int {
	return cmp.Or(given(&y)-given(&x), y.level-x.level, y.runs-x.runs, y.last.Compare(x.last), cmp.Compare(x.id, y.id))
}

// describe adds what the list shows of a memory besides what orders it.
func (l *leaf) describe(v *say.Voice, words *enhance.Wording, n *tree.Node, q *find.Query) {
	w := words.Shown(n, v.Lang)
	l.says = text.Fit(text.Line(cmp.Or(w.Content.Description, w.Content.Title)), say.FullWidth)
	l.scene, l.taught = sceneName(n.Scene), n.Taught != nil
	if n.HeldBack() {
		l.held = n.Credit.Held
	}
	if d := n.CaseData; d != nil && q.Words != "" {
		l.found = []string{d.TestCase.Prompt, d.EvaluatorReason}
	}
}

// given returns 0 for memories that are not included in runs and 1 for others.
func given(l *leaf) int {
	if l.idle && !l.waits {
		return 0
	}
	return 1
}

func sceneName(s tree.Scene) string {
	if strings.Trim(s.Route, "/") == strings.Trim(s.ID, "/") {
		return cmp.Or(s.Route, s.ID, s.Type) // route and id are the same, so one is enough
	}
	return say.Join(s.ID, s.Route)
}
