package evolution

import (
	"slices"

	"github.com/memtree/memtree/tree"
)

// node is the memory a draft becomes.
func (e *Evolver) node(j *job, d *draft, by tree.Provenance) tree.Node {
	var ids, founding []string
	for _, n := range j.members {
		ids = append(ids, n.ID)
	}
	founding = ids
	if j.kind == tree.Strategy {
		founding = nil
		for _, p := range j.parts {
			founding = append(founding, p.ID)
		}
	}
	by.By, by.Cites = "evolution", founding
	if j.present != nil {
		n := j.present.Clone()
		n.Content = d.content(e.trust(j))
		n.Provenance = by
		for _, m := range j.members {
			if at := lastSeen(m); at.After(n.Metadata.UpdatedAt) {
				n.Metadata.UpdatedAt = at
			}
		}
		return n
	}
	n := tree.Node{
		ID: tree.GroupID(j.kind, j.partition.ErrorType, j.partition.Direction, founding), Type: j.kind, Level: j.kind.Level(),
		ErrorType: j.partition.ErrorType, Direction: j.partition.Direction,
		Content: d.content(e.trust(j)), Children: founding, Lang: j.lang, Status: tree.Probation,
		Provenance: by, Occurrences: []tree.Occurrence{}, Revision: 1,
		Scene: commonScene(j.members), Scope: commonScope(j.members), Origin: commonOrigin(j.members),
	}
	for i, m := range j.members {
		if i == 0 || m.Metadata.CreatedAt.Before(n.Metadata.CreatedAt) {
			n.Metadata.CreatedAt = m.Metadata.CreatedAt
		}
		if at := lastSeen(m); at.After(n.Metadata.UpdatedAt) {
			n.Metadata.UpdatedAt = at
		}
	}
	return n
}

// trust is the confidence of a draft about the cases of j.
func (e *Evolver) trust(j *job) float64 { return confidence(j.members, j.cohesion, j.now) }

// commonScene is where all cases were; its type counts where most have it.
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

// commonScope is the widest scope all cases share.
func commonScope(cases []*tree.Node) tree.Scope {
	s := cases[0].Scope
	s.SuiteTests = slices.Clone(s.SuiteTests)
	for _, n := range cases {
		o := &n.Scope
		if o.Product != s.Product {
			s.Product = ""
		}
		if o.Suite != s.Suite || o.Test != s.Test || o.Position != s.Position || !slices.Equal(o.SuiteTests, s.SuiteTests) {
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
