package fact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/tree"
)

// Expect reads what should be true of a page from a note: a defect, or a list of them in one text.
// prompt is the task; what it quotes is how things should read. It reads sure forms only, each
// from words that stand next to each other: “X instead of Y”, a quotation or number that was seen
// and one that should have been, a control that is disabled, a missing element, price times
// quantity. A note that says the same in other words gives nothing. It returns at most
// tree.MaxExpectations.
func Expect(note, prompt string) []tree.Expectation {
	r := &reader{}
	r.task = items(r.lift(firstBytes(prompt, maxRead)))
	for _, item := range items(r.lift(firstBytes(note, maxRead))) {
		for _, u := range clausesOf(item) {
			if len(u) > maxUnit {
				continue // a story, and no defect
			}
			r.pairs(u)
			r.products(u)
			for _, clause := range strings.FieldsFunc(u, betweenClauses) {
				r.control(clause, u)
				r.missing(clause, u)
			}
		}
	}
	return r.out
}

func betweenClauses(r rune) bool { return strings.ContainsRune("，,：:（）()", r) }

// The most bytes that are read of a text, and of a unit of it.
const (
	maxRead = 8 << 10
	maxUnit = 600
)

// reader reads the units of a note.
type reader struct {
	quotes
	task []string // the points of the task, with slots in place of quotations
	out  []tree.Expectation
}

// add adds what was read from a unit, unless it is incomplete or there already.
func (r *reader) add(e tree.Expectation, unit string) {
	e.From = firstBytes(r.fill(unit, true), tree.MaxNodeLine)
	same := func(o tree.Expectation) bool {
		o.From = e.From
		return o == e
	}
	if len(r.out) < tree.MaxExpectations && e.Check() == nil && !slices.ContainsFunc(r.out, same) {
		r.out = append(r.out, e)
	}
}

// said is a literal of a unit, and what the mark before it says of it.
type said struct {
	token
	mark sort // literal: no mark is near
	from int  // where the mark begins
	want bool // the thing should be so; else it was
}

func saidIn(unit string) []said {
	all := tokens(unit)
	var out []said
	for i, t := range all {
		if t.sort != literal {
			continue
		}
		s := said{token: t, from: t.start}
		if i > 0 {
			m := all[i-1]
			if m.sort >= instead && m.sort <= is && near(unit[m.end:t.start], m.sort) {
				s.mark, s.from = m.sort, m.start
				s.want = (m.sort != seen && m.sort != is) != isDenied(unit[:m.start])
			}
		}
		out = append(out, s)
	}
	return out
}

// isDenied reports whether a text ends with a denial of what follows: did not show X.
func isDenied(before string) bool {
	before = strings.ToLower(strings.TrimSpace(before))
	for _, w := range []string{"没有", "没", "未", "不", "不会", " not", "n't", "never"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// pairs reads how a thing was and how it should have been, in either order, and one of the two
// alone if its mark is plain.
func (r *reader) pairs(unit string) {
	all := saidIn(unit)
	for i := 0; i < len(all); i++ {
		a, none := all[i], said{}
		k := i + 1 // the next literal with a mark
		for k < len(all) && all[k].mark == literal && a.mark != literal {
			k++
		}
		next := k < len(all) && all[k].mark != literal
		switch {
		case a.mark == literal && next && (all[k].mark == instead || all[k].mark == wanted) && isGap(unit[a.end:all[k].from]):
			r.pair(unit, a, all[k])
			i = k
		case a.mark == literal:
		case next && all[k].want != a.want && a.want:
			r.pair(unit, all[k], a)
			i = k
		case next && all[k].want != a.want:
			r.pair(unit, a, all[k])
			i = k
		case a.mark == is || a.mark == notSo || a.mark == instead && !isSlot(firstOf(a.text)):
			// Such a mark says something beside another literal only.
		case a.want:
			r.pair(unit, none, a)
		default:
			r.pair(unit, a, none)
		}
	}
}

func isGap(s string) bool { return strings.Trim(s, " ，,—–-:：（(") == "" }

// pair makes an expectation of how a thing was and how it should have been; one of them may be
// empty.
func (r *reader) pair(unit string, was, should said) {
	from := len(unit)
	for _, s := range []said{was, should} {
		if s.text != "" {
			from = min(from, s.from)
		}
	}
	about := subjectOf(unit[:from])
	name, role := r.nameAndRole(about)
	if slices.ContainsFunc(tokens(about), func(t token) bool { return t.sort != literal }) {
		name = "" // it says something of its own
	}
	e := tree.Expectation{Property: tree.OfText, Seen: r.fill(was.text, false), Expected: r.fill(should.text, false)}
	if e.Expected == "" && strings.IndexFunc(was.text, isSlot) >= 0 {
		e.Expected = r.asked(about)
	}
	quoted := strings.IndexFunc(was.text+should.text, isSlot) >= 0
	if e.Expected == "" && isQuotation(about) && quoted && digits(e.Seen) == digits(name) {
		e.Expected = name // “Save” reads “Keep”
	}
	e.Where = tree.Where{Role: role, Name: name, After: r.after(unit, name)}
	switch {
	case inputType(e.Seen) || inputType(e.Expected):
		if !strings.Contains(strings.ToLower(unit), "type") && !strings.Contains(unit, "类型") {
			return
		}
		e.Property, e.Where.Role = tree.OfAttribute, "textbox"
		e.Seen, e.Expected = attributeOf("type", e.Seen), attributeOf("type", e.Expected)
	case isHint(about):
		e.Property, e.Where.Role = tree.OfAttribute, "textbox"
		e.Seen, e.Expected = attributeOf("placeholder", e.Seen), attributeOf("placeholder", e.Expected)
	case quoted || digits(e.Seen) != "" && digits(e.Seen) == digits(e.Expected):
		// They differ in their words, or only in a unit.
	case !sameForm(e.Seen, e.Expected), name == "" && !standsAlone(e.Seen) && !standsAlone(e.Expected):
		return
	default:
		e.Property = tree.OfValue
	}
	if e.Property == tree.OfAttribute {
		if e.Where.After = ""; name == "" {
			return
		}
	}
	r.add(e, unit)
}

func attributeOf(name, value string) string {
	if value == "" {
		return ""
	}
	return name + "=" + strings.ToLower(value)
}

// sameForm reports whether two numbers can be of one thing: both money, both shares, both times.
func sameForm(a, b string) bool {
	for _, signs := range []string{"¥￥$€£", "%％", ":"} {
		if a != "" && b != "" && strings.ContainsAny(a, signs) != strings.ContainsAny(b, signs) {
			return false
		}
	}
	return true
}

// standsAlone reports whether a number can be looked for without a label: it has a sign of money,
// a unit or four digits.
func standsAlone(s string) bool {
	return strings.ContainsAny(s, "¥￥$€£%％/第月") || len(digits(s)) >= 4
}

// products reads a sentence about price times quantity.
func (r *reader) products(unit string) {
	if slices.ContainsFunc(tokens(unit), func(t token) bool { return t.sort == product }) {
		r.add(tree.Expectation{Property: tree.OfRelation, Expected: tree.Product}, unit)
	}
}

// control reads that a control is disabled.
func (r *reader) control(clause, unit string) {
	all := tokens(clause)
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

// without returns a text without its marks of a sort.
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

// missing reads that an element is missing. It must stand in quotation marks, or be named by a
// word for its kind.
func (r *reader) missing(clause, unit string) {
	all := tokens(clause)
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

// longest is the most characters that the name of an element has. A longer text is a description.
const longest = 24

// after returns the words of a unit, or of the points of the task that speak of the thing, that say
// that something must be done before it can be seen. One point that asks for it at once is enough.
func (r *reader) after(unit, name string) string {
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

func (r *reader) afterIn(unit, name string) string {
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

// noTimes takes out words with 时 in them that do not say when.
var noTimes = strings.NewReplacer("时间", "", "时长", "", "小时", "", "时刻", "", "实时", "")

// asked returns how a subject should read according to the task: what the task quotes soon after
// it. It returns "" if the task does not say.
func (r *reader) asked(about string) string {
	about = strings.ToLower(strings.ReplaceAll(r.fill(about, false), "的", ""))
	if len([]rune(about)) < 2 {
		return ""
	}
	for _, point := range r.task {
		point = strings.ReplaceAll(point, "的", "")
		at := strings.Index(strings.ToLower(point), about)
		if at < 0 {
			continue
		}
		rest := point[min(len(point), at+len(about)):]
		if all := saidIn(rest); len(all) > 0 && all[0].mark != literal && isSlot(firstOf(all[0].text)) &&
			len([]rune(rest[:all[0].start])) <= maxBefore {
			return r.fill(all[0].text, false)
		}
	}
	return ""
}

const maxBefore = 10 // characters that may stand between a subject and how it should read

func firstOf(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lettersOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || isSlot(r) {
			return r
		}
		return -1
	}, s)
}
