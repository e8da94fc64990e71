package fact

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// subjectOf returns the subject of a clause. before is the part of the clause up to the statement about its subject.
// The subject is the last part between punctuation marks, without articles and the like. If before ends with an opening
// bracket, the subject is in front of the bracket.
func subjectOf(before string) string {
	before = strings.TrimRight(before, " （(")
	for i := len(before) - 1; i >= 0; i-- {
		if r, size := utf8.DecodeRuneInString(before[i:]); betweenClauses(r) && !inNumber(before, i) {
			before = before[i+size:]
			break
		}
	}
	before = strings.TrimSpace(before)
	for again := true; again; {
		again = false
		for _, w := range leading {
			if rest, ok := cutPrefixFold(before, w); ok {
				before, again = strings.TrimSpace(rest), true
			}
		}
		for _, w := range trailing {
			if rest, ok := cutSuffixFold(before, w); ok {
				before, again = strings.TrimSpace(rest), true
			}
		}
	}
	return before
}

// Words around a subject that are not part of its name. A space marks the boundary of a whole word.
var (
	leading  = []string{"the ", "a ", "an ", "its ", "entry ", "但", "而", "且", "页面底部", "页面", "该", "默认"}
	trailing = []string{"错误地", "错误", "有误", "没有", "逻辑", "仍", "还", "被", "却", "都", "也", " wrongly", " incorrectly",
		" still", " also", " which", " that", " it", " is", " was", " are", " were", " has been", " stays", " remains",
		" has", " have", " with"}
	// attributes are terms for the aspect of a thing that is wrong.
	attributes = []string{"的", "文字", "文案", "文本", "标签", "名称", "内容", "价格", "数量", "数值", "数", "值", "类型", "type", "状态", "颜色",
		"格式", "顺序", "显示", " text", " label", " name", " value", " caption", " count", " number", " price", " entry"}
)

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

func cutSuffixFold(s, suffix string) (string, bool) {
	if at := len(s) - len(suffix); at >= 0 && strings.EqualFold(s[at:], suffix) {
		return s[:at], true
	}
	return s, false
}

// nameAndRole splits a subject such as “Add button” into the name of a thing and its ARIA role. role is "" if no word
// gives one. A quotation at the end is the name.
func (q *maskedQuotes) nameAndRole(subject string) (name, role string) {
	name, role = splitRole(subject)
	if r, size := utf8.DecodeLastRuneInString(name); isSlot(r) {
		name = name[len(name)-size:]
	}
	return q.fill(name, false), role
}

// splitRole removes words for the kind of a thing, and for the aspect that is wrong, from the end of a subject.
func splitRole(subject string) (name, role string) {
	name = subject
	for again := true; again; {
		again = false
		for _, w := range attributes {
			if rest, ok := cutSuffixFold(name, w); ok && rest != "" {
				name, again = strings.TrimSpace(rest), true
			}
		}
		for _, f := range roleFinders() {
			if m := f.last.FindStringSubmatchIndex(name); role == "" && m != nil {
				role, name, again = f.roles[0], strings.TrimRight(name[:m[2]], " 的"), true
			}
		}
	}
	return name, role
}

// isQuotation reports whether a subject is a quotation, possibly followed by words for its kind.
func isQuotation(subject string) bool {
	name, _ := splitRole(subject)
	r, size := utf8.DecodeRuneInString(name)
	return isSlot(r) && size == len(name)
}

// isHint reports whether a subject is the placeholder of a field, which is not a text of the page.
func isHint(subject string) bool {
	return strings.Contains(subject, "占位") || strings.Contains(strings.ToLower(subject), "placeholder")
}

// placeWords begin the place of an element after its name.
var placeWords = []string{" for ", " in ", " on ", " next to ", " beside ", " of ", " under ", " at ", " from "}

// partOf returns the part of the page that a place denotes, "" for the whole page and for parts that every page has.
func partOf(place string) string {
	rest := anyPlace().Replace(strings.ToLower(" " + lettersOrSpace(place) + " "))
	if lettersOnly(rest) == "" {
		return ""
	}
	return strings.TrimSpace(place)
}

func lettersOrSpace(s string) string {
	return strings.Join(strings.Fields(strings.Trim(s, " .,")), "  ")
}

// anyPlace removes the words for parts that every page has.
var anyPlace = sync.OnceValue(func() *strings.Replacer {
	var list []string
	for w := range strings.FieldsSeq("页面 网页 界面 当前 首页 底部 顶部 左侧 右侧 头部 尾部 上方 下方 的 上 中 里 但 且") {
		list = append(list, w, "")
	}
	for w := range strings.FieldsSeq("the page screen footer header bottom top toolbar of on in at it there is are") {
		list = append(list, " "+w+" ", " ")
	}
	return strings.NewReplacer(list...)
})

// RoleOf returns the ARIA role that the name of a thing contains, such as "button" for “Add button”; "" if it
// contains none.
func RoleOf(thing string) string {
	_, role := splitRole(firstBytes(thing, maxLine))
	return role
}

func lettersOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || isSlot(r) {
			return r
		}
		return -1
	}, s)
}
