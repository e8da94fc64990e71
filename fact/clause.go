package fact

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// clauses splits a sentence at its commas and brackets.
func clauses(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("，,：:（）()", r) })
}

// control reads a clause such as “the Add button is disabled”. whole is the sentence
// that the clause stands in.
func (r *expectationReader) control(clause, whole string) {
	m := disabledWord().FindStringIndex(clause)
	if m == nil || shouldBeSo().MatchString(clause) {
		return
	}
	thing, role := r.nameAndRole(subjectOf(clause[:m[0]]))
	if thing == "" || role == "" {
		return
	}
	r.add(Expected{Kind: Control, Thing: thing, Role: role, Later: needsAct().MatchString(whole)})
}

// shouldBeSo matches a clause by which a control should be disabled: it is not, or
// not at the right time.
var shouldBeSo = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:没有?|不|未|应|逻辑|should|not|never|isn't|wasn't)\S{0,4}?\s?(?:be |been )?(?:禁用|置灰|灰|` +
		`disabled|gr[ae]yed)|(?:禁用|置灰)逻辑`)
})

// What says that a box, a switch, a tab or an option is on, or off.
var (
	isOn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:默认)?(?:就|已经?)?(?:被|是|处于)?(?:勾选|勾上|选中|打开|开启)(?:了|的|状态)*|\b(?:checked|ticked|` +
			`selected|pre-?selected|switched on|turned on)\b`)
	})
	isOff = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:默认)?(?:没有?|未|不|是)?(?:被)?(?:勾选|勾上|选中|关闭)(?:了|的|状态)*|\b(?:not (?:checked|ticked|` +
			`selected|pre-?selected)|unchecked|unticked|deselected|switched off|turned off)\b`)
	})
	negated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`没|未|不|关闭|(?i)\b(?:not|un|de|off)|off\b`) })
	// setFirst matches words after which the name of what is set may follow.
	setFirst = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`默认|勾选了|选中了`) })
	// setLater matches a sentence that is not about the page as it is first shown.
	setLater = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)后|之后|点击|切换|时|再|一直|仍|还是|\b(?:after|once|when|while|upon|click|toggl|switching|stays|` +
			`still|remain|cannot|can't|back)`)
	})
)

// set reads a clause such as “the Newsletter box is checked”, or its opposite, about
// a page as it is first shown. What the clause complains of is Got; Want is the
// opposite.
func (r *expectationReader) set(clause, whole string) {
	m := isOff().FindStringIndex(clause)
	if m == nil {
		m = isOn().FindStringIndex(clause)
	}
	if m == nil || setLater().MatchString(whole) {
		return
	}
	e := Expected{Kind: Set, Got: On, Want: Off}
	if negated().MatchString(clause[m[0]:m[1]]) {
		e.Got, e.Want = Off, On
	}
	e.Thing, e.Role = r.nameAndRole(subjectOf(clause[:m[0]]))
	if e.Thing == "" && setFirst().MatchString(clause[m[0]:m[1]]) {
		e.Thing, e.Role = r.nameAndRole(subjectOf(clause[m[1]:]))
	}
	if e.Thing == "" || runes(e.Thing) > longest ||
		e.Role != "" && !slices.ContainsFunc(append(others(e.Role), e.Role), stateful) {
		return
	}
	r.add(e)
}

// absentBefore matches words that say that an element is missing, and the name after
// them; absentAfter matches a name and such words after it.
var absentBefore = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:缺少|缺失|缺了|漏了|少了|没有|未显示|不显示|看不到|\b(?:missing|lacks?|has no|have no|there is no|no|` +
		`without)\b)(?:了)?\s*(?:the |a |an )?(.+)$`)
})

var absentAfter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(.+?)(?:缺失|不见了|不存在|没有显示|未显示|丢失|\s(?:is|are|was|were) (?:missing|absent|` +
		`not (?:there|shown|present|displayed)))`)
})

// missing reads a clause such as “the Home link is missing”. The element must have a
// role or stand in quotation marks.
func (r *expectationReader) missing(clause, whole string) {
	name, scoped := "", false
	if m := absentBefore().FindStringSubmatchIndex(clause); m != nil {
		name = clause[m[2]:m[3]]
		scoped = !anywhere().MatchString(strings.TrimSpace(clause[:m[0]]))
	} else if m := absentAfter().FindStringSubmatch(clause); m != nil {
		name = m[1]
	}
	if name == "" {
		return
	}
	if i := placeAfter().FindStringIndex(name); i != nil {
		name, scoped = name[:i[0]], true
	}
	thing, role := r.nameAndRole(subjectOf(name))
	if thing == "" || role == "" && !slotFinder().MatchString(name) || runes(thing) > longest {
		return
	}
	r.add(Expected{
		Kind: There, Thing: thing, Role: role, Scoped: scoped,
		Later: needsAct().MatchString(whole) || r.laterInTask(thing),
	})
}

var (
	// anywhere matches what stands before “is missing” when it is the whole page or a
	// part that any page has. Then the element is not Scoped.
	anywhere = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:页面|网页|界面|当前页面?|首页)?的?(?:底部|顶部|左侧|右侧|头部|尾部|上方|下方|上|中|里)?$|^(?:(?:on |in |` +
			`at )?the (?:page|screen|footer|header|bottom|top|toolbar)(?: of the page)?|it|there is|there are)?$`)
	})
	placeAfter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\s(?:for|in|on|next to|beside|of|under|at|from)\s.*$`)
	})
)

// longest is the most characters that the name of an element has. A longer text is a
// description.
const longest = 24
