package evolution

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// bucket is a group of cases that missed one check in one direction. If no check is known, they are grouped by similar
// texts about their causes.
type bucket struct {
	Partition
	check string       // "" if none is known
	cases []*tree.Node // sorted by id
	close float64      // average similarity of their causes, 0 to 1; 1 if the check is known

	others []string // ids of the cases that it was split from, as of other causes; nil if it was not split
}

// without returns the bucket without the cases that the writer of its lesson left out. If no others remain, it returns
// all. lesson may be nil.
func (b *bucket) without(lesson *tree.Node) *bucket {
	if lesson == nil || len(lesson.Provenance.Left) == 0 {
		return b
	}
	out := *b
	out.cases = slices.DeleteFunc(slices.Clone(b.cases), func(n *tree.Node) bool {
		return slices.Contains(lesson.Provenance.Left, n.ID)
	})
	if len(out.cases) == 0 {
		return b
	}
	return &out
}

// only returns the bucket with only the cases of these ids.
func (b *bucket) only(ids []string) *bucket {
	out := *b
	out.cases = slices.DeleteFunc(slices.Clone(b.cases), func(n *tree.Node) bool { return !slices.Contains(ids, n.ID) })
	return &out
}

// join is the average similarity from which cases without a check form a group.
const join = 0.45

// buckets groups the cases: by the checks they missed, and those without a check by
// the texts about their cause. A case is evidence of one cause, so it is in one bucket, see filed. A check with too few
// cases for a lesson lends them to the wider check it is a kind of.
func (e *Evolver) buckets(s *survey) map[Partition][]*bucket {
	by := e.file(s)
	out := map[Partition][]*bucket{}
	for k, list := range by {
		if errorType, is := e.typeOf(s, k.check, k.d); is && len(list) > 0 {
			p := Partition{errorType, k.d}
			out[p] = append(out[p], &bucket{Partition: p, check: k.check, cases: mostRecent(list), close: 1})
		}
	}
	for _, b := range unnamed(s) {
		out[b.Partition] = append(out[b.Partition], b)
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b *bucket) int {
			return cmp.Or(cmp.Compare(b.check, a.check), cmp.Compare(a.cases[0].ID, b.cases[0].ID))
		})
	}
	return out
}

// wider returns the check that a check is a kind of, "" for none.
func (e *Evolver) wider(check string) string {
	c, _ := e.o.Taxonomy.Check(check)
	return c.Wider
}

var directions = []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail, taxonomy.Other}

// narrowFirst returns all checks, each one before the wider one it is a kind of.
func (e *Evolver) narrowFirst() []taxonomy.Check {
	list := e.o.Taxonomy.Checks()
	depth := func(c taxonomy.Check) (n int) {
		for up := c.Wider; up != ""; n++ {
			up = e.wider(up)
		}
		return n
	}
	slices.SortStableFunc(list, func(a, b taxonomy.Check) int { return cmp.Compare(depth(b), depth(a)) })
	return list
}

// isKindOf reports whether the check wide is an ancestor of the check narrow.
func (e *Evolver) isKindOf(narrow, wide string) bool {
	for up := e.wider(narrow); up != ""; up = e.wider(up) {
		if up == wide {
			return true
		}
	}
	return false
}

// speaksOf reports whether a miss is of a check or of a kind of it.
func (e *Evolver) speaksOf(m *tree.Miss, check string) bool {
	return m.Check == check || e.isKindOf(m.Check, check)
}

// checksOf returns the checks that a case missed.
func checksOf(n *tree.Node) map[string]bool {
	out := map[string]bool{}
	for _, m := range n.CaseData.Misses {
		if m.Check != "" {
			out[m.Check] = true
		}
	}
	return out
}

// united returns the cases of both lists, each once, sorted by id.
func united(a, b []*tree.Node) []*tree.Node {
	by := map[string]*tree.Node{}
	for _, n := range slices.Concat(a, b) {
		by[n.ID] = n
	}
	out := slices.Collect(maps.Values(by))
	byID(out)
	return out
}

// mostRecent returns the cases whose mistake was made last, as many as a memory may
// have children, sorted by id.
func mostRecent(list []*tree.Node) []*tree.Node {
	if len(list) <= tree.MaxChildren {
		return list
	}
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b *tree.Node) int {
		return cmp.Or(lastSeen(b).Compare(lastSeen(a)), cmp.Compare(a.ID, b.ID))
	})
	out = out[:tree.MaxChildren]
	byID(out)
	return out
}

// unnamed groups the cases without a known check by the texts about them, within each partition.
func unnamed(s *survey) []*bucket {
	parts := map[Partition][]*tree.Node{}
	for _, n := range s.cases {
		if len(checksOf(n)) == 0 && saidOf(n) != "" && !s.no.Check(n, "") {
			parts[partitionOf(n)] = append(parts[partitionOf(n)], n)
		}
	}
	var out []*bucket
	for _, p := range slices.SortedFunc(maps.Keys(parts), comparePartitions) {
		list := parts[p]
		causes := make([]string, len(list))
		for i, n := range list {
			causes[i] = saidOf(n)
		}
		words := weighTexts(causes)
		for _, g := range words.groups(join) {
			b := &bucket{Partition: p}
			for _, i := range g {
				b.cases = append(b.cases, list[i])
			}
			b.close = words.average(g)
			b.cases = mostRecent(b.cases)
			out = append(out, b)
		}
	}
	return out
}

// saidOf returns the texts of people or a model on the misses of a case, a line each.
func saidOf(n *tree.Node) string {
	var all []string
	for _, m := range n.CaseData.Misses {
		all = append(all, m.How, m.Instead)
	}
	return strings.TrimSpace(strings.Join(all, "\n"))
}
