package evolution

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/tree"
)

// node returns the memory of a draft: a new one on probation, or j.present with new content. Its id is a hash of the
// type, the partition and the cases or parts it was written from, including those left out, so the same cases give the
// same id.
func (e *Evolver) node(j *job, d *gate.Draft, by tree.Provenance) tree.Node {
	ids, founding := idsOf(j.Members), idsOf(j.bucket.cases)
	if j.Type == tree.Strategy {
		ids, founding = idsOf(j.Parts), idsOf(j.Parts)
	}
	by.By, by.Cites, by.Left = "evolution", founding, slices.Concat(j.left, j.bucket.others)
	slices.Sort(by.Left)
	n := tree.Node{
		ID: tree.GroupID(j.Type, j.ErrorType, j.Direction, founding), Type: j.Type, Level: j.Type.Level(),
		ErrorType: j.ErrorType, Direction: j.Direction, Lang: j.Lang, Status: tree.Probation,
		Occurrences: []tree.Occurrence{}, Revision: 1, Origin: commonOrigin(j.Members),
	}
	if j.present != nil {
		n = j.present.Clone()
		by.At = n.Provenance.At
	}
	if n.Credit != nil && by.Analyst == "model" { // the rules write the same again
		n.Credit.Refreshed = n.Credit.Repeated
	}
	n.Children, n.Provenance = ids, by
	n.Scene, n.Scope = commonScene(j.Members), commonScope(j.Members)
	n.Content = tree.Content{
		Title: d.Title, Description: d.Description, AppliesWhen: d.AppliesWhen, NotWhen: d.NotWhen, Lessons: d.Lessons,
		Scenes: scenesOf(j.Members), Other: d.Other,
	}
	n.SetPrior(confidence(j.Members, j.bucket.close, j.now))
	for i, m := range j.Members {
		if j.present == nil && (i == 0 || m.Metadata.CreatedAt.Before(n.Metadata.CreatedAt)) {
			n.Metadata.CreatedAt = m.Metadata.CreatedAt
		}
		if at := lastSeen(m); at.After(n.Metadata.UpdatedAt) {
			n.Metadata.UpdatedAt = at
		}
	}
	e.o.Words(&n)
	return n
}

// scenesOf returns the scene types that at least two tests have, the most frequent
// first.
func scenesOf(cases []*tree.Node) []string {
	in := testsByScene(cases)
	out := slices.Collect(maps.Keys(in))
	out = slices.DeleteFunc(out, func(t string) bool { return in[t] < leastTests })
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(in[b], in[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), tree.MaxConditions)]
}

// testsByScene returns the number of distinct tests on each scene type.
func testsByScene(cases []*tree.Node) map[string]int {
	by := map[string][]*tree.Node{}
	for _, n := range cases {
		if t := n.Scene.Type; t != "" {
			by[t] = append(by[t], n)
		}
	}
	out := map[string]int{}
	for t, list := range by {
		out[t] = tests(list)
	}
	return out
}

// commonScene returns the scene that all cases share. A part that they do not share is
// "", but the type need only be that of 60 % of the cases.
func commonScene(cases []*tree.Node) tree.Scene {
	s := cases[0].Scene
	types := map[string]int{}
	for _, n := range cases {
		if n.Scene.ID != s.ID {
			s.ID = ""
		}
		if n.Scene.Route != s.Route {
			s.Route = ""
		}
		types[n.Scene.Type]++
	}
	s.Type = ""
	for t, k := range types {
		if 5*k >= 3*len(cases) {
			s.Type = t
		}
	}
	return s
}

// commonScope returns the scope that all cases share, without a build. If the suite
// changed between the cases, the place in it is that of the newest case.
func commonScope(cases []*tree.Node) tree.Scope {
	newest := slices.MaxFunc(cases, func(a, b *tree.Node) int { return lastSeen(a).Compare(lastSeen(b)) })
	s := newest.Scope
	s.SuiteTests, s.Build = slices.Clone(s.SuiteTests), "" // a lesson is for every build
	for _, n := range cases {
		o := &n.Scope
		if o.Product != s.Product {
			s.Product = ""
		}
		if o.Suite != s.Suite || o.Test != s.Test || !o.SamePlace(&newest.Scope) {
			s.Suite, s.Test, s.SuiteTests, s.Position = "", "", nil, 0
		}
	}
	return s
}

func commonOrigin(cases []*tree.Node) tree.Origin {
	o := cases[0].Origin
	for _, n := range cases {
		if n.Origin != o {
			return tree.Origin{}
		}
	}
	return o
}
