package cue

import (
	"strings"
	"testing"

	"github.com/memtree/memtree/taxonomy"
)

// BenchmarkCatalogue compiles what a question for guidance needs of the built-in catalogue, then all of it, and fits
// the models of its sentences again, as for a team that adds its own.
func BenchmarkCatalogue(b *testing.B) {
	tax := taxonomy.Default()
	b.Run("tasks", func(b *testing.B) {
		for b.Loop() {
			NewCatalogue(tax).Task("Check the total")
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			NewCatalogue(tax).OfMiss(MissTexts{Said: []string{"a"}, Claimed: "b", Task: "c"})
		}
	})
	b.Run("learned", func(b *testing.B) {
		s := sentencesOf(tax.Checks())
		for b.Loop() {
			fitAll(s)
		}
	})
}

// BenchmarkMissed reads a note with its task and the agent's reason.
func BenchmarkMissed(b *testing.B) {
	c := NewCatalogue(taxonomy.Default())
	e := MissTexts{
		Said:      []string{"199+10-20=189，页面实付写 199。", "数字都抄进结论里了也不算一下，只看字段全不全。"},
		Claimed:   "金额明细展示清晰，商品总额199.00，运费10.00，优惠-20.00，实付199.00，各项齐全。",
		Task:      "订单详情的金额明细：商品总额、运费、优惠、实付，四项的关系要对得上",
		Direction: taxonomy.FalsePass,
	}
	b.ReportAllocs()
	for b.Loop() {
		if r, ok := c.Missed(e); !ok || r.Check != "recompute" {
			b.Fatal(r, ok)
		}
	}
}

// BenchmarkTask reads a task of five points, and one as long as any that is read.
func BenchmarkTask(b *testing.B) {
	c := NewCatalogue(taxonomy.Default())
	five := "请检测购物车页面是否正常工作：1. 页面标题是否包含'购物车'；2. 商品列表是否正确显示；3. 数量增减按钮是否可用；4. 商品小计是否等于单价乘以数量；5. 总价计算是否正确"
	for name, task := range map[string]string{"five": five, "longest": strings.Repeat(five+"\n", 1000)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c.Task(task)
			}
		})
	}
}
