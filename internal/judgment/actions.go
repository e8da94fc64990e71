package judgment

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/memtree/memtree/tree"
)

// maxActions bounds how many actions of a list are read: the work of aligning two lists grows with the product of their
// lengths.
const maxActions = 200

// AgentStep is one action that an agent took or should have taken, such as a call of a tool.
type AgentStep struct {
	Name string
	Args map[string]string // arguments by name, as canonical JSON
	Key  string            // name and arguments; equal actions have equal keys
}

// Actions reads the first 200 elements of the list v as actions. An action is an object with a name (name, action,
// tool, tool_name or function) and perhaps arguments (kwargs, arguments, args, parameters, params or input), or an
// object with an action in its field function. Actions returns nil if v is empty, no list, or has another element.
func Actions(v any) []AgentStep {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil
	}
	out := make([]AgentStep, 0, min(len(list), maxActions))
	for _, x := range list[:min(len(list), maxActions)] {
		o, ok := x.(map[string]any)
		if !ok {
			return nil
		}
		if f, ok := o["function"].(map[string]any); ok { // the form of tool calls in chat messages
			o = f
		}
		a := AgentStep{Name: actionName(o)}
		if a.Name == "" {
			return nil
		}
		a.Args = arguments(o)
		a.Key = a.Name
		for _, k := range slices.Sorted(maps.Keys(a.Args)) {
			a.Key += "\x00" + k + "\x00" + a.Args[k]
		}
		out = append(out, a)
	}
	return out
}

// actionName returns the name of an action: its first text of at most 128 bytes
// among name, action, tool, tool_name and function. It returns "" if there is none.
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
			v = Decode(tree.Raw(s))
		}
		m, isObject := v.(map[string]any)
		if !ok || !isObject {
			continue
		}
		out := make(map[string]string, len(m))
		for name, x := range m {
			out[name] = Canonical(x)
		}
		return out
	}
	return nil
}

// Canonical returns v, a decoded JSON value, as canonical JSON: equal values give equal texts. It returns "" for a
// value that cannot be JSON.
func Canonical(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(tree.Raw(b).Canonical())
}

// actionFields lists the names, folded, of a field that holds the actions of a judgment.
const actionFields = " actions toolcalls calls steps tools "

// IsActionField reports whether name, in any spelling, is the name of a field that holds actions.
func IsActionField(name string) bool { return among(actionFields, Fold(name)) }

// ActionsIn returns the actions in v: v is a list of actions, or an object with such a list in a field whose name
// satisfies [IsActionField]. An empty list in such a field is found too.
func ActionsIn(v any) (list []AgentStep, found bool) {
	switch v := v.(type) {
	case []any:
		l := Actions(v)
		return l, l != nil
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if !IsActionField(k) {
				continue
			}
			l, isList := v[k].([]any)
			if !isList {
				continue
			}
			if acts := Actions(v[k]); acts != nil || len(l) == 0 {
				return acts, true
			}
		}
	}
	return nil, false
}

// expectsActions reports whether a ground truth lists the needed actions.
func expectsActions(truth any) bool {
	_, ok := ActionsIn(truth)
	return ok
}

func sameActions(got, want any) bool {
	return slices.EqualFunc(Actions(got), Actions(want), func(a, b AgentStep) bool { return a.Key == b.Key })
}
