package run_test

import (
	"strings"
	"testing"

	"github.com/memtree/memtree/run"
)

func BenchmarkKindOf(b *testing.B) {
	s := strings.Repeat("The page has loaded and shows a list of products with names; I look at the next one. ", 1000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		run.KindOf(s)
	}
}
