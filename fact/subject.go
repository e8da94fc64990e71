package fact

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// subjectOf returns what a clause is about. before is the part of the clause up to
// what it says about its subject. The subject is the last piece of before between
// marks, without articles and the like. If before ends with an opening bracket, the
// subject stands in front of the bracket.
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
		return regexp.MustCompile(`(?i)(?:错误地?|被|却|都|也|逻辑|\b(?:wrongly|incorrectly|still|also|which|that|it|is|was|are|` +
			`were|has been|stays?|remains?|has|have|with|its))$`)
	})
	// lettered matches a subject that is named by what it should read: the Save label.
	lettered = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:文字|文案|文本|标签|名称|链接|按钮|label|text|caption|link|button)$`)
	})
	attribute = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:的?(?:文字|文案|文本|标签|名称|内容|价格|数量|数值|数|值|类型|type|状态|颜色|格式|顺序|显示)|\s(?:text|label|` +
			`name|value|caption|count|number|price|type))$`)
	})
)

// nameAndRole splits a subject such as “Add button” into the name of a thing and its
// ARIA role. role is "" if no word names one.
func (r *expectationReader) nameAndRole(subject string) (thing, role string) {
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

// laterInTask reports whether a point of the task names the thing and says that
// something must be done first.
func (r *expectationReader) laterInTask(thing string) bool {
	for _, point := range taskPoint().Split(r.prompt, -1) {
		if strings.Contains(point, thing) && needsAct().MatchString(strings.ReplaceAll(point, thing, "")) {
			return true
		}
	}
	return false
}

// inTask reports whether the task quotes a text.
func (r *expectationReader) inTask(s string) bool {
	for _, m := range quotation().FindAllStringSubmatch(r.prompt, -1) {
		if strings.TrimSpace(strings.Join(m[1:], "")) == s {
			return true
		}
	}
	return false
}

var taskPoint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[；;。？?\n]|\d[.、)]\s`) })
