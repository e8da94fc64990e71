package judgment

import "strings"

// passWords and failWords are labels. They apply only when they are the whole text, or begin it and a mark such as a
// colon follows. The labels are folded and each has a space on either side, so that strings.Contains finds whole
// labels.
const (
	passWords = " pass passed passes passing success successful successfully succeed succeeded ok okay true yes " +
		"correct right valid normal good done complete completed accept accepted approved positive nodefect nobug " +
		"noissue noerror nodefects nobugs noissues noerrors defectfree " +
		"通过 已通过 测试通过 成功 正常 正确 合格 是 对 真 有效 一致 符合 已完成 完成 无缺陷 没有缺陷 未发现缺陷 无异常 未发现异常 没有问题 无问题 没问题 "
	failWords = " fail failed fails failing failure unsuccessful false no incorrect wrong invalid abnormal bad reject " +
		"rejected error errored defect defects defective bug buggy broken negative notpassed notok incomplete hasdefect " +
		"defectfound " +
		"失败 不通过 未通过 没通过 没有通过 测试失败 测试不通过 异常 不正常 错误 不正确 不合格 否 不对 假 无效 不一致 不符合 未完成 缺陷 有缺陷 存在缺陷 发现缺陷 有问题 存在问题 有异常 有bug "
	flakyWords = " flaky unstable intermittent inconclusive 不稳定 偶现 偶发 "
)

// The names, folded, of fields that hold the verdict of an object. If it has several, Read takes the first in
// fieldOrder.
const (
	verdictFields = verdictNames + verdictNamesZh
	defectFields  = defectNames + defectNamesZh // true means a defect
	fieldOrder    = verdictNames + defectNames + verdictNamesZh + defectNamesZh

	verdictNames = " verdict conclusion result status outcome judgment judgement label decision passed pass success " +
		"succeeded ispass ispassed issuccess iscorrect correct completed "
	verdictNamesZh = " 结论 判定 判断 结果 是否通过 测试结果 "
	defectNames    = " hasdefect hasdefects defect defectfound defectdetected isdefect isdefective hasbug hasbugs " +
		"bugfound haserror haserrors hasissue hasissues failed failure "
	defectNamesZh = " 有缺陷 是否有缺陷 存在缺陷 是否存在缺陷 "
)

// longestName bounds what may be a label or the name of a field, in bytes.
const longestName = 64

// Fold returns a label or field name in one spelling: has_defect, hasDefect and "Has defect." become hasdefect. A text
// of more than 64 bytes is no name, and is returned unchanged.
func Fold(s string) string {
	if len(s) > longestName {
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

// among reports whether a list such as passWords contains the folded label.
func among(list, folded string) bool {
	return folded != "" && !strings.Contains(folded, " ") && strings.Contains(list, " "+folded+" ")
}

func trimIs(folded string) string { return strings.TrimPrefix(folded, "is") }

// IsVerdictField reports whether name, in any spelling, is the name of a field that holds a verdict.
func IsVerdictField(name string) bool {
	f := Fold(name)
	return among(verdictFields, f) || among(defectFields, f)
}

// Word returns the verdict that s means if s is only a label, such as "passed"; Unread for any other text.
func Word(s string) Polarity {
	switch f := Fold(s); {
	case among(passWords, f):
		return Passes
	case among(failWords, f):
		return Fails
	default:
		return Unread
	}
}

// label returns the polarity of a text that is a label, or begins with a label that a mark sets off ("FAIL: the button
// …", "结论：通过。…"). Otherwise it is Unread.
func label(s string) Polarity {
	s = strings.TrimSpace(s)
	if p := Word(s); p != Unread {
		return p
	}
	head, rest, cut := cutHead(s)
	if !cut {
		return Unread
	}
	switch f := Fold(head); {
	case among(verdictFields, f):
		head, _, _ = cutHead(rest)
		return Word(head)
	case among(defectFields, f):
		head, _, _ = cutHead(rest)
		return Word(head).Opposite()
	default:
		return Word(head)
	}
}

// setOff are the marks that set a leading label off from what follows it.
const setOff = ":,;.\n—–：，；。(（"

// cutHead cuts s at the first mark of setOff within its first 48 bytes. Without
// such a mark the head is s.
func cutHead(s string) (head, rest string, cut bool) {
	const most = 48
	at := strings.IndexAny(s[:min(len(s), most)], setOff)
	if at < 0 {
		return s, "", false
	}
	return s[:at], strings.TrimSpace(strings.TrimLeft(s[at:], setOff+" ")), true
}

// Words returns all labels that are verdicts by themselves, in the form of [Fold]: those that pass, those that fail and
// those that mark a verdict as flaky.
func Words() []string { return strings.Fields(passWords + failWords + flakyWords) }
