package tree

import "iter"

// Counts holds numbers of nodes, as Count returns them.
type Counts struct {
	Levels     map[string]int `json:"levels"`     // nodes in use (see Node.Live), by node type
	Types      map[string]int `json:"types"`      // nodes in use, by error type
	Directions map[string]int `json:"directions"` // nodes in use, by direction
	Statuses   map[string]int `json:"statuses"`   // nodes in use or not, by Node.Standing; no drafts
	Out        int            `json:"out"`        // nodes not in use; no drafts
	Again      int            `json:"again"`      // nodes in use that rules wrote because a model failed
}

// Count counts nodes, such as those of a store's Scan, and returns the first error among them. It skips drafts (see
// Node.Draft).
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

// Analyses counts the nodes of a store by what wrote them: a model or rules.
type Analyses struct {
	ByModel int            `json:"byModel"`
	ByRules int            `json:"byRules"`
	Again   int            `json:"again"`  // of ByRules: nodes in use to be analysed again when a model is available
	Models  map[string]int `json:"models"` // of ByModel, by model name
}

// Counting returns an iterator that yields nodes unchanged and counts those that a model or rules analysed in n. It
// empties n.Models; the other counts continue from their values.
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
