package tree

import "iter"

// Counts are how many nodes there are of each kind.
type Counts struct {
	Levels     map[string]int `json:"levels"` // by node type
	Types      map[string]int `json:"types"`  // by error type
	Directions map[string]int `json:"directions"`
	Statuses   map[string]int `json:"statuses"`
}

// Count counts nodes, such as those of a Reader's Scan.
func Count(nodes iter.Seq2[Node, error]) (Counts, error) {
	c := Counts{Levels: map[string]int{}, Types: map[string]int{}, Directions: map[string]int{}, Statuses: map[string]int{}}
	for n, err := range nodes {
		if err != nil {
			return Counts{}, err
		}
		c.Levels[string(n.Type)]++
		c.Types[n.ErrorType]++
		c.Directions[string(n.Direction)]++
		c.Statuses[string(n.Status)]++
	}
	return c, nil
}
