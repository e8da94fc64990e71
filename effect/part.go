package effect

import (
	"cmp"
	"slices"

	"github.com/memtree/memtree/taxonomy"
)

// Grouping is a property by which Report.Parts groups runs.
type Grouping string

// The groupings. With ByType and ByTeam a run belongs to the groups of all memories found for it, whether it received
// them or not, so that each group has runs to compare with.
const (
	ByType  Grouping = "type"  // error types of the memories found
	ByScene Grouping = "scene" // scene type of the run
	ByTeam  Grouping = "team"  // ids of the trees in which the memories found were made

	// ByFound groups by how the first memory was found: read (a model chose it in advance), words (by the search), test
	// (it comes from this very test) or page (a fact about the page).
	ByFound Grouping = "found"
)

// Subgroup is the lift of memory in the runs of one group.
type Subgroup struct {
	Name   string `json:"name"`   // value of the Grouping, such as an error type; "" if the runs have none
	Runs   int    `json:"runs"`   // runs in the group, without those of the arm Other
	Guided int    `json:"guided"` // of Runs, those that received the memories found for them
	None   int    `json:"none"`   // of Runs, those that received no memory
	Lift
}

// Parts groups the runs of r and returns the lift of memory in each group, the largest group first. Runs of the arm
// Other do not count. Each interval is valid by itself: of twenty groups in which memory has no effect, the interval
// of one at most is expected to exclude 0. ByScene uses the ids of scene types in tax; a scene type that is not in tax
// is a group under its own name.
func (r *Report) Parts(by Grouping, tax *taxonomy.Taxonomy) []Subgroup {
	runs := map[string][]*TrialRun{}
	for _, run := range r.runs {
		for _, name := range run.parts(by, tax) {
			runs[name] = append(runs[name], run)
		}
	}
	out := make([]Subgroup, 0, len(runs))
	for name, in := range runs {
		g := Subgroup{Name: name, Lift: lift(in, Memory, None, wasRight)}
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
	slices.SortFunc(out, func(a, b Subgroup) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// parts returns the names of the parts that contain a run, sorted.
func (r *TrialRun) parts(by Grouping, tax *taxonomy.Taxonomy) []string {
	switch by {
	case ByType:
		return r.types()
	case ByScene:
		if s, ok := tax.SceneType(r.Scene.Type); ok {
			return []string{s.ID}
		}
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
