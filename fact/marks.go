package fact

import (
	"regexp"
	"strings"
	"sync"
)

// sort is the kind of a token.
type sort int

// The kinds. A mark states whether the literal after it is how a thing was, or how it should be.
const (
	literal sort = iota // a quotation, a number or the type of a field
	instead             // the literal before is how it was, the literal after is how it should be
	wanted              // how it should be
	seen                // how it was
	notSo               // how it should be, if another literal is how it was
	is                  // how it was, if another literal is how it should be
	off                 // a control is disabled
	gone                // an element is missing: the one named next, or the one before
	product             // price times quantity
)

// marks are the phrases of the recognized forms, as regular expressions. A phrase precedes the ones it contains.
// English ones match whole words.
var marks = map[sort]struct{ zh, en string }{
	instead: {`而不是|而非`, `instead of|rather than|in place of`},
	wanted: {`实际(?:应该?)?(?:只有|[为是])|应(?:该|当)?(?:显示|写|标|设置)?[为是成有]|应(?:该|当)?(?:显示|写)|(?:正确|预期|期望)的?[是为]`,
		`(?:should|must|ought to|ha(?:s|ve) to)(?: have)?(?: be| been| read| say| show| display)?|expected|correct(?: is)?`},
	seen: {`而是|(?:显示|展示|设置|误?写|标|渲染|类型|变)(?:的是|成了|[为成作着是])|显示|写了`,
		`shows?|showed|counts|displays|displayed as|reads|says|said|labell?ed|lists|(?:has|of|set to|with) type`},
	notSo: {`不是`, `not`},
	is:    {`的?[是为]|标价`, `is|was|are|were`},
	off: {`(?:被|是|为)?(?:禁用|置灰|灰显)|变灰|(?:无法|不能|不可)(?:点击|使用)|不可[点用]|点不[了动]`,
		`disabled|gr[ae]yed out|inert|(?:can't|cannot|can not) be (?:clicked|pressed|used)`},
	gone: {`缺少了?|缺失了?|缺了|漏了|少了|没有|未显示|不显示|不见了|不存在|丢失了?`,
		`(?:is|are) (?:missing|absent|not shown)|missing|lacks|(?:has|have|there (?:is|are)) no`},
	product: {`乘以|没乘|单价`, `multipl(?:y|ied)|unit price`},
}

// Before a text is read, each quotation is replaced by one character, its slot, so that its content contains no marks.
const (
	slots      = '\uE000' // the first slot; they end before slots+maxQuoted, in the private use area
	maxQuoted  = 200
	slot       = `[\x{E000}-\x{E0C8}]`
	quotedText = `(?:“([^“”\n]{1,60})”|‘([^‘’\n]{1,60})’|「([^「」\n]{1,60})」|"([^"\n]{1,60})"|(?:^|` +
		`[^\w])'([^'\n]{1,60})'|《([^《》\n]{1,60})》)`
	number = `\d{1,2}:\d{2}(?::\d{2})?|(?:[¥￥$€£]\s?)?-?\d[\d,]*(?:\.\d+)?\s?(?:%|％|[项个条张人号元次件分天月年笔封]|(?:px|ms|[kmg]b|` +
		`[kc]?m|mi|kg|h|min)\b)?(?:/[年月日天])?|第\s?\d+\s?[步页章条项]`
	fieldType = `\b(?:text|password|email|tel|number|url|date|search)\b`
)

var (
	quotation = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(quotedText) })
	inputOnly = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + fieldType + `)$`) })
	// anyToken has one group for each kind, in order.
	anyToken = sync.OnceValue(func() *regexp.Regexp {
		groups := []string{`(` + slot + `|` + number + `|` + fieldType + `)`}
		for s := instead; s <= product; s++ {
			groups = append(groups, `(`+marks[s].zh+`|\b(?:`+marks[s].en+`)\b)`)
		}
		return regexp.MustCompile(`(?i)` + strings.Join(groups, "|"))
	})
)

// inputType reports whether s is a recognized type of input field.
func inputType(s string) bool { return inputOnly().MatchString(s) }

// token is a literal or a mark in a text.
type token struct {
	sort       sort
	text       string // with slots instead of quotations
	start, end int    // in bytes
}

func tokens(s string) []token {
	var out []token
	for _, m := range anyToken().FindAllStringSubmatchIndex(s, -1) {
		for k := literal; k <= product; k++ {
			if g := 2 * (int(k) + 1); m[g] >= 0 {
				if k != literal || !inFraction(s, m[g], m[g+1]) {
					out = append(out, token{k, strings.Trim(s[m[g]:m[g+1]], " ,"), m[g], m[g+1]})
				}
				break
			}
		}
	}
	return out
}

// inFraction reports whether s[i:j] is a part of a fraction or of a date.
func inFraction(s string, i, j int) bool {
	return i > 0 && s[i-1] == '/' || j < len(s) && s[j] == '/'
}

// maskedQuotes holds the quotations of texts while these are read.
type maskedQuotes []struct{ inner, whole string } // without and with quotation marks

// lift replaces the quotations of a text by slots.
func (q *maskedQuotes) lift(s string) string {
	if !strings.ContainsAny(s, "“‘「\"'《") { // most texts; the pattern need not be compiled for them
		return s
	}
	return quotation().ReplaceAllStringFunc(s, func(all string) string {
		m := quotation().FindStringSubmatch(all)
		before := ""
		if m[5] != "" {
			before = all[:strings.IndexByte(all, '\'')]
		}
		if len(*q) >= maxQuoted {
			return all
		}
		*q = append(*q, struct{ inner, whole string }{strings.TrimSpace(strings.Join(m[1:], "")), all[len(before):]})
		return before + string(rune(slots+len(*q)-1))
	})
}

// fill replaces slots by their quotations, with or without quotation marks.
func (q *maskedQuotes) fill(s string, marks bool) string {
	var b strings.Builder
	for _, r := range s {
		i := int(r - slots)
		switch {
		case i < 0 || i >= len(*q):
			b.WriteRune(r)
		case marks:
			b.WriteString((*q)[i].whole)
		default:
			b.WriteString((*q)[i].inner)
		}
	}
	return strings.TrimSpace(b.String())
}

func isSlot(r rune) bool { return r >= slots && r < slots+maxQuoted }

// IsNumber reports whether s is a number, possibly with a currency sign or a unit.
func IsNumber(s string) bool {
	all := tokens(s)
	return len(all) == 1 && all[0].sort == literal && digits(s) != "" && all[0].start == 0 && all[0].end == len(s)
}
