package gate

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
)

var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("“([^”]{1,120})”|\"([^\"]{1,120})\"|「([^」]{1,120})」|『([^』]{1,120})』|" +
		"‘([^’]{2,120})’|`([^`]{1,120})`|《([^》]{1,120})》|(?:^|[\\s(:])'([^']{2,120})'")
})

// quotedIn returns what stands between quotation marks, in lower case.
func quotedIn(s string) []string {
	var out []string
	for _, m := range quoted().FindAllStringSubmatch(s, -1) {
		for _, q := range m[1:] {
			if q = strings.ToLower(strings.Trim(q, " .,;:!?。，；：！？")); q != "" {
				out = append(out, q)
			}
		}
	}
	return out
}

// labels are texts of controls that half of all pages have; they belong to no test.
var labels = set(`save cancel ok submit edit delete remove add next back close search apply reset confirm login logout
yes no open done continue undo copy new filter export import total
保存 取消 确定 提交 编辑 删除 新增 添加 下一步 上一步 返回 关闭 搜索 查询 重置 确认 登录 退出 合计 总计 小计 全部 全选 可用 可点 应为 成功 失败 保存成功 操作成功 提交成功 已保存 必填 加载中 请稍候
无数据 暂无数据`)

const longName = 3 // words that make a name long; see long and inOneTask for Chinese

// quotes refuses a quotation that belongs to one test, and a long name of one test even
// without quotation marks. A condition may quote the words by which one knows a task,
// and a lesson may name the things on which its check was missed.
func quotes(_ *Gates, v *view) string {
	reason := taxonomy.Text{EN: "%q is the wording of one test; name things in general", ZH: "“%s”是某一个测试里的文字；请用一般说法"}
	names := v.names()
	when := append(slices.Clone(v.draft.AppliesWhen), v.draft.NotWhen...)
	for _, s := range v.draft.Texts() {
		for _, q := range quotedIn(s) {
			if ordinary(q) || v.things[q] {
				continue
			}
			if names[q] == 1 || v.inTruth(q) || !slices.Contains(when, s) && v.inOneTask(q) {
				return v.because(reason, text.Clip(q, 40))
			}
		}
		low := strings.ToLower(s)
		for _, name := range sorted(names) {
			if names[name] == 1 && !v.things[name] && long(name) && hasWord(low, name) {
				return v.because(reason, text.Clip(name, 40))
			}
		}
	}
	return ""
}

// ordinary reports whether a quotation can belong to no test: it is one of labels, or
// has only words that all testing shares.
func ordinary(q string) bool { return labels[q] || len(telling(q)) == 0 && !long(q) }

// names returns the quotations of tasks and ground truths and the long ones of notes,
// each with the number of tests in which it stands, quoted or not. What the agent quoted
// is left out, because it belongs to no test.
func (v *view) names() map[string]int {
	out := map[string]int{}
	for _, e := range v.cases {
		quoted := quotedIn(e.prompt + "\n" + strings.Join(e.truth, "\n"))
		for _, q := range quotedIn(e.said) {
			if long(q) {
				quoted = append(quoted, q)
			}
		}
		for _, q := range quoted {
			if _, known := out[q]; !known {
				out[q] = v.testsWith(func(o *evidence) bool { return strings.Contains(o.all, q) })
			}
		}
	}
	return out
}

// inOneTask reports whether the task or the note of exactly one test has a
// quotation of more than one word.
func (v *view) inOneTask(q string) bool {
	return (strings.Contains(q, " ") || hanCount(q) > longName) && v.testsWith(func(e *evidence) bool {
		return hasWord(strings.ToLower(e.prompt+"\n"+e.said), q)
	}) == 1
}

func sorted(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// long reports whether a name has at least three words or six Chinese characters.
func long(name string) bool {
	return len(strings.Fields(name)) >= longName || hanCount(name) > longName+2
}

// inTruth reports whether the ground truth of exactly one test has a quotation.
func (v *view) inTruth(q string) bool {
	return utf8.RuneCountInString(q) > 1 && v.testsWith(func(e *evidence) bool {
		return slices.ContainsFunc(e.truth, func(s string) bool { return hasWord(strings.ToLower(s), q) })
	}) == 1
}

// truth refuses a draft with a text of one test's ground truth. A text that two tests
// have in their prompts or ground truths gives nothing away.
func truth(_ *Gates, v *view) string {
	all := strings.ToLower(strings.Join(v.draft.Texts(), "\n"))
	for _, e := range v.cases {
		for _, s := range e.truth {
			s = strings.ToLower(strings.TrimSpace(s))
			if !telltale(s) || v.things[s] || !strings.Contains(all, s) {
				continue
			}
			known := func(o *evidence) bool {
				return strings.Contains(strings.ToLower(o.prompt), s) || slices.Contains(o.truth, s)
			}
			if v.testsWith(known) < leastTests {
				return v.because(taxonomy.Text{
					EN: "it says what is true in one test (%d characters of its ground truth); leave that out",
					ZH: "透露了某个测试的正确答案（其中 %d 个字符）；请去掉",
				}, utf8.RuneCountInString(s))
			}
		}
	}
	return ""
}

// telltale reports whether a value of a ground truth tells something: it is long enough,
// and is no verdict, no grade and nothing that all testing shares.
func telltale(s string) bool {
	least := 4
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		least = 2
	}
	if utf8.RuneCountInString(s) < least || labels[s] {
		return false
	}
	return strings.ContainsFunc(s, unicode.IsDigit) || len(telling(s)) > 0 && !grades[s]
}

var grades = set("true none null high medium low critical major minor normal warning info unknown other 严重 一般 轻微 其他")
