package formation

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/tree"
)

// maxActions bounds how many actions of a list are aligned: the work grows with
// the product of the lengths.
const maxActions = 200

// action is one step an agent took or should have taken.
type action struct {
	name string
	args map[string]string // canonical JSON by argument
	key  string            // name and arguments
}

// actionList reads a list of actions, {name or tool or function, and kwargs or
// arguments or args or parameters or input}; nil for anything else.
func actionList(v any) []action {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil
	}
	out := make([]action, 0, min(len(list), maxActions))
	for _, x := range list[:min(len(list), maxActions)] {
		o, ok := x.(map[string]any)
		if !ok {
			return nil
		}
		if f, ok := o["function"].(map[string]any); ok { // the form of tool calls in chat messages
			o = f
		}
		a := action{name: actionName(o)}
		if a.name == "" {
			return nil
		}
		a.args = arguments(o)
		a.key = a.name
		for _, k := range slices.Sorted(maps.Keys(a.args)) {
			a.key += "\x00" + k + "\x00" + a.args[k]
		}
		out = append(out, a)
	}
	return out
}

func actionName(o map[string]any) string {
	for _, k := range []string{"name", "action", "tool", "tool_name", "function"} {
		if s, ok := o[k].(string); ok && s != "" && len(s) <= 128 {
			return s
		}
	}
	return ""
}

func arguments(o map[string]any) map[string]string {
	for _, k := range []string{"kwargs", "arguments", "args", "parameters", "params", "input"} {
		v, ok := o[k]
		if s, isText := v.(string); isText { // some send arguments as JSON in a string
			v = decode(tree.Raw(s))
		}
		m, isObject := v.(map[string]any)
		if !ok || !isObject {
			continue
		}
		out := make(map[string]string, len(m))
		for name, x := range m {
			out[name] = canonical(x)
		}
		return out
	}
	return nil
}

// canonical spells a decoded value in the way its equals share.
func canonical(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(tree.Raw(b).Canonical())
}

// actionField is the name of the field that holds the actions of a judgment.
const actionField = " actions toolcalls calls steps tools "

// actionsIn finds the list of actions in a value: the value itself, or a field
// named so. found is true for an empty list too.
func actionsIn(v any) (list []action, found bool) {
	switch v := v.(type) {
	case []any:
		l := actionList(v)
		return l, l != nil
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if !among(actionField, foldLabel(k)) {
				continue
			}
			l, isList := v[k].([]any)
			if !isList {
				continue
			}
			if acts := actionList(v[k]); acts != nil || len(l) == 0 {
				return acts, true
			}
		}
	}
	return nil, false
}

func expectsActions(truth any) bool {
	_, ok := actionsIn(truth)
	return ok
}

func sameActions(got, want any) bool {
	g, w := actionList(got), actionList(want)
	return slices.EqualFunc(g, w, func(a, b action) bool { return a.key == b.key })
}

// alignment is how two lists of actions differ.
type alignment struct {
	missing, superfluous, moved []string // names of actions, in order
	changed                     []changed
}

// changed is an action that was taken with other arguments.
type changed struct {
	name string
	args []string // names of the arguments that differ, sorted
}

// align matches two lists of actions: the longest common subsequence stays as it
// is, what else is equal has moved, of the rest those of one name have changed
// (most equal arguments first), and what is left is missing or superfluous. It is
// deterministic.
func align(got, want []action) alignment {
	inGot, inWant := common(got, want)
	var a alignment
	restGot, restWant := left(got, inGot), left(want, inWant)
	for i := 0; i < len(restWant); i++ {
		if j := slices.IndexFunc(restGot, func(g action) bool { return g.key == restWant[i].key }); j >= 0 {
			a.moved = append(a.moved, restWant[i].name)
			restGot = slices.Delete(restGot, j, j+1)
			restWant = slices.Delete(restWant, i, i+1)
			i--
		}
	}
	for i := 0; i < len(restWant); i++ {
		if j := nearest(restWant[i], restGot); j >= 0 {
			a.changed = append(a.changed, changed{restWant[i].name, differing(restGot[j].args, restWant[i].args)})
			restGot = slices.Delete(restGot, j, j+1)
			restWant = slices.Delete(restWant, i, i+1)
			i--
		}
	}
	for _, w := range restWant {
		a.missing = append(a.missing, w.name)
	}
	for _, g := range restGot {
		a.superfluous = append(a.superfluous, g.name)
	}
	return a
}

// common marks a longest common subsequence in both lists.
func common(got, want []action) (inGot, inWant []bool) {
	inGot, inWant = make([]bool, len(got)), make([]bool, len(want))
	rows := make([][]int, len(got)+1)
	cells := make([]int, (len(got)+1)*(len(want)+1))
	for i := range rows {
		rows[i] = cells[i*(len(want)+1) : (i+1)*(len(want)+1)]
	}
	for i, g := range slices.Backward(got) {
		for j, w := range slices.Backward(want) {
			if g.key == w.key {
				rows[i][j] = rows[i+1][j+1] + 1
			} else {
				rows[i][j] = max(rows[i+1][j], rows[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(got) && j < len(want); {
		switch {
		case got[i].key == want[j].key:
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

func left(list []action, taken []bool) []action {
	var out []action
	for i, a := range list {
		if !taken[i] {
			out = append(out, a)
		}
	}
	return out
}

// nearest returns the place of the action of the same name with the most equal
// arguments, the first of several, or -1.
func nearest(w action, among []action) int {
	best, most := -1, -1
	for i, g := range among {
		if g.name != w.name {
			continue
		}
		equal := 0
		for k, v := range w.args {
			if g.args[k] == v {
				equal++
			}
		}
		if equal > most {
			best, most = i, equal
		}
	}
	return best
}

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

// counted lists names once each, in order of first appearance, with how often.
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
