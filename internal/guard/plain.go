package guard

import "strings"

// plainWords are verdicts and grades. They give nothing away by themselves. They are written without spaces, hyphens
// and underscores, as plain folds its argument.
const plainWords = " pass passed passes passing success successful successfully succeed succeeded fail failed fails " +
	"failing failure unsuccessful " +
	"true false yes no none null ok okay notok na n/a correct incorrect right wrong valid invalid normal abnormal good " +
	"bad positive negative " +
	"accept accepted approved reject rejected error errored warning info unknown other others done complete completed " +
	"incomplete partial notpassed " +
	"defect defects defective bug bugs buggy broken nodefect nodefects nobug nobugs noissue noissues noerror noerrors " +
	"defectfree hasdefect defectfound " +
	"flaky unstable intermittent inconclusive high medium low critical major minor serious trivial blocker " +
	"通过 已通过 测试通过 不通过 未通过 没通过 没有通过 测试失败 测试不通过 成功 失败 正常 不正常 正确 不正确 错误 合格 不合格 异常 有异常 无异常 未发现异常 " +
	"是 否 对 不对 真 假 有 无 有效 无效 一致 不一致 符合 不符合 完成 已完成 未完成 缺陷 有缺陷 无缺陷 没有缺陷 未发现缺陷 存在缺陷 发现缺陷 有问题 没有问题 无问题 没问题 存在问题 " +
	"不稳定 偶现 偶发 高 中 低 严重 一般 轻微 其他 "

// plain reports whether a value, in lower case, is a plain verdict or grade.
func plain(s string) bool {
	if len(s) > 64 {
		return false
	}
	label := strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune("_-.!*。！\"'`“”‘’", r) {
			return -1
		}
		return r
	}, s)
	return label == "" || strings.Contains(plainWords, " "+label+" ")
}
