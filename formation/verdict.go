package formation

import (
	"encoding/json"
	"strings"
)

// polarity is what a verdict says about the thing judged.
type polarity int8

const (
	unread polarity = iota
	passes          // it is as it should be: pass, success, no defect
	fails           // it is not: fail, failure, defect found
)

func (p polarity) opposite() polarity {
	switch p {
	case passes:
		return fails
	case fails:
		return passes
	default:
		return unread
	}
}

// passWords and failWords are labels, not words of a sentence: they count only
// where they are all that is said, or lead it with a colon or the like.
const (
	passWords = " pass passed passes passing success successful successfully succeed succeeded ok okay true yes correct right valid normal good done complete completed accept accepted approved positive nodefect nobug noissue noerror nodefects nobugs noissues noerrors defectfree " +
		"通过 已通过 测试通过 成功 正常 正确 合格 是 对 真 有效 一致 符合 已完成 完成 无缺陷 没有缺陷 未发现缺陷 无异常 未发现异常 没有问题 无问题 没问题 "
	failWords = " fail failed fails failing failure unsuccessful false no incorrect wrong invalid abnormal bad reject rejected error errored defect defects defective bug buggy broken negative notpassed notok incomplete hasdefect defectfound " +
		"失败 不通过 未通过 没通过 没有通过 测试失败 测试不通过 异常 不正常 错误 不正确 不合格 否 不对 假 无效 不一致 不符合 未完成 缺陷 有缺陷 存在缺陷 发现缺陷 有问题 存在问题 有异常 有bug "
	flakyWords = " flaky unstable intermittent inconclusive 不稳定 偶现 偶发 "
)

// verdictFields are where an object keeps its verdict, folded, best first; the
// second list holds those where true means that something is wrong.
const (
	verdictFields = " verdict conclusion result status outcome judgment judgement label decision passed pass success succeeded ispass ispassed issuccess iscorrect correct completed 结论 判定 判断 结果 是否通过 测试结果 "
	defectFields  = " hasdefect hasdefects defect defectfound defectdetected isdefect isdefective hasbug hasbugs bugfound haserror haserrors hasissue hasissues failed failure 有缺陷 是否有缺陷 存在缺陷 是否存在缺陷 "
)

// foldLabel makes spellings of a label or field name one: has_defect, hasDefect
// and "Has defect." are hasdefect.
func foldLabel(s string) string {
	if len(s) > 64 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r <= ' ', strings.ContainsRune("_-.!*。！\"'`“”‘’", r):
			return -1
		}
		return r
	}, s)
}

func among(list, folded string) bool {
	return folded != "" && !strings.Contains(folded, " ") && strings.Contains(list, " "+folded+" ")
}

// label reads a text that is a verdict and nothing else, or begins with one
// that is set off ("FAIL: the button …", "结论：通过。…").
func label(s string) polarity {
	s = strings.TrimSpace(s)
	if p := word(s); p != unread {
		return p
	}
	head, rest, cut := cutHead(s)
	if !cut {
		return unread
	}
	if f := foldLabel(head); among(verdictFields, f) {
		head, _, _ = cutHead(strings.TrimSpace(rest))
	} else if among(defectFields, f) {
		head, _, _ = cutHead(strings.TrimSpace(rest))
		return word(head).opposite()
	}
	return word(head)
}

func word(s string) polarity {
	switch f := foldLabel(s); {
	case among(passWords, f):
		return passes
	case among(failWords, f):
		return fails
	default:
		return unread
	}
}

// cutHead cuts s at the first mark that sets off a leading label, within the
// first forty bytes or so; without one the head is s.
func cutHead(s string) (head, rest string, cut bool) {
	const most = 48
	at := strings.IndexAny(s[:min(len(s), most)], ":,;.\n—–：，；。(（")
	if at < 0 {
		return s, "", false
	}
	_, rest = s[:at], s[at:]
	return s[:at], strings.TrimLeft(rest, ":,;.\n—–：，；。(（ "), true
}

// polarityOf reads the verdict in a JSON value. A bare true is a pass, as in an
// assertion that holds. An object that contradicts itself is unread.
func polarityOf(v any) polarity {
	switch v := v.(type) {
	case bool:
		if v {
			return passes
		}
		return fails
	case string:
		return label(v)
	case map[string]any:
		return objectPolarity(v)
	}
	return unread
}

func objectPolarity(o map[string]any) polarity {
	found := unread
	for k, v := range o {
		f := foldLabel(k)
		p := unread
		switch {
		case among(defectFields, f):
			p = defectValue(v)
		case among(verdictFields, f):
			switch v.(type) {
			case bool, string:
				p = polarityOf(v)
			}
		}
		switch {
		case p == unread:
		case found == unread:
			found = p
		case found != p:
			return unread
		}
	}
	return found
}

// defectValue reads the value of a field such as has_defect: true, 1, "yes" and
// "high" mean there is one.
func defectValue(v any) polarity {
	switch v := v.(type) {
	case bool:
		if v {
			return fails
		}
		return passes
	case string:
		return label(v).opposite()
	case json.Number:
		switch v.String() {
		case "0":
			return passes
		case "1":
			return fails
		}
	}
	return unread
}

// flaky reports whether a verdict says of itself that it cannot be relied on.
func flaky(v any) bool {
	switch v := v.(type) {
	case string:
		return among(flakyWords, foldLabel(v))
	case map[string]any:
		for k, x := range v {
			if s, ok := x.(string); ok && among(verdictFields, foldLabel(k)) && among(flakyWords, foldLabel(s)) {
				return true
			}
			if b, ok := x.(bool); ok && b && among(flakyWords, strings.TrimPrefix(foldLabel(k), "is")) {
				return true
			}
		}
	}
	return false
}
