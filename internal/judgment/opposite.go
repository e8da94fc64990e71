package judgment

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// opposites are pairs of bare verdicts that deny each other. A verdict with several opposites, such as "partial", has
// none here.
var opposites = [][2]string{
	{"pass", "fail"}, {"passed", "failed"}, {"passes", "fails"}, {"success", "failure"}, {"succeeded", "failed"},
	{"successful", "unsuccessful"}, {"ok", "not ok"}, {"true", "false"}, {"yes", "no"}, {"correct", "incorrect"},
	{"right", "wrong"}, {"valid", "invalid"}, {"normal", "abnormal"}, {"good", "bad"}, {"complete", "incomplete"},
	{"accept", "reject"}, {"accepted", "rejected"}, {"approved", "rejected"}, {"positive", "negative"},
	{"通过", "不通过"}, {"已通过", "未通过"}, {"测试通过", "测试不通过"}, {"成功", "失败"}, {"正常", "异常"},
	{"正确", "错误"}, {"合格", "不合格"}, {"是", "否"}, {"对", "不对"}, {"真", "假"}, {"有效", "无效"},
	{"一致", "不一致"}, {"符合", "不符合"}, {"已完成", "未完成"}, {"无缺陷", "有缺陷"}, {"没有缺陷", "有缺陷"},
	{"a>b", "b>a"}, {"a>>b", "b>>a"},
}

// Opposite returns the verdict opposite to judgment, if exactly one exists: the other boolean, the opposite term in the
// same case, or an object with only the fields that hold verdicts, each with its opposite. It drops reasons and
// defects, because they belong to the first verdict. ok is false if judgment has no verdict, a verdict with several
// alternatives such as "partial", or several verdicts that do not agree.
func Opposite(judgment tree.Raw) (other tree.Raw, ok bool) {
	v, ok := oppositeOf(Decode(judgment))
	if !ok {
		return nil, false
	}
	return encode(v)
}

// encode writes a value as JSON, with A>B as it is.
func encode(v any) (tree.Raw, bool) {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	err := w.Encode(v)
	return tree.Raw(bytes.TrimSpace(b.Bytes())), err == nil
}

func oppositeOf(v any) (any, bool) {
	switch v := v.(type) {
	case bool:
		return !v, true
	case string:
		return oppositeWord(v)
	case map[string]any:
		return oppositeMembers(v)
	}
	return nil, false
}

func oppositeMembers(o map[string]any) (any, bool) {
	out := map[string]any{}
	for k, v := range o {
		if !IsVerdictField(k) {
			continue
		}
		if n, isNumber := v.(json.Number); isNumber && (n == "0" || n == "1") {
			out[k] = json.Number(string('0' + '1' - rune(n[0])))
			continue
		}
		x, ok := oppositeOf(v)
		if _, nested := v.(map[string]any); nested || !ok {
			return nil, false
		}
		out[k] = x
	}
	return out, len(out) > 0 && (len(out) == 1 || objectPolarity(o) != Unread)
}

// oppositeWord returns the opposite in the case of s: FAIL for PASS, Fail for Pass.
func oppositeWord(s string) (string, bool) {
	word := strings.ToLower(strings.TrimSpace(s))
	for _, p := range opposites {
		for i, w := range p {
			if w != word {
				continue
			}
			other := p[1-i]
			switch s = strings.TrimSpace(s); {
			case s == strings.ToUpper(s):
				return strings.ToUpper(other), true
			case s == word:
				return other, true
			}
			return strings.ToUpper(other[:1]) + other[1:], true
		}
	}
	return "", false
}

// Bare returns the verdict in judgment without its reasons. ok is false if [Opposite] finds no opposite for judgment.
func Bare(judgment tree.Raw) (bare tree.Raw, ok bool) {
	if _, ok := Opposite(judgment); !ok {
		return nil, false
	}
	o, ok := Decode(judgment).(map[string]any)
	if !ok {
		return judgment.Canonical(), true
	}
	for k := range o {
		if !IsVerdictField(k) {
			delete(o, k)
		}
	}
	return encode(o)
}

// OppositeRight reports whether the opposite of e's verdict would be right; correct is whether e's verdict was right.
// known is false if e's verdict has no single opposite. It is also false if e's verdict was wrong and the opposite may
// be wrong too: the ground truth cannot be compared with it, or there is no ground truth, and e's verdict is neither
// pass nor fail or its direction is Other.
func OppositeRight(e *tree.Evaluation, correct bool) (right, known bool) {
	other, ok := Opposite(e.Judgment)
	if !ok || correct {
		return false, ok
	}
	same, why := Compare(Decode(other), Decode(e.GroundTruth))
	if why == "" {
		return same, true
	}
	twoWays := e.GroundTruth.Null() && PolarityOf(Decode(e.Judgment)) != Unread && e.Direction != taxonomy.Other
	return twoWays, twoWays
}
