package guard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatesRight(t *testing.T) {
	for _, s := range []string{
		"25 is right.", "Closed is correct", "Correct as drawn.", "Not a bug.", "airline rule. not a bug", "NOT A BUG",
		"ui is ok", "search was fine", "Tool precision, product is fine.", "Nothing is missing.", "w/ viewer1 its fine",
		"不是bug", "不是缺陷", "顺序没毛病", "0米对的", "券后 98，不到 99，收运费是对的。", "4 月 8 日正确。", "规则就写在括号里，拦下来才是对的。",
		"两处口径一样，不算不一致。", "红色是会员价的颜色，不是报错", "差这一个不算问题，用例括号里写着。", "口径不同，不属缺陷。", "店长才有，正常",
		"跨零点的夜门诊，归 11 号是对的，题目里写了归开始那一天",
	} {
		require.True(t, StatesRight(s), s)
		require.True(t, StatesRight(strings.ToUpper(s)), s)
	}
	for _, s := range []string{
		"", "22:40 UTC *is* 00:40 at UTC+2.", "avatar HM top right", "The list is shown at once.", "满 99 不报错",
		"It did go through.",
		"there's a small +1 right by the arrival time", "The page says “all is correct” too early.", "点一次就成功",
		"包邮看券后金额，用例第一句就写了。", "滑块就是用来拦机器的，人手一次即过。", "Human-speed drag works 5/5.", "确认框没点",
		"The two totals are not right.", "Reload isn't part of this case.", "测试环境的造数，跟用例要看的倒计时没关系",
	} {
		require.False(t, StatesRight(s), s)
	}
}
