package find

import (
	"cmp"
	"maps"
	"slices"
)

// Choices are what a query can ask for where so many things are.
type Choices struct {
	Products, Suites, Runs []Choice
	Of                     int // how many things there are
}

// Choice is one value of a field, and how many things have it.
type Choice struct {
	Name string
	N    int
}

// mostChoices is how many values of a field can be chosen from.
const mostChoices = 50

// Counter counts values of fields. The zero value is ready.
type Counter struct {
	products, suites, runs map[string]int
	n                      int
}

// Add counts a thing. What it has not is "".
func (c *Counter) Add(product, suite, run string) {
	if c.products == nil {
		c.products, c.suites, c.runs = map[string]int{}, map[string]int{}, map[string]int{}
	}
	c.products[product]++
	c.suites[suite]++
	c.runs[run]++
	c.n++
}

// Choices returns the most frequent values, the runs by name from the last on, which is the latest where they are
// named by date.
func (c *Counter) Choices() Choices {
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
