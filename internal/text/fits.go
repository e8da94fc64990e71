package text

import (
	"regexp"
	"sync"
)

// framing matches the beginning of a condition that names no test: “a task asks for”, “任务要求”.
var framing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(?:(?:when|if)\s+)?(?:(?:an?|the|this)\s+)?` +
		`(?:task|test|case|prompt|step|scenario)s?\s+` +
		`(?:asks?|requires?|wants?|needs?|calls?)\s+(?:(?:for|to|about|that)\s+)?|` +
		`^\s*(?:当|如果)?(?:任务|测试|用例|提示词|步骤)(?:要求|需要)`)
})

// Fits reports whether s mentions what a person's condition is about. It is Mentions with two differences: a beginning
// such as “a task asks for” is ignored, and a run of four Chinese characters or more matches if three quarters of its
// bigrams do, so that 仓库库存数量 fits 仓库的库存数量.
func Fits(s, condition string) bool {
	if Mentions(s, condition) {
		return true
	}
	about := framing().ReplaceAllString(condition, "")
	if about == condition && !hasHan(condition) {
		return false
	}
	parts, n := partsOf(about), 0
	has := TokenSet(s)
	for _, p := range parts {
		if hasMost(has, p) {
			n++
		}
	}
	return n > 0 && n == len(parts) || Mentions(s, about)
}

func hasHan(s string) bool {
	for _, r := range s {
		if ideograph(r) {
			return true
		}
	}
	return false
}

// hasMost reports whether a part is in the set has, of a long run of Chinese characters three quarters of its bigrams.
func hasMost(has map[string]bool, part string) bool {
	run := []rune(part)
	if len(run) < 4 || !ideograph(run[0]) {
		return count(has, []string{part}) == 1
	}
	n := 0
	for i := range len(run) - 1 {
		n += count(has, []string{string(run[i : i+2])})
	}
	return 4*n >= 3*(len(run)-1)
}
