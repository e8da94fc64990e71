package fact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/tree"
)

func TestItems(t *testing.T) {
	want := []string{"the title is wrong", "“Save; now” is disabled", "v1.2 is shown"}
	for _, note := range []string{
		"the title is wrong; “Save; now” is disabled; v1.2 is shown",
		"the title is wrong\n- “Save; now” is disabled\r\n\n• v1.2 is shown",
		"the title is wrong. “Save; now” is disabled. v1.2 is shown.",
		"1. the title is wrong 2. “Save; now” is disabled 3. v1.2 is shown",
		"1) the title is wrong\n2) “Save; now” is disabled\n3) v1.2 is shown",
		"（1）the title is wrong（2）“Save; now” is disabled（3）v1.2 is shown",
		"1、the title is wrong；2、“Save; now” is disabled；3、v1.2 is shown。",
	} {
		require.Equal(t, want, fact.Items(note), note)
	}
	require.Empty(t, fact.Items(" \n；"))
}

// TestExpect checks the recognized forms, and texts that resemble one.
func TestExpect(t *testing.T) {
	text := func(role, name, want, got string) tree.Expectation {
		return tree.Expectation{Where: tree.Where{Role: role, Name: name}, Property: tree.OfText, Expected: want, Seen: got}
	}
	state := func(role, name, want, got string) tree.Expectation {
		return tree.Expectation{Where: tree.Where{Role: role, Name: name}, Property: tree.OfState, Expected: want, Seen: got}
	}
	for note, want := range map[string][]tree.Expectation{
		`The heading reads "Cart" instead of "Basket".`: {text("heading", "", "Basket", "Cart")},
		`“优惠券”写成了“优惠卷”`:                                 {text("", "优惠券", "优惠券", "优惠卷")},
		`标题'对话框组件'应为'模态框组件'`:                            {text("heading", "", "模态框组件", "对话框组件")},
		`The Help button is disabled`:                   {state("button", "Help", tree.Enabled, tree.Disabled)},
		`页面底部缺少返回首页的链接`:                                 {state("link", "返回首页", tree.Present, tree.Absent)},
		`Items shows 4, should be 3`: {{Where: tree.Where{Name: "Items"}, Property: tree.OfValue, Expected: "3",
			Seen: "4"}},
		`小计没有乘以数量`: {{Property: tree.OfRelation, Expected: tree.PriceTimesQuantity}},
		`搜索框占位符显示为'输入'而不是'搜索商品'`: {{Where: tree.Where{Role: "textbox", Name: "搜索框占位符"}, Property: tree.OfAttribute,
			Expected: "placeholder=搜索商品", Seen: "placeholder=输入"}},
		`占位符文字错误`: nil, `范围行显示不正确`: nil, `按钮仍显示为可点击的“挂号”`: nil, `The button is not disabled while saving`: nil,
		`The close button should be disabled`: nil, `缺少加载反馈`: nil, `VAT is calculated at 10% ($109.90) instead of 20%`: nil,
		`it is shown in red instead of blue`: nil,
	} {
		got := fact.Expect(note, "")
		for i := range got {
			require.NotEmpty(t, got[i].From)
			require.Contains(t, note, got[i].From, "what it was read from stands in the note")
			got[i].From = ""
		}
		require.Equal(t, want, got, note)
	}
}

// TestExpectOfNotesInOnePiece: a note has the same expectations whether its defects are a list or joined to one text.
func TestExpectOfNotesInOnePiece(t *testing.T) {
	defects := []string{"标题错误显示为'对话框组件'而不是'模态框组件'", "按钮文字显示为'关闭'而不是'取消'", "页面底部缺少返回首页的链接",
		"保存按钮被禁用，无法点击", "总数显示1,204，应为1,240"}
	var want []tree.Expectation
	for _, d := range defects {
		want = append(want, fact.Expect(d, "")...)
	}
	require.Len(t, want, len(defects))
	numbered := ""
	for i, d := range defects {
		numbered += fmt.Sprintf("%d. %s ", i+1, d)
	}
	for _, by := range []string{"；", "，", "。", "\n", ";", ". "} {
		require.Equal(t, want, fact.Expect(strings.Join(defects, by), ""), by)
	}
	require.Equal(t, want, fact.Expect(numbered, ""))
}

// TestExpectInADialog: a button may be in what the task opens, so the page as it opens is no evidence about its text.
func TestExpectInADialog(t *testing.T) {
	const note, page = "确认按钮文字显示为'取消'而不是'确定'", "- heading \"订单\"\n- button \"取消\"\n- text: 一\n- text: 二\n"
	for prompt, state := range map[string]fact.CheckState{
		"1. 确认按钮文字是否为'确定'": fact.Broken, "1. 点击打开按钮是否弹出对话框；2. 确认按钮文字是否为'确定'": fact.Unknown,
	} {
		require.Equal(t, state, fact.Read(page).Hold(expected(prompt, note)[0]).State, prompt)
	}
}

func FuzzExpect(f *testing.F) {
	f.Add("1. 'A' 显示为 'B'；2. 'C' is disabled, 4 instead of 3", "1. 是否显示'D'")
	f.Add("（1）缺少“x”（2）\xff", "\ue000\ue0c8")
	f.Fuzz(func(t *testing.T, note, prompt string) {
		list := fact.Expect(note, prompt)
		require.LessOrEqual(t, len(list), tree.MaxExpectations)
		for _, e := range list {
			require.NoError(t, e.Check())
		}
		fact.Items(note)
		require.Equal(t, list, fact.Expect(note, prompt))
	})
}
