package fact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxExpected is how many expectations are read from one memory.
const maxExpected = 16

// Expect reads what should be so from sentences that say what was wrong: defects
// of a ground truth, or what an agent claimed. prompt is the task; what it quotes
// is how things should read. Only kinds are read, all if there are none given.
//
// What is read is literal: quoted texts, numbers, names of controls. A sentence
// that says it in other words gives nothing.
func Expect(sentences []string, prompt string, kinds ...Kind) []Expected {
	r := &reader{prompt: firstBytes(prompt, maxRead), kinds: kinds}
	r.task = r.quotes(r.prompt)
	for _, s := range sentences {
		for _, one := range sentenceEnd().Split(r.quotes(firstBytes(s, maxRead)), -1) {
			r.read(strings.TrimSpace(one))
		}
	}
	return r.out
}

// maxRead is how much is read of a text, in bytes.
const maxRead = 8 << 10

type reader struct {
	prompt string
	task   string // the prompt with slots in place of its quotations
	quoted []string
	kinds  []Kind
	out    []Expected
}

func (r *reader) add(e Expected) {
	if len(r.out) >= maxExpected || len(r.kinds) > 0 && !slices.Contains(r.kinds, e.Kind) {
		return
	}
	if !slices.Contains(r.out, e) {
		r.out = append(r.out, e)
	}
}

// Literals: what is quoted, a number with its sign and unit, the type of a field, and a few
// words up to the next mark. A quotation is read apart, so that no word in it counts: in its
// place stands one character.
const (
	slots      = '\uE000' // to slots+maxQuoted, of the private use area
	maxQuoted  = 200
	quotedText = `(?:“([^“”\n]{1,60})”|‘([^‘’\n]{1,60})’|「([^「」\n]{1,60})」|"([^"\n]{1,60})"|(?:^|[^\w])'([^'\n]{1,60})'|《([^《》\n]{1,60})》)`
	slot       = `([\x{E000}-\x{E0C8}])`
	number     = `([¥￥$€£]?\s?-?\d[\d,]*(?:\.\d+)?\s?(?:%|％|[项个条张人号元次件分天月年]|px|ms|kb|mb)?(?:/[年月日天])?|第\s?\d+\s?[步页章条项])`
	typeWord   = `(text|password|email|tel|number|url|date|search)\b`
	fewWords   = `(\p{Han}{1,12})(?:$|[）)，,、；;])`
)

var (
	quotation   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(quotedText) })
	sentenceEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[。！？!?；;\n]+|\.(?:\s|$)`) })

	// wasSo comes before how a thing was when it was wrong, beSo before how it should have been.
	wasSo = sync.OnceValue(func() *regexp.Regexp {
		return literalAfter(`(?:错误地?)?(?:显示|展示|设置|设|写|标|渲染|翻译|变|读|类型)(?:错误)?(?:的是|成了|为了|为|成|作|到|着|是)?|错为|` +
			`\b(?:shows?|showed|showing|displays?|displayed|reads?|says?|said|labell?ed|named|titled|is|was|are|were|set|became|rendered|spelled|typed|type)(?: (?:as|to|the|text|label|value|of|is))*`)
	})
	beSo = sync.OnceValue(func() *regexp.Regexp {
		return literalAfter(`(?:而不是|而非|不是|(?:实际|正确|预期|期望)?(?:应该?|应当|本应|原应)(?:当|该)?(?:显示|写|设置)?(?:为|是|成|有)?|(?:实际|正确|预期)(?:值|内容|文字)?(?:为|是))[\p{Han}]{0,4}?|` +
			`\b(?:instead of|rather than|(?:should|must|ought to|supposed to)(?: have)?(?: be| been| read| say| show| display)?|expected(?: to be| value)?|but not|not|correct(?: value| text)?(?: is| would be)?)(?: (?:the|text|label|value|as|of))*`)
	})
)

func literalAfter(mark string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:` + mark + `)[:：]?\s*(?:` + slot + `|` + number + `|` + typeWord + `|` + fewWords + `)`)
}

// literal is one that was found: what it is, where it begins with its mark and ends.
type literal struct {
	s               string
	quoted, numeric bool
	start, end      int
	want            bool
}

func literals(re *regexp.Regexp, s string, want bool) []literal {
	var out []literal
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		l := literal{start: m[0], want: want}
		for g := 1; g < len(m)/2; g++ {
			if m[2*g] >= 0 {
				l.s, l.end = strings.TrimSpace(s[m[2*g]:m[2*g+1]]), m[2*g+1]
				l.quoted, l.numeric = g == 1, g == 2
			}
		}
		if !noLiteral[l.s] {
			out = append(out, l)
		}
	}
	return out
}

// noLiteral are words that say that something is wrong, not how it reads.
var noLiteral = map[string]bool{"": true, "错误": true, "异常": true, "有误": true, "反了": true, "不正确": true, "不对": true, "正确": true, "正常": true}

// quotes takes the quotations out of a text and puts slots in their place.
func (r *reader) quotes(s string) string {
	return quotation().ReplaceAllStringFunc(s, func(q string) string {
		m := quotation().FindStringSubmatch(q)
		before := ""
		if m[5] != "" && !strings.HasPrefix(q, "'") {
			before = q[:strings.IndexByte(q, '\'')]
		}
		if len(r.quoted) >= maxQuoted {
			return q
		}
		r.quoted = append(r.quoted, strings.TrimSpace(strings.Join(m[1:], "")))
		return before + string(rune(slots+len(r.quoted)-1))
	})
}

// filled puts the quotations back.
func (r *reader) filled(s string) string {
	return strings.TrimSpace(slotFinder().ReplaceAllStringFunc(s, func(c string) string {
		i := int([]rune(c)[0] - slots)
		if i >= len(r.quoted) {
			return ""
		}
		return r.quoted[i]
	}))
}

var slotFinder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(slot) })

// read reads one sentence.
func (r *reader) read(s string) {
	if s == "" {
		return
	}
	r.pairs(s)
	r.sums(s)
	for _, clause := range clauses(s) {
		r.control(clause, s)
		r.missing(clause, s)
	}
}

// pairs reads “X instead of Y”: what was shown and what should have been, in either
// order, and each of the two by itself.
func (r *reader) pairs(s string) {
	all := merge(literals(wasSo(), s, false), literals(beSo(), s, true))
	for i := 0; i < len(all); i++ {
		a := all[i]
		var b *literal
		if i+1 < len(all) && all[i+1].want != a.want {
			b = &all[i+1]
			i++
		}
		r.pair(s, a, b)
	}
}

func (r *reader) pair(s string, a literal, b *literal) {
	subject := subjectOf(s[:a.start])
	got, want := a, literal{}
	if b != nil {
		want = *b
	}
	if a.want {
		got, want = want, a
	}
	e := Expected{Kind: Text, Later: later().MatchString(s)}
	e.Thing, e.Role = r.named(subject)
	e.Got, e.Want = r.filled(got.s), r.filled(want.s)
	asked := r.asked(subject)
	if e.Want == "" {
		e.Want = asked
	}
	if e.Want == "" && got.quoted && e.Thing != "" && !strings.Contains(e.Got, e.Thing) && !strings.Contains(e.Thing, e.Got) {
		e.Want = e.Thing // “the Save label reads Keep”
	}
	e.Asked = e.Want != "" && strings.Contains(r.prompt, e.Want) && r.inTask(e.Want) && !r.laterInTask(e.Want)
	switch {
	case inputType(e.Got) || inputType(e.Want):
		e.Kind, e.Role = Input, "textbox"
	case got.numeric || want.numeric:
		e.Kind = Value
	case e.Got == e.Want, !got.quoted && !want.quoted && runes(e.Got)+runes(e.Want) < 2*across:
		return // colours, directions: words of whoever wrote the note, not of the page
	}
	if e.Kind == Value && e.Thing == "" && !telling(e.Got) && !telling(e.Want) {
		return
	}
	r.add(e)
}

// telling reports whether a number can be looked for by itself: it has a sign of money, a
// unit or four digits.
func telling(s string) bool {
	return strings.ContainsAny(s, "¥￥$€£%％/第月") || len(digits(s)) >= 4
}

// merge puts literals in the order of the text. Where two overlap the one that
// should be is meant: “should show” has both marks.
func merge(a, b []literal) []literal {
	all := append(a, b...)
	slices.SortStableFunc(all, func(x, y literal) int { return cmp.Compare(x.start, y.start) })
	out := all[:0]
	for _, l := range all {
		n := len(out)
		if n == 0 || l.start >= out[n-1].end {
			out = append(out, l)
		} else if l.want && !out[n-1].want {
			out[n-1] = l
		}
	}
	return out
}

// asked returns how the task says that a subject should read: what it quotes after it,
// or says that it should be.
func (r *reader) asked(subject string) string {
	subject = strings.ReplaceAll(r.filled(subject), "的", "")
	if runes(subject) < 2 {
		return ""
	}
	for _, point := range taskPoint().Split(r.task, -1) {
		at := strings.Index(strings.ToLower(strings.ReplaceAll(point, "的", "")), strings.ToLower(subject))
		if at < 0 {
			continue
		}
		point = strings.ReplaceAll(point, "的", "")[at:]
		if l := literals(beSo(), point, true); len(l) > 0 && (l[0].quoted || runes(l[0].s) >= across) {
			return r.filled(l[0].s)
		}
		if s := slotFinder().FindString(point[:min(len(point), len(subject)+3*maxBefore)]); s != "" {
			return r.filled(s)
		}
	}
	return ""
}

const maxBefore = 30 // characters between a subject and how it should read

// subjectOf returns what a clause is about, of the text before what it says of it. What
// stands in brackets after a clause is about that.
func subjectOf(before string) string {
	before = strings.TrimRight(before, " （(")
	if i := strings.LastIndexAny(before, "，,：:；;。（()）\n"); i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		before = before[i+size:]
	}
	before = strings.TrimSpace(leading().ReplaceAllString(strings.TrimSpace(before), ""))
	for {
		cut := strings.TrimSpace(trailing().ReplaceAllString(before, ""))
		if cut == before {
			return before
		}
		before = cut
	}
}

var (
	leading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:(?:the|a|an|its)\s+|但|而|且|页面底部|页面|该|默认)`)
	})
	trailing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:错误地?|被|却|都|也|逻辑|\b(?:wrongly|incorrectly|still|also|which|that|it|is|was|are|were|has been|stays?|remains?|has|have|with|its))$`)
	})
	attribute = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:的?(?:文字|文案|文本|标签|名称|内容|价格|数量|数值|数|值|类型|type|状态|颜色|格式|顺序|显示)|\s(?:text|label|name|value|caption|count|number|price|type))$`)
	})
)

// named splits a subject into a name and the role it is said to have.
func (r *reader) named(subject string) (thing, role string) {
	thing = subject
	for range 3 {
		thing = strings.TrimSpace(attribute().ReplaceAllString(thing, ""))
		if role != "" {
			continue
		}
		for _, f := range roleFinders() {
			if m := f.last.FindStringSubmatchIndex(thing); m != nil {
				role, thing = f.roles[0], strings.TrimRight(thing[:m[2]], " 的")
				break
			}
		}
	}
	if q := slotFinder().FindString(thing); q != "" {
		thing = q
	}
	return r.filled(thing), role
}

func inputType(s string) bool { return typeOnly().MatchString(s) }

var typeOnly = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^` + strings.TrimSuffix(typeWord, `\b`) + `$`) })

// clauses splits a sentence at its commas and brackets.
func clauses(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("，,：:（）()", r) })
}

// control reads “the Add button is disabled”.
func (r *reader) control(clause, whole string) {
	m := disabledWord().FindStringIndex(clause)
	if m == nil || shouldBeSo().MatchString(clause) {
		return
	}
	thing, role := r.named(subjectOf(clause[:m[0]]))
	if thing == "" || role == "" {
		return
	}
	r.add(Expected{Kind: Control, Thing: thing, Role: role, Later: later().MatchString(whole)})
}

// shouldBeSo finds that a control is wrong for not being disabled, or not when it should be.
var shouldBeSo = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:没有?|不|未|应|逻辑|should|not|never|isn't|wasn't)\S{0,4}?\s?(?:be |been )?(?:禁用|置灰|灰|disabled|gr[ae]yed)|(?:禁用|置灰)逻辑`)
})

// absent is what says that an element is missing, before its name or after it.
var absentBefore = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:缺少|缺失|缺了|漏了|少了|没有|未显示|不显示|看不到|\b(?:missing|lacks?|has no|have no|there is no|no|without))(?:了)?\s*(?:the |a |an )?(.+)$`)
})

var absentAfter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(.+?)(?:缺失|不见了|不存在|没有显示|未显示|丢失|\s(?:is|are|was|were) (?:missing|absent|not (?:there|shown|present|displayed)))`)
})

// missing reads “the Home link is missing”. The element needs a role or quotation marks.
func (r *reader) missing(clause, whole string) {
	name := ""
	if m := absentBefore().FindStringSubmatch(clause); m != nil {
		name = m[1]
	} else if m := absentAfter().FindStringSubmatch(clause); m != nil {
		name = m[1]
	}
	if name == "" {
		return
	}
	thing, role := r.named(subjectOf(name))
	if thing == "" || role == "" && !slotFinder().MatchString(name) || runes(thing) > longest {
		return
	}
	r.add(Expected{Kind: There, Thing: thing, Role: role, Later: later().MatchString(whole) || r.laterInTask(thing)})
}

// longest is how many characters the name of an element has at most; what is longer is a
// description.
const longest = 24

// laterInTask reports whether the task says of a thing that something is to be done first.
func (r *reader) laterInTask(thing string) bool {
	for _, point := range taskPoint().Split(r.prompt, -1) {
		if strings.Contains(point, thing) && later().MatchString(strings.ReplaceAll(point, thing, "")) {
			return true
		}
	}
	return false
}

// inTask reports whether the task quotes a text.
func (r *reader) inTask(s string) bool {
	for _, m := range quotation().FindAllStringSubmatch(r.prompt, -1) {
		if strings.TrimSpace(strings.Join(m[1:], "")) == s {
			return true
		}
	}
	return false
}

var taskPoint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[；;。？?\n]|\d[.、)]\s`) })
