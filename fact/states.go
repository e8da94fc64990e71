package fact

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// control reads a statement that a control is disabled.
func (r *noteReader) control(clause, unit string) {
	all := r.tokens(clause)
	i := slices.IndexFunc(all, func(t token) bool { return t.sort == off })
	if i < 0 || slices.ContainsFunc(all, func(t token) bool { return t.sort == wanted }) {
		return
	}
	before := clause[:all[i].start]
	if strings.HasPrefix(clause[all[i].end:], "逻辑") || containsAny(" "+strings.ToLower(before), denials) {
		return
	}
	name, role := r.nameAndRole(subjectOf(before))
	if name == "" || role == "" {
		return
	}
	r.add(tree.Expectation{
		Where:    tree.Where{Role: role, Name: name, After: r.afterIn(without(unit, off), name)},
		Property: tree.OfState, Expected: tree.Enabled, Seen: tree.Disabled,
	}, unit)
}

// without returns a text without its marks of a kind.
func without(s string, what sort) string {
	for _, t := range slices.Backward(tokens(s)) {
		if t.sort == what {
			s = s[:t.start] + s[t.end:]
		}
	}
	return s
}

var denials = []string{"没", "未", "不", "应", "既", " not ", "n't ", "never", "should"}

func containsAny(s string, list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(s, w) })
}

// missing reads a statement that an element is missing. The element must be quoted, or named with a term for its
// kind.
func (r *noteReader) missing(clause, unit string) {
	all := r.tokens(clause)
	i := slices.IndexFunc(all, func(t token) bool { return t.sort == gone })
	if i < 0 {
		return
	}
	place, named := clause[:all[i].start], strings.TrimSpace(clause[all[i].end:])
	if named == "" || all[i].sort == gone && strings.HasPrefix(strings.ToLower(all[i].text), "is ") ||
		strings.HasPrefix(strings.ToLower(all[i].text), "are ") {
		place, named = "", place
	}
	for _, w := range placeWords {
		if at := strings.Index(named, w); at > 0 {
			place, named = named[at:], named[:at]
		}
	}
	about := subjectOf(named)
	name, role := r.nameAndRole(about)
	if name == "" || len([]rune(name)) > longest || role == "" && !isQuotation(about) ||
		strings.IndexFunc(about, isSlot) >= 0 && !isQuotation(about) {
		return
	}
	after := r.after(unit, name)
	if w := shownLater().FindString(place); w != "" {
		after = w
	}
	r.add(tree.Expectation{
		Where:    tree.Where{Role: role, Name: name, Page: r.fill(partOf(place), false), After: after},
		Property: tree.OfState, Expected: tree.Present, Seen: tree.Absent,
	}, unit)
}

// longest is the most characters in the name of an element. A longer text is a description.
const longest = 24

// after returns the phrase by which the thing is visible only after an action, in a unit or in the points of the task
// about the thing; "" if there is none, or if one point requires the thing without such a phrase.
func (r *noteReader) after(unit, name string) string {
	w := r.afterIn(unit, name)
	if w != "" || name == "" {
		return w
	}
	for _, point := range r.task {
		if point = r.fill(point, false); strings.Contains(point, name) {
			if w = needsAct().FindString(noTimes.Replace(strings.ReplaceAll(point, name, ""))); w == "" {
				return ""
			}
		}
	}
	return w
}

func (r *noteReader) afterIn(unit, name string) string {
	if w := shownLater().FindString(name); w != "" {
		return w
	}
	plain := strings.Map(func(c rune) rune {
		if isSlot(c) {
			return -1
		}
		return c
	}, unit)
	if name != "" {
		plain = strings.ReplaceAll(plain, name, "")
	}
	return needsAct().FindString(noTimes.Replace(plain))
}

// noTimes removes words that contain 时 and do not mean "when".
var noTimes = strings.NewReplacer("时间", "", "时长", "", "小时", "", "时刻", "", "实时", "")
