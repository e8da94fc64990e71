package text_test

import (
	"strings"
	"testing"

	"github.com/memtree/memtree/internal/text"
)

var (
	english = strings.Repeat("The agent clicked the Submit button before waitForSelector had finished loading "+
		"https://example.com/orders/42. ", 10)
	chinese = strings.Repeat("页面还没加载完就点击了登录按钮，验证码输入错误但仍提示成功；点击Submit按钮后表单没有提交。", 10)
)

func BenchmarkTokensEnglish(b *testing.B) { each(b, english, func(s string) { text.Tokens(s) }) }
func BenchmarkTokensChinese(b *testing.B) { each(b, chinese, func(s string) { text.Tokens(s) }) }
func BenchmarkCleanNothing(b *testing.B)  { each(b, chinese, func(s string) { text.Clean(s) }) }
func BenchmarkWidth(b *testing.B)         { each(b, chinese, func(s string) { text.Width(s) }) }
func BenchmarkShingles(b *testing.B)      { each(b, english, func(s string) { text.Shingles(s, 5) }) }

func each(b *testing.B, s string, f func(string)) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		f(s)
	}
}
