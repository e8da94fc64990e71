package fact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func TestKindsAreThoseOfTheTaxonomy(t *testing.T) {
	require.Equal(t, taxonomy.FactKinds, []string{
		string(fact.Control), string(fact.Input), string(fact.Product), string(fact.Set), string(fact.Text),
		string(fact.There), string(fact.Value),
	})
}

const shop = `- main:
  - heading "Cart" [level=1]
  - text: Items 3 Weight 12
  - textbox "Coupon":
    - /placeholder: Cart
  - button "Apply" [disabled]
  - button "Gift wrap" [disabled]
  - button "Undo" [disabled]
  - button "Help"
  - paragraph: $20.00
  - text: "2"
  - paragraph: $40.00
  - 'text: "Total: $40.00"'
  - link "Home":
    - /url: /
`

func TestHold(t *testing.T) {
	mail := strings.NewReplacer("Gift wrap\" [disabled]", "Gift wrap\"", "$40.00\n  - 'text",
		"$20.00\n  - 'text").Replace(shop)
	for name, c := range map[string]struct {
		defect, prompt, page string
		state                fact.CheckState
		line                 int
	}{
		"instead of, broken":    {`The heading reads "Cart" instead of "Basket".`, "", shop, fact.Broken, 2},
		"instead of, right":     {`The heading reads "Basket" instead of "Cart".`, "", shop, fact.Holds, 2},
		"should be":             {`The heading should be "Cart" but it says "Basket".`, "", shop, fact.Holds, 2},
		"of another role":       {`The button says "Home" instead of "Start".`, "", shop, fact.Unknown, 0},
		"label beside a number": {`Items shows 4 instead of 3.`, "", shop, fact.Holds, 3},
		"number that is shown":  {`Items shows 3, should be 4.`, "", shop, fact.Broken, 3},
		"number of the next":    {`Items shows 12 instead of 7.`, "", shop, fact.Unknown, 0},
		"disabled":              {`The "Gift wrap" button is disabled.`, "", shop, fact.Broken, 7},
		"enabled":               {`The "Gift wrap" button is disabled.`, "", mail, fact.Holds, 7},
		"rightly disabled":      {`The Undo button is disabled.`, "", shop, fact.Unknown, 0},
		"nothing typed yet":     {`The Apply button is disabled.`, "", shop, fact.Unknown, 0},
		"should be disabled":    {`The Help button is not disabled while saving.`, "", shop, fact.Unknown, 0},
		"missing":               {`The Imprint link is missing.`, "", shop, fact.Broken, 0},
		"there":                 {`The Home link is missing.`, "", shop, fact.Holds, 14},
		"later":                 {`After a click on Help the Close button is missing.`, "", shop, fact.Unknown, 0},
		"later in the task": {`The Close button is missing.`, "1. Open the dialog, is there a Close button?", shop,
			fact.Unknown, 0},
		"of a property":         {`The heading reads "/" instead of "Cart page".`, "", shop, fact.Unknown, 0},
		"product":               {`The subtotal is not multiplied by the quantity.`, "", shop, fact.Holds, 12},
		"product, broken":       {`The subtotal is not multiplied by the quantity.`, "", mail, fact.Broken, 12},
		"empty page":            {`The Home link is missing.`, "", "- main:\n  - progressbar\n", fact.Unknown, 0},
		"words of no page":      {`The banner is shown in red instead of blue.`, "", shop, fact.Unknown, 0},
		"Chinese, broken":       {"删除按钮的文字错误显示为'保存'而不是'删除'", "", "- button \"保存\"\n- text: 删除", fact.Broken, 1},
		"Chinese, quoted first": {"分组标题错误（'系统设置'显示为'显示设置'）", "", "# 系统设置\n蓝牙", fact.Holds, 1},
		"a task that quotes":    {"用户名显示错误", "1. 用户名是否为'张小明'", "张小明", fact.Unknown, 0},
		"a month in words":      {"标题错误（显示'3月'而不是'2月'）", "", "# 二月\n1\n2", fact.Holds, 1},
		"a number in a number":  {"价格显示为¥199（应为¥99）", "", "¥1,199\n¥299", fact.Unknown, 0},
		"label with a colon":    {"已完成显示为2项（实际应为1项）", "", "总计: 3 项 已完成: 2 项 未完成: 1 项", fact.Broken, 1},
		"numbers before labels": {"粉丝显示256（实际应为1024）", "", "128 帖子 1,024 粉丝 256 关注", fact.Holds, 1},
		"a listing with types":  {"密码输入框类型为text", "", "密码\n[输入框 type=text 占位=请输入密码]", fact.Broken, 2},
		"a listing, another": {"The password field has type text", "", "Password\n[input type=password Password]",
			fact.Holds, 2},
	} {
		t.Run(name, func(t *testing.T) {
			page, decided := fact.Read(c.page), fact.Finding{}
			for _, e := range expected(c.prompt, c.defect) {
				if f := page.Hold(e); f.State != fact.Unknown {
					decided = f
				} else {
					require.NotEmpty(t, f.Why)
				}
			}
			require.Equal(t, c.state.String(), decided.State.String(), "%+v", expected(c.prompt, c.defect))
			require.Equal(t, c.line, decided.Line)
		})
	}
}

// expected returns the expectations of a case whose ground truth lists the defects.
func expected(prompt string, defects ...string) []fact.Expected {
	n := tree.Node{Direction: taxonomy.FalsePass, CaseData: &tree.CaseData{TestCase: tree.TestCase{Prompt: prompt}}}
	for _, d := range defects {
		n.CaseData.Misses = append(n.CaseData.Misses, tree.Miss{Expect: fact.Expect(d, prompt)})
	}
	return fact.Of(&n)
}

func FuzzHold(f *testing.F) {
	f.Add(shop, `The heading reads "Cart" instead of "Basket". Items shows 4, should be 3.`, "1. is the title 'Cart'?")
	f.Add("[按钮 禁用 添加]\n# 标题\n总计: 3 项", "添加按钮被禁用；'甲'显示为'乙'；总计显示为2项（应为3项）；缺少'丙'链接", "标题是否为'丁'")
	f.Add("- text: \"\xff\"\n- '", "'", "\ue000\ue0c8")
	f.Fuzz(func(t *testing.T, observation, defect, prompt string) {
		page := fact.Read(observation)
		lines := strings.Count(observation, "\n") + 1
		for _, e := range expected(prompt, defect) {
			got := page.Hold(e)
			require.Equal(t, got, fact.Read(observation).Hold(e))
			require.LessOrEqual(t, got.Line, lines)
			if got.State == fact.Unknown {
				require.NotEmpty(t, got.Why)
			}
			denied := fact.Read("- /check " + e.ID() + ": broken text\n" + observation).Hold(e)
			require.NotEqual(t, fact.Holds, denied.State, "somebody looked, and it is broken")
		}
	})
}

func BenchmarkHold(b *testing.B) {
	page, defects := strings.Repeat(shop, 40),
		[]string{`The heading reads "Cart" instead of "Basket".`, `Items shows 4 instead of 3.`,
			`The "Gift wrap" button is disabled.`}
	b.ReportAllocs()
	for b.Loop() {
		p := fact.Read(page)
		for _, e := range expected("", defects...) {
			p.Hold(e)
		}
	}
}

func BenchmarkExpect(b *testing.B) {
	const note = "The judge accepted a page on which the total was still loading, and the amounts were not compared"
	for b.Loop() {
		fact.Expect(note, "Open the cart and check that the total is right")
	}
}
