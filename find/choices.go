package find

import (
	"cmp"
	"maps"
	"slices"
)

// Choices lists the values that occur in the fields of a query, for a form in which people choose.
type Choices struct {
	Products, Suites, Runs []Choice
	Of                     int // number of runs or memories that were counted
}

// Choice is one value of a field, and how many runs or memories have it.
type Choice struct {
	Name string
	N    int
}

// mostChoices is the most values of a field in Choices.
const mostChoices = 50

// FieldCounter counts which values the fields of runs or memories have. The zero value is ready.
type FieldCounter struct {
	products, suites, runs map[string]int
	n                      int
}

// Add counts one run or memory with these values; a missing value is "".
func (c *FieldCounter) Add(product, suite, run string) {
	if c.products == nil {
		c.products, c.suites, c.runs = map[string]int{}, map[string]int{}, map[string]int{}
	}
	c.products[product]++
	c.suites[suite]++
	c.runs[run]++
	c.n++
}

// Choices returns the most frequent values of each field. Runs are sorted by name, descending, so that runs named by
// date are sorted latest first.
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
