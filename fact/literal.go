package fact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A literal is what a sentence says a thing reads: a quotation, a number with its sign
// and unit, the type of a field, or a few words up to the next mark.
//
// Before a sentence is read, each quotation in it is replaced by one character, its
// slot, so that the words inside it do not count.
const (
	slots      = '\uE000' // the first slot; they end before slots+maxQuoted, in the private use area
	maxQuoted  = 200
	quotedText = `(?:“([^“”\n]{1,60})”|‘([^‘’\n]{1,60})’|「([^「」\n]{1,60})」|"([^"\n]{1,60})"|(?:^|` +
		`[^\w])'([^'\n]{1,60})'|《([^《》\n]{1,60})》)`
	slot   = `([\x{E000}-\x{E0C8}])`
	number = `(\d{1,2}:\d{2}(?::\d{2})?|[¥￥$€£]?\s?-?\d[\d,]*(?:\.\d+)?\s?(?:%|％|[项个条张人号元次件分天月年笔封]|px|ms|[kmg]b|` +
		`[kc]?m|mi|kg|h|min)?(?:/[年月日天])?|第\s?\d+\s?[步页章条项])`
	typeWord = `(text|password|email|tel|number|url|date|search)\b`
	fewWords = `(\p{Han}{1,12})(?:$|[）)，,、；;])`
)

var (
	quotation   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(quotedText) })
	sentenceEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[。！？!?；;\n]+|\.(?:\s|$)`) })

	// wasSo matches words and the literal after them that a thing read when it was wrong.
	// beSo matches words and the literal after them that it should have read.
	wasSo = sync.OnceValue(func() *regexp.Regexp {
		return literalAfter(`(?:错误地?)?(?:显示|展示|设置|设|写|标|渲染|翻译|变|读|类型)(?:错误)?(?:的是|成了|为了|为|成|作|到|着|是)?|错为|而是|标价|的?(?:是|为)|` +
			`(?:拼写错误|错别字)[:：]?|` +
			`\b(?:(?:typo|misspel\w+)[^\x{E000}-\x{E0C8}]{0,24}|shows?|showed|counts?|showing|displays?|displayed|reads?|` +
			`says?|said|labell?ed|named|titled|is|was|are|were|set|became|rendered|spelled|typed|type)(?: (?:as|to|the|text|` +
			`label|value|of|is))*`)
	})
	beSo = sync.OnceValue(func() *regexp.Regexp {
		return literalAfter(`(?:而不是|而非|不是|(?:实际|正确|预期|期望)?(?:应该?|应当|本应|原应)(?:当|该)?(?:显示|写|设置)?(?:为|是|成|有)?|(?:实际|正确|` +
			`预期)(?:值|内容|文字)?(?:为|是|只有))[\p{Han}]{0,4}?|` +
			`\b(?:instead of|rather than|(?:should|must|ought to|supposed to)(?: have)?(?: be| been| read| say| show|` +
			` display)?|expected(?: to be| value)?|but not|not|correct(?: value| text)?(?: is| would be)?)(?: (?:the|text|` +
			`label|value|as|of))*`)
	})
)

// literalAfter returns a pattern for a mark with a literal after it. The groups are
// those of a quotation, a number, a type and a few words.
func literalAfter(mark string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:` + mark + `)[:：]?\s*(?:` + slot + `|` + number + `|` + typeWord + `|` + fewWords +
		`)`)
}

// literal is a literal that was found in a sentence.
type literal struct {
	s               string // with slots in place of quotations
	quoted, numeric bool
	weak            bool // its mark, such as “is”, counts only beside another literal
	start, end      int  // in bytes; start is where its mark begins
	want            bool // the thing should read so; else it did
}

var weakMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:的?[是为]|不是|is|was|are|were|not|, not)\W*$`)
})

func literals(re *regexp.Regexp, s string, want bool) []literal {
	var out []literal
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		l := literal{start: m[0], want: want || notBefore().MatchString(s[:m[0]])}
		for g := 1; g < len(m)/2; g++ {
			if m[2*g] >= 0 {
				l.s, l.end = strings.Trim(s[m[2*g]:m[2*g+1]], " ,"), m[2*g+1]
				l.quoted, l.numeric = g == 1, g == 2
				l.weak = weakMark().MatchString(strings.TrimSpace(s[m[0]:m[2*g]]))
			}
		}
		bare := len(m) > 9 && m[8] >= 0
		if !noLiteral[l.s] && (!bare || saysHow().MatchString(s[m[0]:m[8]])) {
			out = append(out, l)
		}
	}
	return out
}

// notBefore matches a denial at the end of what stands before a literal: “did not
// become X” says how the thing should read.
var notBefore = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:没有?|未|不|不会|\bnot|n't|\bnever)\s*$`)
})

// saysHow matches marks after which a few words without quotation marks are a literal.
// 应 by itself is none of them, because it may be part of a word.
var saysHow = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:[为是成着到非])[:：]?\s*$`) })

// noLiteral are words that say that something is right or wrong, not how it reads.
var noLiteral = map[string]bool{"": true, "错误": true, "异常": true, "有误": true, "反了": true, "不正确": true, "不对": true,
	"正确": true, "正常": true}

// quotes puts slots in place of the quotations of a text and keeps these in r.quoted.
func (r *expectationReader) quotes(s string) string {
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

// filled puts the quotations back in place of their slots.
func (r *expectationReader) filled(s string) string {
	return strings.TrimSpace(slotFinder().ReplaceAllStringFunc(s, func(c string) string {
		i := int([]rune(c)[0] - slots)
		if i >= len(r.quoted) {
			return ""
		}
		return r.quoted[i]
	}))
}

var slotFinder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(slot) })

// merge puts literals in the order of the text. Of two that overlap it keeps the one
// that the thing should read, because “should show” has the marks of both.
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
