package gate

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
)

var idLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)https?://\S+|\bwww\.\S+|[\w.+-]+@[\w-]+\.\w+|\b[a-z]+(?:[-_][a-z]+)*[-_]\d+\b|` +
		`\b[0-9a-f]{8}-[0-9a-f-]{9,}\b|(?:^|[^\w/.])/[a-z][\w-]{2,}(?:/[\w:{}.-]+)*`)
})

// standards matches names that look like ids but are none, such as utf-8.
var standards = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:utf|iso|rfc|sha|md|utc|gmt|http|tls|wcag|es|mp|aes|base|covid|f|page|step|level|` +
		`grade|type|top)[-_]?\d+$`)
})

// identity refuses a draft with an id, address or path that belongs to one test.
func identity(_ *Gates, v *view) string {
	reason := taxonomy.Text{EN: "%q belongs to one test; name things in general", ZH: "%q 只属于一个测试；请用一般说法"}
	own := v.ids()
	for _, s := range v.draft.Texts() {
		for _, id := range idLike().FindAllString(s, -1) {
			id = strings.TrimFunc(id, func(r rune) bool { return r != '/' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			if !standards().MatchString(id) && v.testsWith(func(e *caseTexts) bool {
				return strings.Contains(e.all,
					strings.ToLower(id))
			}) < leastTests {
				return v.because(reason, text.Clip(id, 40))
			}
		}
		low := strings.ToLower(s)
		for _, id := range own {
			if hasWord(low, id) {
				return v.because(reason, id)
			}
		}
	}
	return ""
}

// ids returns the ids of the cases, their tests and their scenes, in lower case. It omits those that may be words:
// without a digit, or short.
func (v *view) ids() []string {
	var out []string
	for _, e := range v.cases {
		for _, id := range []string{e.node.ID, e.node.CaseData.TestCase.CaseID, e.node.Scene.ID} {
			if id = strings.ToLower(id); strings.ContainsFunc(id, unicode.IsDigit) && len(id) > 3 {
				out = append(out, id)
			}
		}
	}
	return out
}

// hasWord reports whether s has w with no letter or digit of the same script on
// either side.
func hasWord(s, w string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], w)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(w):])
		if !joined(before) && !joined(after) {
			return true
		}
		from = i + 1
	}
}

func joined(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_'
}

var (
	number = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[¥$€£￥#]?\d+(?:[.,:/]\d+)*(?:\s?(?:%|元|美元|euros?|dollars?|usd|eur)|\b)?`)
	})
	money = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[¥$€£￥]|\d[.,]\d\d\b|元|euro|dollar|usd|eur`)
	})
	told = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:should be|must be|has to be|ought to be|equals?|is|are|reads?|shows?|=|应为|应该为|` +
			`应是|应该是|应当是|等于|为|是|显示|应付|应得)\s*[“"「]?$`)
	})
)

const smallNumber = 12 // numbers up to it are common in prose: the first five, two looks

// numbers refuses a draft with a number that belongs to one test. A small number is refused only when the draft states
// it as a value.
func numbers(_ *Gates, v *view) string {
	for _, s := range v.draft.Texts() {
		low := strings.ToLower(s)
		for _, at := range number().FindAllStringIndex(low, -1) {
			n := strings.TrimSpace(low[at[0]:at[1]])
			if at[0] > 0 && joined(rune(low[at[0]-1])) {
				continue // part of a word
			}
			if v.givesAway(n, low[:at[0]]) {
				return v.because(taxonomy.Text{EN: "the number %q belongs to one test; say it without", ZH: "数字 %q 只属于一个测试；请不要写出来"},
					n)
			}
		}
	}
	return ""
}

// givesAway reports whether number n, with the text before it, belongs to one test.
func (v *view) givesAway(n, before string) bool {
	digits := strings.TrimFunc(n, func(r rune) bool { return !unicode.IsDigit(r) })
	tests := v.testsWith(func(e *caseTexts) bool { return hasWord(e.all, digits) })
	switch {
	case tests >= leastTests:
		return false
	case money().MatchString(n):
		return true
	case small(digits):
		return tests > 0 && told().MatchString(before)
	}
	return tests > 0 || told().MatchString(before)
}

func small(digits string) bool {
	n := 0
	for _, r := range digits {
		if !unicode.IsDigit(r) {
			return false
		}
		if n = 10*n + int(r-'0'); n > smallNumber {
			return false
		}
	}
	return true
}
