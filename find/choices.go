package find

import (
	"cmp"
	"maps"
	"slices"
)

// Choices lists the values from which people can choose in the fields of a Query: for each field at most 50, the most
// frequent ones.
type Choices struct {
	Products, Suites []Choice // the most frequent first
	Runs             []Choice // by name, descending
	Of               int      // number of runs or memories that were counted
}

// Choice is one value of a field of a Query.
type Choice struct {
	Name string
	N    int // number of runs or memories with the value
}

// mostChoices is the most values of a field in Choices.
const mostChoices = 50

// FieldCounter counts which values the fields of runs or memories have. The zero value is ready.
type FieldCounter struct {
	products, suites, runs map[string]int
	n                      int
}

// Add counts one run or memory with these values; "" stands for a missing value, which is no choice.
func (c *FieldCounter) Add(product, suite, run string) {
	if c.products == nil {
		c.products, c.suites, c.runs = map[string]int{}, map[string]int{}, map[string]int{}
	}
	c.products[product]++
	c.suites[suite]++
	c.runs[run]++
	c.n++
}

// Choices returns the most frequent values of each field, at most 50. It sorts runs by name, descending, so that runs
// named by date are latest first.
func (c *FieldCounter) Choices() Choices {
	out := Choices{most(c.products), most(c.suites), most(c.runs), c.n}
	slices.SortFunc(out.Runs, func(a, b Choice) int { return cmp.Compare(b.Name, a.Name) })
	return out
}

func most(of map[string]int) (out []Choice) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if name != "" {
			out = append(out, Choice{name, of[name]})
		}
	}
	slices.SortStableFunc(out, func(a, b Choice) int { return cmp.Compare(b.N, a.N) })
	return out[:min(mostChoices, len(out))]
}
