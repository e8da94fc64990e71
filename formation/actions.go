package formation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/internal/judgment"
)

// alignment is the difference of two lists of actions.
type alignment struct {
	missing, superfluous, moved []string // names of actions, in order
	changed                     []changedAction
}

// changedAction is an action that was taken with other arguments.
type changedAction struct {
	name string
	args []string // names of the arguments that differ, sorted
}

// align compares two lists of actions in four steps, each on the remainder of the step before: actions of the longest
// common subsequence agree; other equal actions have moved; an action is paired with the one of its name that shares
// most arguments, and has changed; the rest is missing or superfluous. It is deterministic.
func align(got, want []judgment.AgentStep) alignment {
	inGot, inWant := common(got, want)
	var a alignment
	restGot, restWant := without(got, inGot), without(want, inWant)
	for i := 0; i < len(restWant); i++ {
		if j := slices.IndexFunc(restGot, func(g judgment.AgentStep) bool { return g.Key == restWant[i].Key }); j >= 0 {
			a.moved = append(a.moved, restWant[i].Name)
			restGot = slices.Delete(restGot, j, j+1)
			restWant = slices.Delete(restWant, i, i+1)
			i--
		}
	}
	for i := 0; i < len(restWant); i++ {
		if j := nearest(restWant[i], restGot); j >= 0 {
			a.changed = append(a.changed, changedAction{restWant[i].Name, differing(restGot[j].Args, restWant[i].Args)})
			restGot = slices.Delete(restGot, j, j+1)
			restWant = slices.Delete(restWant, i, i+1)
			i--
		}
	}
	for _, w := range restWant {
		a.missing = append(a.missing, w.Name)
	}
	for _, g := range restGot {
		a.superfluous = append(a.superfluous, g.Name)
	}
	return a
}

// common marks a longest common subsequence in both lists. It fills the usual table
// of dynamic programming from the end; judgment.maxActions bounds both lists.
func common(got, want []judgment.AgentStep) (inGot, inWant []bool) {
	inGot, inWant = make([]bool, len(got)), make([]bool, len(want))
	rows := make([][]int, len(got)+1) // rows[i][j]: length of the longest one of got[i:] and want[j:]
	cells := make([]int, (len(got)+1)*(len(want)+1))
	for i := range rows {
		rows[i] = cells[i*(len(want)+1) : (i+1)*(len(want)+1)]
	}
	for i, g := range slices.Backward(got) {
		for j, w := range slices.Backward(want) {
			if g.Key == w.Key {
				rows[i][j] = rows[i+1][j+1] + 1
			} else {
				rows[i][j] = max(rows[i+1][j], rows[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(got) && j < len(want); {
		switch {
		case got[i].Key == want[j].Key:
			inGot[i], inWant[j] = true, true
			i, j = i+1, j+1
		case rows[i+1][j] >= rows[i][j+1]:
			i++
		default:
			j++
		}
	}
	return inGot, inWant
}

// without returns the actions of list that are not marked as taken.
func without(list []judgment.AgentStep, taken []bool) []judgment.AgentStep {
	var out []judgment.AgentStep
	for i, a := range list {
		if !taken[i] {
			out = append(out, a)
		}
	}
	return out
}

// nearest returns the index of the action that has the name of w and most of its arguments, the first of several such,
// or -1.
func nearest(w judgment.AgentStep, among []judgment.AgentStep) int {
	best, most := -1, -1
	for i, g := range among {
		if g.Name != w.Name {
			continue
		}
		equal := 0
		for k, v := range w.Args {
			if g.Args[k] == v {
				equal++
			}
		}
		if equal > most {
			best, most = i, equal
		}
	}
	return best
}

// differing returns the names of the arguments that differ or that only one list has.
func differing(got, want map[string]string) []string {
	var names []string
	for k, v := range want {
		if g, ok := got[k]; !ok || g != v {
			names = append(names, k)
		}
	}
	for k := range got {
		if _, ok := want[k]; !ok {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	return names
}

// counted lists each name once, in the order of first appearance, and adds "×2" and so on to a name that occurs more
// than once.
func counted(names []string, between string) string {
	var order []string
	n := map[string]int{}
	for _, s := range names {
		if n[s] == 0 {
			order = append(order, s)
		}
		n[s]++
	}
	var b strings.Builder
	for i, s := range order {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(s)
		if n[s] > 1 {
			b.WriteString(" ×")
			b.WriteString(strconv.Itoa(n[s]))
		}
	}
	return b.String()
}
