package enhance

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// secrets are the values of a ground truth that would tell an agent the result
// of the test: texts, sentences of texts, numbers and labels that are neither
// said by the test's own prompt nor plain words of any verdict.
type secrets []string

// Bounds on the work for one ground truth.
const (
	maxSecrets = 256
	maxValue   = 2000 // bytes of one text
)

// plainWords are verdicts and grades, which give nothing away by themselves.
const plainWords = " pass passed fail failed failure success successful succeeded done true false yes no none null ok okay correct incorrect wrong right " +
	"high medium low critical major minor normal serious trivial blocker error warning info unknown other n/a complete completed incomplete partial " +
	"defect defects no_defect has_defect bug 通过 不通过 失败 成功 正确 错误 正常 异常 有缺陷 无缺陷 没有缺陷 缺陷 高 中 低 严重 一般 轻微 无 有 是 否 其他 "

func secretsOf(n *tree.Node) secrets {
	if n.CaseData == nil || n.CaseData.TestCase.GroundTruth.Null() || n.CaseData.TestCase.GroundTruth.Check() != nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(n.CaseData.TestCase.GroundTruth))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	f := finder{prompt: plain(n.CaseData.TestCase.Prompt), seen: map[string]bool{}}
	f.value(v)
	slices.Sort(f.found)
	return f.found
}

// plain folds what a reader takes for the same.
func plain(s string) string {
	return strings.ToLower(brackets().Replace(text.Line(s)))
}

type finder struct {
	prompt string
	seen   map[string]bool
	found  secrets
}

func (f *finder) value(v any) {
	switch v := v.(type) {
	case string:
		f.text(v)
	case json.Number:
		f.add(v.String(), 2)
	case []any:
		for _, x := range v {
			f.value(x)
		}
	case map[string]any:
		for k, x := range v {
			if !names(k, v) {
				f.value(x)
			}
		}
	}
}

// names reports whether member k of an action names it. What is called is what a
// lesson about calls must say; what it is called with is not.
func names(k string, object map[string]any) bool {
	if !slices.Contains([]string{"name", "action", "tool", "function", "type"}, k) {
		return false
	}
	for _, with := range []string{"arguments", "kwargs", "args", "parameters", "params", "input"} {
		if _, ok := object[with]; ok {
			return true
		}
	}
	return false
}

func (f *finder) text(s string) {
	if len(s) > maxValue {
		s = strings.ToValidUTF8(s[:maxValue], "")
	}
	f.add(s, 2)
	for _, part := range strings.FieldsFunc(s, func(r rune) bool {
		return strings.ContainsRune(",;:.!?\n，、。；：！？()（）\"'“”‘’|", r)
	}) {
		f.add(part, 5)
	}
}

// add keeps a value that has least characters and is not said elsewhere.
func (f *finder) add(s string, least int) {
	s = strings.Trim(plain(s), ".。,，;；")
	switch {
	case f.seen[s], len(f.found) == maxSecrets, utf8.RuneCountInString(s) < least, strings.Contains(plainWords, " "+s+" "), contains(f.prompt, s):
		return
	}
	f.seen[s] = true
	f.found = append(f.found, s)
}

// in returns the first of the values that s says.
func (f secrets) in(s string) (string, bool) {
	if len(f) == 0 {
		return "", false
	}
	s = plain(s)
	for _, v := range f {
		if contains(s, v) {
			return v, true
		}
	}
	return "", false
}

// contains reports whether s has v in it, as whole words where v ends in letters
// or digits of a script that has words.
func contains(s, v string) bool {
	first, _ := utf8.DecodeRuneInString(v)
	last, _ := utf8.DecodeLastRuneInString(v)
	for from := 0; ; {
		i := strings.Index(s[from:], v)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(v):])
		if !(word(first) && word(before)) && !(word(last) && word(after)) {
			return true
		}
		from = i + len(v)
	}
}

func word(r rune) bool {
	return r != utf8.RuneError && r < 0x3000 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// hidden is the reason to leave out what has this value in it. It tells only what
// kind of thing that is: reasons are printed.
func hidden(v string) string {
	if strings.Trim(v, "0123456789.-+e") == "" {
		return leaksNumber
	}
	if utf8.RuneCountInString(v) > 12 {
		return leaksLong
	}
	return leaksValue
}
