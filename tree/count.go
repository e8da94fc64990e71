package tree

import "iter"

// Counts are how many nodes there are of each kind.
type Counts struct {
	Levels     map[string]int `json:"levels"` // by node type
	Types      map[string]int `json:"types"`  // by error type
	Directions map[string]int `json:"directions"`
	Statuses   map[string]int `json:"statuses"`
	Again      int            `json:"again"` // in use, and written by rules because a model failed
}

// Count counts nodes, such as those of a Reader's Scan.
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
			continue // it never was a memory
		}
		if n.Live() && n.Provenance.Again {
			c.Again++
		}
		c.Levels[string(n.Type)]++
		c.Types[n.ErrorType]++
		c.Directions[string(n.Direction)]++
		c.Statuses[string(n.Status)]++
	}
	return c, nil
}

// Analyses count who read the cases and wrote the lessons that a store holds.
type Analyses struct {
	ByModel int            `json:"byModel"`
	ByRules int            `json:"byRules"`
	Again   int            `json:"again"`  // of those by rules: to be done again when a model answers
	Models  map[string]int `json:"models"` // of those by a model, by its name
}

// Counting counts the nodes that it passes on.
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
