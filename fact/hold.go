package fact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/aria"
	"github.com/memtree/memtree/internal/text"
)

// Hold checks the expectation e against the page p.
func (p *Snapshot) Hold(e Expected) Finding {
	f := Finding{Expected: e}
	switch e.Kind {
	case Text:
		p.text(&f)
	case Value:
		p.value(&f)
	case Control:
		p.control(&f)
	case There:
		p.there(&f)
	case Input:
		p.input(&f)
	case Product:
		p.product(&f)
	case Set:
		p.set(&f)
	default:
		f.Why = noDecision
	}
	if p.part && f.State == Broken { // the unread part may contain what makes it right
		f = Finding{Expected: e, Why: notWhole}
	}
	p.hear(&f)
	return f
}

func (f *Finding) decide(s CheckState, by *node) {
	f.State = s
	if by != nil {
		f.Line, f.Seen = by.line, by.raw
	}
}

// text decides a text if the page has one of Want and Got and not the other.
func (p *Snapshot) text(f *Finding) {
	role := f.Role
	want, got := p.where(f.Want, role), p.where(f.Got, role)
	long := text.Width(f.Want) >= 2*across && text.Width(f.Got) >= 2*across // too long to occur elsewhere by chance
	if want == nil && got == nil && (long || aria.Is(role, aria.Valued)) {
		role, f.Role = "", "" // the label of a field is text next to it
		want, got = p.where(f.Want, role), p.where(f.Got, role)
	}
	if s, by := p.afterLabel(f); s != Unknown {
		f.decide(s, by)
		return
	}
	switch {
	case want != nil && got != nil:
		f.Why = bothThere
	case want == nil && got == nil:
		f.Why = neitherThere
	case f.Later && !long:
		f.Why = mayComeLater
	case want != nil && (short(f.Want) || f.Got == "" && role == ""),
		got != nil && (short(f.Got) || f.Want == "" && role == ""):
		f.Why = tooLittle
	case want != nil:
		f.decide(Holds, want)
	default:
		f.decide(Broken, got)
	}
}

// afterLabel decides a text by the label before it: “Priority: low”. The page must have the label once, and one of the
// two texts right after it, on the same line or at the beginning of the next.
func (p *Snapshot) afterLabel(f *Finding) (CheckState, *node) {
	label, want, got := fold(f.Thing), fold(f.Want), fold(f.Got)
	if len(label.runes) < 2 || len(want.runes) == 0 || len(got.runes) == 0 {
		return Unknown, nil
	}
	s, by, times := Unknown, (*node)(nil), 0
	for i := range p.nodes {
		n := &p.nodes[i]
		at := n.folded.find(&label)
		if at < 0 || n.unchosen() {
			continue
		}
		times++
		rest, on := n.folded.from(at+len(label.runes)), n
		for k := i + 1; len(rest.runes) == 0 && k < len(p.nodes); k++ {
			if on = &p.nodes[k]; !on.unchosen() {
				rest = on.folded.from(0)
			}
		}
		switch {
		case rest.find(&want) == 0 && !want.plain():
			s, by = Holds, on
		case rest.find(&got) == 0 && !got.plain():
			s, by = Broken, on
		}
	}
	if times != 1 {
		return Unknown, nil
	}
	return s, by
}

// short reports whether a text has one letter or digit. Such a text occurs on many pages by chance.
func short(s string) bool {
	f := fold(s)
	return len(f.runes) < 2 && !f.plain()
}

// value decides by the number next to the label. If there is no such number, it looks for the two numbers as texts, if
// one of them is distinctive by itself.
func (p *Snapshot) value(f *Finding) {
	n, number, times := p.beside(f.Thing)
	switch {
	case number == "" && (standsAlone(f.Got) || standsAlone(f.Want)):
		f.Role = ""
		p.text(f)
	case times == 0:
		f.Why = noLabel
	case number == "":
		f.Why = whichNumber
	case f.Want != "" && number == digits(f.Want):
		f.decide(Holds, n)
		f.Have = number
	case f.Got != "" && number == digits(f.Got):
		f.decide(Broken, n)
		f.Have = number
	default:
		f.Why = numberOther
	}
}

// AtOnce reports whether a page has to meet e as soon as it opens, without an action. It is false for controls that a
// right page disables at times.
func (e *Expected) AtOnce() bool {
	return !e.Later && (e.Kind != Control || !depends().MatchString(e.Thing))
}

// control is Broken if every such control is disabled, unless a right page may disable a control with that name.
func (p *Snapshot) control(f *Finding) {
	var on, off *node
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.role == "" || !p.isThing(i, f) {
			continue
		}
		if n.disabled {
			off = n
		} else {
			on = n
		}
	}
	switch {
	case on == nil && off == nil && !p.roles:
		f.Why = noRoles
	case on == nil && off == nil:
		f.Why = noControl
	case on != nil && off != nil:
		f.Why = oneOff
	case f.Later:
		f.Why = mayBeAnother
	case on != nil:
		f.decide(Holds, on)
	case depends().MatchString(f.Thing):
		f.Why, f.Line, f.Seen = mayBeOff, off.line, off.raw
	default:
		f.decide(Broken, off)
	}
}

// isThing reports whether node i is the control of an expectation: by its name, by the sign it has instead of a name,
// or, if it has neither, by the text before it.
func (p *Snapshot) isThing(i int, f *Finding) bool {
	n := &p.nodes[i]
	if f.Role != "" && !can(n.role, f.Role) {
		return false
	}
	lit := fold(f.Thing)
	if n.folded.find(&lit) >= 0 {
		return true
	}
	if g, ok := glyphs[string(n.folded.runes)]; ok {
		return glyphFinder(g).MatchString(f.Thing)
	}
	if len(n.folded.runes) > 0 {
		return false
	}
	for k := i - 1; k >= max(0, i-lookBack) && !operable(p.nodes[k].role); k-- {
		if p.nodes[k].folded.find(&lit) >= 0 {
			return true
		}
	}
	return false
}

// lookBack is the number of lines of text before a control without a name that may name it.
const lookBack = 3

// operable reports whether a user can operate elements of a role.
func operable(role string) bool {
	return role != "" && role != "heading" && role != "img" && role != "image"
}

var glyphFinders sync.Map // *regexp.Regexp by pattern

func glyphFinder(g string) *regexp.Regexp {
	if re, ok := glyphFinders.Load(g); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(`(?i)` + g)
	glyphFinders.Store(g, re)
	return re
}

// set decides for elements of a stateful role, because a snapshot always contains their state.
func (p *Snapshot) set(f *Finding) {
	var on, off *node
	for i := range p.nodes {
		n := &p.nodes[i]
		if !aria.Is(n.role, aria.Stateful) || !p.isThing(i, f) {
			continue
		}
		if n.set {
			on = n
		} else {
			off = n
		}
	}
	switch {
	case on == nil && off == nil && !p.roles:
		f.Why = noRoles
	case on == nil && off == nil:
		f.Why = noControl
	case on != nil && off != nil:
		f.Why = oneSet
	case (on != nil) == (f.Want == On):
		f.Have = f.Want
		f.decide(Holds, cmp.Or(on, off))
	default:
		f.Have = f.Got
		f.decide(Broken, cmp.Or(on, off))
	}
}

// there is Broken if the element is absent, unless it is visible only after an action.
func (p *Snapshot) there(f *Finding) {
	role := f.Role
	if role == "link" || role == "button" { // people use these two words for either
		role = ""
	}
	n := p.where(f.Thing, role)
	switch {
	case n != nil && !f.Later && !f.Scoped:
		f.decide(Holds, n)
	case n != nil && f.Scoped:
		f.Why = nameElsewhere
	case n != nil:
		f.Why = mayBeAnother
	case p.where(f.Thing, "") != nil:
		f.Why = nameElsewhere
	case f.Later:
		f.Why = mayComeLater
	case p.busy:
		f.Why = notReady
	case !f.Asked && p.named(f):
		f.Why = otherName
	case f.Role == "option" && !slices.ContainsFunc(p.nodes, func(n node) bool { return can(n.role, "option") }):
		f.Why = mayComeLater
	default:
		f.decide(Broken, nil)
	}
}

// named reports whether an element that may be the thing has a part of its name, or a sign instead of a name: a note
// may call the element “Home” “Back home”.
func (p *Snapshot) named(f *Finding) bool {
	thing := fold(f.Thing)
	for i := range p.nodes {
		n := &p.nodes[i]
		if f.Role != "" && n.role != "" && !can(n.role, f.Role) && n.role != "link" && n.role != "button" {
			continue
		}
		if g, ok := glyphs[string(n.folded.runes)]; ok && glyphFinder(g).MatchString(f.Thing) {
			return true
		}
		if operable(n.role) && shares(&thing, &n.folded) {
			return true
		}
	}
	return false
}

// shares reports whether two texts share a word: letters or digits between two cuts, or two consecutive Chinese
// characters.
func shares(a, b *folded) bool {
	for i := range a.runes {
		end := i + 1
		if part(a.runes[i]) == han {
			end++
		} else {
			for end < len(a.runes) && !a.cut[end] {
				end++
			}
		}
		if end > len(a.runes) || !a.cut[i] && part(a.runes[i]) != han || part(a.runes[i]) == sign {
			continue
		}
		if one := (folded{a.runes[i:end], append(slices.Clone(a.cut[i:end]), true)}); part(a.runes[end-1]) != sign &&
			contains(b.runes, one.runes) {
			return true
		}
	}
	return false
}

// input decides if the observation contains the type of the field.
func (p *Snapshot) input(f *Finding) {
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.typ == "" || !p.isField(i, f) {
			continue
		}
		f.Have = n.typ
		switch n.typ {
		case strings.ToLower(f.Want):
			f.decide(Holds, n)
		case strings.ToLower(f.Got):
			f.decide(Broken, n)
		default:
			if f.Want == "" {
				f.decide(Holds, n)
			} else {
				f.Why = typeOther
			}
		}
		return
	}
	f.Why = noTypes
}

// isField reports whether node i is the input field of an expectation: its name, or the text right before it, contains
// the thing.
func (p *Snapshot) isField(i int, f *Finding) bool {
	lit := fold(f.Thing)
	for _, k := range []int{i, i - 1} {
		if k >= 0 && (k == i || p.nodes[k].role == "") && contains(p.nodes[k].folded.runes, lit.runes) {
			return true
		}
	}
	return false
}

func contains(runes, part []rune) bool {
	return len(part) > 0 && strings.Contains(string(runes), string(part))
}

// digits returns the first number in s in the form for comparison: without currency, unit and commas.
func digits(s string) string { return numberIn().FindString(strings.ReplaceAll(s, ",", "")) }

var numberIn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-?\d+(?:\.\d+)?`) })
