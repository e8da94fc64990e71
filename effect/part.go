package effect

import (
	"cmp"
	"slices"
)

// By is what runs can be parted by.
type By string

// What runs can be parted by. A run is in the part of every memory that was found for it,
// given or not, so that a part has runs to compare with.
const (
	ByType  By = "type"  // error types of the memories found
	ByScene By = "scene" // types of scenes
	ByTeam  By = "team"  // trees that the memories found were made in
	ByFound By = "found" // who found the memories: read (by a reader ahead of the run), words, test (of the very test)
)

// Part is the lift of memory over some of the runs.
type Part struct {
	Name   string `json:"name"` // "" where the runs do not say
	Runs   int    `json:"runs"`
	Guided int    `json:"guided"` // of them
	None   int    `json:"none"`
	Lift
}

// Parts returns the lift in each part, the largest part first. What [Arm] Other was given
// says nothing of it. The intervals hold one by one: of twenty parts in which memory does
// nothing, one is expected to show something.
func (r *Report) Parts(by By) []Part {
	runs := map[string][]*Run{}
	for _, run := range r.runs {
		for _, name := range run.parts(by) {
			runs[name] = append(runs[name], run)
		}
	}
	out := make([]Part, 0, len(runs))
	for name, in := range runs {
		g := Part{Name: name, Lift: lift(in, Memory, None, wasRight)}
		for _, run := range in {
			switch run.Arm {
			case Memory:
				g.Guided++
			case None:
				g.None++
			case Other:
				continue
			}
			g.Runs++
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// parts returns the names of the parts that a run is in, sorted.
func (r *Run) parts(by By) []string {
	switch by {
	case ByType:
		return r.types()
	case ByScene:
		return []string{r.Scene.Type}
	case ByFound:
		return []string{r.Found}
	case ByTeam:
		var out []string
		for i := range r.Eligible {
			out = append(out, r.Eligible[i].Origin)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	return nil
}
