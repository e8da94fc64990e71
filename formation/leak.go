package formation

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/text"
)

// truths are the values of a ground truth that would give the result of the test
// away: its texts, their parts, and its numbers. Names of fields, of actions and
// of arguments are no values; a verdict such as "success" is not distinctive, and
// what the prompt says already gives nothing away.
type truths []string // lower case, longest first

// mask stands for a value of the ground truth in a text that had it.
const mask = "…"

// maxTruths bounds the values looked for, maxPrompt, in bytes, what they are
// looked for in.
const (
	maxTruths = 200
	maxPrompt = 32 << 10
)

// commonWords are values too plain to give anything away.
const commonWords = " high medium low critical major minor none normal serious trivial blocker error warning info unknown other n/a null 高 中 低 严重 一般 轻微 无 其他 "

func truthsOf(truth any, prompt string) truths {
	c := &collector{prompt: strings.ToLower(firstBytes(prompt, maxPrompt)), seen: map[string]bool{}}
	c.value(truth, false)
	slices.SortFunc(c.list, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return c.list[:min(len(c.list), maxTruths)]
}

type collector struct {
	prompt string
	seen   map[string]bool // also what was in the prompt
	list   truths
}

func (c *collector) value(v any, isAction bool) {
	switch v := v.(type) {
	case string:
		c.text(v)
	case json.Number:
		c.add(v.String())
	case []any:
		acts := judgment.Actions(v) != nil
		for _, x := range v {
			c.value(x, acts)
		}
	case map[string]any:
		name := ""
		if isAction {
			name = judgment.ActionName(v)
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if s, ok := v[k].(string); ok && isAction && s == name {
				continue
			}
			c.value(v[k], false)
		}
	}
}

// text takes a text whole, and where it is made of parts those too.
func (c *collector) text(s string) {
	s = firstBytes(s, maxReasoning)
	c.add(s)
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(",;:\n、，；。：()（）\"“”|", r) }) {
		c.add(part)
		c.windows(part)
	}
}

// windows takes the pieces of a long part, so that half a sentence counts too.
func (c *collector) windows(s string) {
	const wordsInWindow, runesInWindow = 5, 8
	if strings.ContainsFunc(s, isHan) {
		r := []rune(s)
		for i := 0; i+runesInWindow < len(r); i += runesInWindow / 2 {
			c.add(string(r[i : i+runesInWindow]))
		}
		return
	}
	w := strings.Fields(s)
	for i := 0; i+wordsInWindow < len(w); i += 2 {
		c.add(strings.Join(w[i:i+wordsInWindow], " "))
	}
}

func (c *collector) add(s string) {
	s = strings.ToLower(strings.Trim(strings.TrimSpace(s), ".。!！'`*"))
	n := utf8.RuneCountInString(s)
	number := strings.ContainsAny(s, "0123456789")
	switch {
	case s == "" || c.seen[s] || len(c.seen) > 4*maxTruths:
		return
	case s == "0" || s == "1":
		return
	case n < 3 && !number && !strings.ContainsFunc(s, isHan), n < 2 && !number:
		return
	case judgment.Word(s) != judgment.Unread || among(commonWords, s):
		return
	}
	c.seen[s] = true
	if find(c.prompt, s) >= 0 {
		return
	}
	c.list = append(c.list, s)
}

// in reports whether a text gives one of the values away.
func (t truths) in(s string) bool {
	low := strings.ToLower(s)
	return slices.ContainsFunc(t, func(v string) bool { return find(low, v) >= 0 })
}

// hide masks the values in a text; a text whose lower case has another length,
// in which places cannot be found, is given up if it has any.
func (t truths) hide(s string) string {
	for _, v := range t {
		low := strings.ToLower(s)
		i := find(low, v)
		if i < 0 {
			continue
		}
		if len(low) != len(s) {
			return ""
		}
		var b strings.Builder
		for i >= 0 {
			b.WriteString(s[:i])
			b.WriteString(mask)
			s, low = s[i+len(v):], low[i+len(v):]
			i = find(low, v)
		}
		b.WriteString(s)
		s = b.String()
	}
	return s
}

// find returns the place of v in s where it stands for itself: not within a
// longer word or number, but for scripts without spaces between words.
func find(s, v string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], v)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(v):])
		first, _ := utf8.DecodeRuneInString(v)
		last, _ := utf8.DecodeLastRuneInString(v)
		if (!joins(before) || !joins(first)) && (!joins(last) || !joins(after)) {
			return i
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		from = i + size
	}
}

func joins(r rune) bool {
	return r < 0x2e80 && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// forcing are words by which guidance would decide a verdict instead of saying
// what to check.
const forcing = "always pass|always fail|always report|always judge|always mark|always answer|always say|never fail|never pass|never report|must pass|must fail|just pass|just fail|一律|总是判定|总是通过|总是失败|永远判定|直接判定|直接通过|都判定为|必须判定为|全部判定"

// forces reports whether a text forces a verdict.
func forces(s string) bool {
	low := text.Squeeze(strings.ToLower(s))
	for f := range strings.SplitSeq(forcing, "|") {
		if strings.Contains(low, f) {
			return true
		}
	}
	return false
}
