package tree

import "iter"

// Counts holds numbers of nodes, as Count returns them. No number includes drafts (see Node.Draft).
type Counts struct {
	Levels     map[string]int `json:"levels"`     // nodes in use (see Node.Live), by node type
	Types      map[string]int `json:"types"`      // nodes in use, by error type
	Directions map[string]int `json:"directions"` // nodes in use, by direction
	Statuses   map[string]int `json:"statuses"`   // all nodes, by Node.Standing
	Out        int            `json:"out"`        // nodes not in use
	Again      int            `json:"again"`      // nodes in use that rules wrote because a model failed
}

// Count counts nodes, such as those that Scan of a store yields. It returns the first error that nodes yields, with no
// counts.
func Count(nodes iter.Seq2[Node, error]) (Counts, error) {
	c := Counts{
		Levels: map[string]int{}, Types: map[string]int{},
		Directions: map[string]int{}, Statuses: map[string]int{},
	}
	for n, err := range nodes {
		if err != nil {
			return Counts{}, err
		}
		if n.Draft() {
			continue // it was never in use as a memory
		}
		if n.Live() && n.Provenance.Again {
			c.Again++
		}
		c.Statuses[string(n.Standing())]++
		if !n.Live() {
			c.Out++
			continue
		}
		c.Levels[string(n.Type)]++
		c.Types[n.ErrorType]++
		c.Directions[string(n.Direction)]++
	}
	return c, nil
}

// Analyses counts nodes by what analysed the mistake (Provenance.Analyst): a model or the rules.
type Analyses struct {
	ByModel int            `json:"byModel"`
	ByRules int            `json:"byRules"`
	Again   int            `json:"again"`  // nodes of ByRules that are in use and wait for a model (Provenance.Again)
	Models  map[string]int `json:"models"` // nodes of ByModel, by the name of the model
}

// Counting returns an iterator that yields the same as nodes, and adds each node that it yields to the counts in n.
// Counting itself only empties n.Models.
func (n *Analyses) Counting(nodes iter.Seq2[Node, error]) iter.Seq2[Node, error] {
	n.Models = map[string]int{}
	return func(yield func(Node, error) bool) {
		for node, err := range nodes {
			switch by := &node.Provenance; {
			case err != nil:
			case by.Analyst == "model":
				n.ByModel++
				n.Models[by.Model]++
			case by.Analyst == "rules":
				n.ByRules++
				if by.Again && node.Live() {
					n.Again++
				}
			}
			if !yield(node, err) {
				return
			}
		}
	}
}
