package text

import (
	"slices"
	"strings"
)

// Phrases returns the alternatives in a condition: its parts between commas, semicolons, slashes, bars, line breaks and
// “or” or 或.
func Phrases(condition string) (out []string) {
	parts := strings.FieldsFunc(condition, func(r rune) bool { return strings.ContainsRune("/／;；,，、|｜\n", r) })
	for _, p := range parts {
		for one := range strings.SplitSeq(strings.NewReplacer("或者", " or ", "或", " or ").Replace(p), " or ") {
			if one = strings.TrimSpace(one); one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}

// Mentions reports whether s contains all parts of phrase or, if phrase has four parts or more, three quarters of them
// in one sentence. A part is the stem of a term with content, or a run of Chinese characters; a run matches if all its
// bigrams do. Terms that fit any test, such as “check”, are ignored if phrase has other parts.
func Mentions(s, phrase string) bool {
	parts := partsOf(phrase)
	has := TokenSet(s)
	n := count(has, parts)
	if len(parts) < 4 || n == len(parts) {
		return n > 0 && n == len(parts)
	}
	return 4*n >= 3*len(parts) && slices.ContainsFunc(Sentences(s), func(one string) bool {
		return 4*count(TokenSet(one), parts) >= 3*len(parts)
	})
}

// MightMention reports what Mentions does, but with a lower threshold: more than half of the parts of phrase, or two
// thirds of its Chinese characters in any order.
func MightMention(s, phrase string) bool {
	parts := partsOf(phrase)
	if 2*count(TokenSet(s), parts) > len(parts) {
		return true
	}
	var han []rune
	for _, p := range parts {
		for _, r := range p {
			if ideograph(r) {
				han = append(han, r)
			}
		}
	}
	in := 0
	for _, r := range han {
		if strings.ContainsRune(s, r) {
			in++
		}
	}
	return len(han) > 1 && 3*in >= 2*len(han)
}

// ofAnyTest are words of conditions that do not distinguish one test from another.
var ofAnyTest = map[string]bool{"test": true, "check": true, "case": true, "verify": true, "scenario": true}

// betweenHan splits runs of Chinese characters and removes terms that fit any test.
var betweenHan = strings.NewReplacer("的时候", " ", "测试", " ", "用例", " ", "场景", " ", "涉及", " ", "检查", " ", "核对", " ",
	"校验", " ", "验证", " ", "查看", " ", "的", " ", "和", " ", "与", " ")

// partsOf returns the parts of a phrase: stems, and runs of Chinese characters.
func partsOf(phrase string) []string {
	parts := rawParts(betweenHan.Replace(strings.TrimSuffix(strings.TrimSpace(phrase), "时")), ofAnyTest)
	if len(parts) == 0 {
		parts = rawParts(phrase, nil)
	}
	return parts
}

func rawParts(phrase string, without map[string]bool) (out []string) {
	add := func(p string) {
		if !without[p] && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	scan(phrase, func(run []rune) {
		for _, t := range Tokens(string(run)) {
			add(t)
		}
	}, func(run []rune) { add(string(run)) })
	return out
}

// TokenSet returns the tokens of s as a set.
func TokenSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, t := range Tokens(s) {
		out[t] = true
	}
	return out
}

// count returns how many of the parts are in the set has.
func count(has map[string]bool, parts []string) (n int) {
	for _, p := range parts {
		// A stem is not stemmed again: that of “warehouse” would become another one.
		if has[p] || p != "" && !slices.ContainsFunc(Tokens(p), func(t string) bool { return !has[t] }) {
			n++
		}
	}
	return n
}
