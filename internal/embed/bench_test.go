package embed_test

import (
	"testing"

	"github.com/memtree/memtree/internal/embed"
)

func BenchmarkVectorEnglish(b *testing.B) {
	vector(b, "The agent clicked the Submit button before waitForSelector had finished loading the page.")
}

func BenchmarkVectorChinese(b *testing.B) {
	vector(b, "页面还没加载完就点击了登录按钮，验证码输入错误但仍提示成功")
}

func vector(b *testing.B, s string) {
	b.Helper()
	t := table(b)
	b.ReportAllocs()
	for b.Loop() {
		t.Vector(s)
	}
}

// BenchmarkRead includes the copy and the hash, which Default does without.
func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := embed.Read(file); err != nil {
			b.Fatal(err)
		}
	}
}
