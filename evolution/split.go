package evolution

import (
	"slices"

	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// A model may find several causes in a bucket. Then the bucket is split: each cause has its own bucket, job, lesson and
// id. Later plans find the same parts again from the lessons in the tree, or else from the answer in the cache. The
// Provenance.Left of a lesson names the cases it was split from.

// partsOf returns the buckets that lessons are learned from: those of the partition, split where a reader found
// several causes in one.
func (w *partitionWork) partsOf() []*bucket {
	if w.parts == nil {
		for _, b := range w.buckets[w.Partition] {
			w.parts = append(w.parts, w.split(b)...)
		}
	}
	return w.parts
}

// split returns the parts of a bucket, itself if it has one cause.
func (w *partitionWork) split(b *bucket) []*bucket {
	parts := w.byLessons(b)
	if len(parts) < 2 {
		parts = w.byAnswer(b)
	}
	if len(parts) < 2 {
		return []*bucket{b}
	}
	var out []*bucket
	for _, p := range parts { // each has fewer cases than b, so this ends
		out = append(out, w.split(p)...)
	}
	return out
}

// byLessons splits a bucket by the live lessons of its cases, if a model split these from one another. A case without
// a lesson stays in the part that left it out. A new case joins the part with the most similar texts.
func (w *partitionWork) byLessons(b *bucket) []*bucket {
	var lessons []*tree.Node
	for _, e := range w.experiences {
		if partitionOf(e) != w.Partition || e.StandsAlone() || kindOf(e) != b.check || common(e.Children, b.cases) == 0 {
			continue
		}
		if len(lessons) == 0 || slices.ContainsFunc(lessons, func(o *tree.Node) bool { return splitFrom(e, o) }) {
			lessons = append(lessons, e)
		}
	}
	if len(lessons) < 2 {
		return nil
	}
	at := make([]int, len(b.cases))
	for i, n := range b.cases {
		at[i] = slices.IndexFunc(lessons, func(e *tree.Node) bool { return slices.Contains(e.Children, n.ID) })
		if at[i] < 0 { // a case in neither is nearest, which is -1 too
			at[i] = slices.IndexFunc(lessons, func(e *tree.Node) bool {
				return slices.Contains(e.Provenance.Cites, n.ID) && slices.Contains(e.Provenance.Left, n.ID)
			})
		}
	}
	return b.parts(at, len(lessons))
}

// splitFrom reports whether one lesson left out a case of the other.
func splitFrom(a, b *tree.Node) bool {
	left := func(a, b *tree.Node) bool {
		return slices.ContainsFunc(a.Provenance.Left, func(id string) bool { return slices.Contains(b.Children, id) })
	}
	return left(a, b) || left(b, a)
}

// byAnswer splits a bucket as a model that read exactly its cases did.
func (w *partitionWork) byAnswer(b *bucket) []*bucket {
	r, ok := w.e.recall(b.apartKey())
	if !ok || len(r.Parts) < 2 {
		return nil
	}
	at := make([]int, len(b.cases))
	for i, n := range b.cases {
		if at[i] = slices.IndexFunc(r.Parts, func(ids []string) bool { return slices.Contains(ids, n.ID) }); at[i] < 0 {
			at[i] = 0 // the lesson of the first part leaves it out
		}
	}
	return b.parts(at, len(r.Parts))
}

// causesOf returns the lessons about a job that have enough cases, and the ids of the cases of each: those that it
// names, and of the cases that were not shown, those with the most similar texts. most is the largest number of cases
// of any lesson.
func (w *partitionWork) causesOf(j *job, lessons []prompts.EvolveLesson) (
	enough []prompts.EvolveLesson, parts [][]string, most int,
) {
	at := map[string]int{}
	for i, n := range j.Shown {
		at[n.ID] = slices.IndexFunc(lessons, func(l prompts.EvolveLesson) bool { return slices.Contains(l.Cases, i+1) })
	}
	places := make([]int, len(j.bucket.cases))
	for i, n := range j.bucket.cases {
		k, shown := at[n.ID]
		switch {
		case !shown:
			places[i] = nearest
		case k < 0: // no lesson names it
			places[i] = len(lessons)
		default:
			places[i] = k
		}
	}
	groups := j.bucket.assign(places, len(lessons)+1)
	for i := range lessons {
		cases := j.bucket.only(nil)
		for _, k := range groups[i] {
			cases.cases = append(cases.cases, j.bucket.cases[k])
		}
		most = max(most, len(cases.cases))
		if len(w.e.lacks(cases.cases, cases.close, w.ErrorType, w.s.now)) == 0 {
			enough, parts = append(enough, lessons[i]), append(parts, idsOf(cases.cases))
		}
	}
	return enough, parts, most
}

// nearest is the place of a case that joins the part with the most similar texts.
const nearest = -1

// parts returns the bucket in n parts, those that are empty left out. at is the part of each of its cases, or nearest.
func (b *bucket) parts(at []int, n int) []*bucket {
	var out []*bucket
	for _, g := range b.assign(at, n) {
		if len(g) == 0 {
			continue
		}
		part := *b
		part.cases, part.others = nil, slices.Clone(b.others)
		for i, c := range b.cases {
			if slices.Contains(g, i) {
				part.cases = append(part.cases, c)
			} else {
				part.others = append(part.others, c.ID)
			}
		}
		out = append(out, &part)
	}
	return out
}

// assign returns the places of the cases of each of n parts. at is the part of each case, or nearest, which is one
// of those that have a case.
func (b *bucket) assign(at []int, n int) [][]int {
	groups := make([][]int, n)
	var rest []int
	for i, p := range at {
		if p == nearest {
			rest = append(rest, i)
		} else {
			groups[p] = append(groups[p], i)
		}
	}
	if len(rest) == 0 {
		return groups
	}
	said := make([]string, len(b.cases))
	for i, c := range b.cases {
		said[i] = saidOf(c)
	}
	words, known := weighTexts(said), slices.Clone(groups)
	for _, i := range rest {
		best, most := 0, -1.0
		for k, g := range known {
			if like := words.centrality(i, g); len(g) > 0 && like > most {
				best, most = k, like
			}
		}
		groups[best] = append(groups[best], i)
	}
	return groups
}

// except returns the ids of the bucket's cases that are in no list.
func (b *bucket) except(lists ...[]string) (out []string) {
	for _, n := range b.cases {
		if !slices.ContainsFunc(lists, func(ids []string) bool { return slices.Contains(ids, n.ID) }) {
			out = append(out, n.ID)
		}
	}
	return out
}
