package formation

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
)

// differenceKind is the way in which judgment and ground truth differ in one place.
type differenceKind string

// The kinds. In a difference of the first three Field is a path; in one of the
// others it is the name of an action.
const (
	valueMissing      differenceKind = "missing"            // in the ground truth only
	valueSuperfluous  differenceKind = "superfluous"        // in the judgment only
	valueChanged      differenceKind = "changed"            // in both, not equal
	actionMissing     differenceKind = "action_missing"     // an action that was not taken
	actionSuperfluous differenceKind = "action_superfluous" // an action that should not have been taken
	actionChanged     differenceKind = "action_changed"     // taken with other arguments
	actionMoved       differenceKind = "action_moved"       // taken in another order
)

// difference is one place in which a judgment differs from the ground truth.
type difference struct {
	Kind  differenceKind
	Field string   // dotted path, or the name of the action
	Args  []string // names of the arguments that differ, sorted; of actionChanged only
}

// maxDifferences bounds how many differences differ returns.
const maxDifferences = 50

// differ lists where a judgment differs from the ground truth: field by field in the order of names, at most fifty
// places. Lists of actions or tool calls are aligned by name and arguments. A field that only the judgment has (a
// reason, a message) is no difference, but an action or an entry of a list is. Values that are not JSON, or nest too
// deep, have no differences.
func differ(judged, truth any) []difference {
	if truth == nil {
		return nil
	}
	d := &differences{}
	d.value("", judged, truth)
	return d.list
}

type differences struct{ list []difference }

func (d *differences) add(x difference) {
	if len(d.list) < maxDifferences {
		d.list = append(d.list, x)
	}
}

func (d *differences) value(path string, got, want any) {
	if want, ok := want.(map[string]any); ok {
		if got, ok := got.(map[string]any); ok {
			d.objects(path, got, want)
			return
		}
		d.mixed(path, got, want)
		return
	}
	if want, ok := want.([]any); ok {
		if list, ok := got.([]any); ok || got == nil {
			d.lists(path, list, want)
			return
		}
	}
	d.scalar(path, got, want)
}

// mixed compares a value that is no object with an object: they agree when their verdicts do.
func (d *differences) mixed(path string, got any, want map[string]any) {
	if p := judgment.PolarityOf(got); p != judgment.Unread && p == judgment.PolarityOf(want) {
		return
	}
	d.add(difference{Kind: valueChanged, Field: path})
}

func (d *differences) objects(path string, got, want map[string]any) {
	if acts, ok := judgment.ActionsIn(want); ok {
		said, _ := judgment.ActionsIn(got)
		d.actions(align(said, acts))
	}
	for _, k := range slices.Sorted(maps.Keys(want)) {
		w := want[k]
		if judgment.IsActionField(k) && (judgment.Actions(w) != nil || isEmptyList(w)) {
			continue
		}
		g, there := judgment.Field(got, k)
		p := join(path, k)
		switch {
		case w == nil:
		case !there && sameVerdictElsewhere(k, w, got):
		case !there:
			d.add(difference{Kind: valueMissing, Field: p})
		default:
			d.value(p, g, w)
		}
	}
}

// sameVerdictElsewhere reports whether a field that the judgment lacks holds the verdict that the judgment has in
// another field: {"verdict":"pass"} equals {"has_defect":false}.
func sameVerdictElsewhere(name string, want any, got map[string]any) bool {
	is := judgment.PolarityOf(map[string]any{name: want})
	return is != judgment.Unread && is == judgment.PolarityOf(got)
}

func isEmptyList(v any) bool {
	l, ok := v.([]any)
	return ok && len(l) == 0
}

// lists compares lists without regard to order, unless they are actions.
func (d *differences) lists(path string, got, want []any) {
	if acts := judgment.Actions(want); acts != nil {
		d.actions(align(judgment.Actions(got), acts))
		return
	}
	count := map[string]int{}
	for _, g := range got {
		count[listKey(g)]++
	}
	for _, w := range want {
		if k := listKey(w); count[k] > 0 {
			count[k]--
			continue
		}
		d.add(difference{Kind: valueMissing, Field: path})
	}
	for _, g := range got {
		if k := listKey(g); count[k] > 0 {
			count[k]--
			d.add(difference{Kind: valueSuperfluous, Field: path})
		}
	}
}

func listKey(v any) string {
	if s, ok := v.(string); ok {
		return judgment.FoldText(s)
	}
	return judgment.Canonical(v)
}

func (d *differences) actions(a alignment) {
	for _, n := range a.missing {
		d.add(difference{Kind: actionMissing, Field: n})
	}
	for _, c := range a.changed {
		d.add(difference{Kind: actionChanged, Field: c.name, Args: c.args})
	}
	for _, n := range a.superfluous {
		d.add(difference{Kind: actionSuperfluous, Field: n})
	}
	for _, n := range a.moved {
		d.add(difference{Kind: actionMoved, Field: n})
	}
}

func (d *differences) scalar(path string, got, want any) {
	if judgment.Equal(got, want) {
		return
	}
	if p := judgment.PolarityOf(got); p != judgment.Unread && p == judgment.PolarityOf(want) {
		return
	}
	d.add(difference{Kind: valueChanged, Field: path})
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// names lists the distinct names of the differences of a kind with their counts.
func names(list []difference, kind differenceKind, zh bool) string {
	var all []string
	for _, x := range list {
		if x.Kind == kind {
			all = append(all, inline(x.Field))
		}
	}
	return counted(all, pick(zh, ", ", "、"))
}

// argumentsOf lists the arguments that differ in any action called name, sorted.
func argumentsOf(list []difference, name string) []string {
	var all []string
	for _, x := range list {
		if x.Kind == actionChanged && x.Field == name {
			for _, a := range x.Args {
				all = append(all, inline(a))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// inline makes a name from outside fit for a sentence: one line, at most 60 bytes.
func inline(name string) string {
	name = text.Squeeze(name)
	if len(name) > 60 {
		return strings.ToValidUTF8(name[:57], "") + "…"
	}
	return name
}

// words describes the differences in clauses, without the values of the ground truth. It returns "" for no
// differences.
func words(list []difference, lang string) string {
	var parts []string
	for _, kind := range []differenceKind{
		actionMissing, actionChanged, actionSuperfluous, actionMoved, valueMissing, valueChanged, valueSuperfluous,
	} {
		if s := kindWords(list, kind, lang); s != "" {
			parts = append(parts, s)
		}
	}
	if lang == "zh" {
		return strings.Join(parts, "；")
	}
	return strings.Join(parts, "; ")
}

func kindWords(list []difference, kind differenceKind, lang string) string {
	zh := lang == "zh"
	if kind == actionChanged {
		return changedWords(list, zh)
	}
	n := names(list, kind, zh)
	if n == "" {
		if i := slices.IndexFunc(list, func(x difference) bool { return x.Kind == kind }); i < 0 || kind != valueChanged {
			return ""
		}
		return pick(zh, "the answer is not the true one", "给出的答案不正确")
	}
	switch kind {
	case actionMissing:
		return pick(zh, n+" left out", "遗漏操作 "+n)
	case actionSuperfluous:
		return pick(zh, n+" not called for", "多余操作 "+n)
	case actionMoved:
		return pick(zh, n+" in another order", "操作顺序不同 "+n)
	case valueMissing:
		return pick(zh, "the judgment lacks “"+n+"”", "判断中缺少“"+n+"”")
	case valueSuperfluous:
		return pick(zh, "only the judgment has “"+n+"”", "判断中多出“"+n+"”")
	default:
		return pick(zh, "“"+n+"” not as judged", "“"+n+"”与判断不一致")
	}
}

func changedWords(list []difference, zh bool) string {
	var order []string
	count := map[string]int{}
	for _, x := range list {
		if x.Kind == actionChanged {
			if count[x.Field] == 0 {
				order = append(order, x.Field)
			}
			count[x.Field]++
		}
	}
	for i, n := range order {
		s := inline(n)
		if count[n] > 1 {
			s += " ×" + strconv.Itoa(count[n])
		}
		if args := argumentsOf(list, n); len(args) > 0 {
			s += " (" + strings.Join(args, ", ") + ")"
		}
		order[i] = s
	}
	if len(order) == 0 {
		return ""
	}
	if zh {
		return "操作参数不同 " + strings.Join(order, "、")
	}
	return strings.Join(order, ", ") + " with other arguments"
}

func pick(zh bool, en, cn string) string {
	if zh {
		return cn
	}
	return en
}
