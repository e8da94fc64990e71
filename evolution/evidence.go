package evolution

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// grounding: a lesson speaks of what its cases speak of, and at least one of them
// of more than judging in general. Of many cases a sample is read; what a strategy
// says of its experiences they have from their own cases.
func grounding(e *Evolver, j *job, d *draft) string {
	said := map[string]map[string]bool{}
	for _, n := range append(evenly(j.members, maxRest), j.shown...) {
		if said[n.ID] == nil {
			said[n.ID] = tokenSet(evidence(n))
		}
	}
	lessons := map[string]bool{}
	for _, n := range j.parts {
		for _, s := range textsOf(n) {
			maps.Copy(lessons, tokenSet(s))
		}
	}
	kind, _ := e.o.Taxonomy.ErrorType(j.partition.ErrorType)
	checklist := tokenSet(strings.Join([]string{kind.Checklist.EN, kind.Checklist.ZH, kind.Brief.EN, kind.Brief.ZH}, "\n"))
	specific := false
	for i, l := range d.Lessons {
		if e.boiler.strip(l.Check) == "" && e.boiler.strip(l.Instead) == "" {
			continue // the taxonomy's own words
		}
		all, held := 0, 0
		for w := range tokenSet(l.Check + " " + l.Instead) {
			if general()[w] || framed()[w] || checklist[w] {
				continue
			}
			all++
			if lessons[w] || slices.ContainsFunc(l.Cites, func(id string) bool { return said[id][w] }) {
				held++
			}
		}
		if all > 0 && float64(held) < leastGrounding*float64(all) {
			return j.because("of the telling words of lesson %d, %d of %d stand in the cases it cites; say it in the words of the cases",
				"第 %d 条的关键词中，只有 %d 个（共 %d 个）出现在它引用的案例里；请用案例中的说法", i+1, held, all)
		}
		specific = specific || held > 0
	}
	if !specific {
		return j.because("the lessons say nothing that is particular to these cases", "这些教训没有说出这些案例特有的内容")
	}
	return ""
}

// textsOf are what a lesson says, its title among it.
func textsOf(n *tree.Node) []string {
	out := []string{n.Content.Title}
	for _, l := range n.Content.Lessons {
		out = append(out, l.Check, l.Instead)
	}
	return out
}

func tokenSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range text.Tokens(s) {
		out[w] = true
	}
	return out
}

// evidence is all a case says.
func evidence(n *tree.Node) string {
	d := n.CaseData
	return strings.Join([]string{
		d.TestCase.Prompt, d.ActualError, d.ErrorReason, d.AvoidanceHint, d.EvaluatorReason, text.Clip(d.AgentJudgment, 4000), n.Scene.Type, n.Scene.Route,
	}, "\n")
}

var literal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)https?://\S+|\bwww\.\S+|\S+@\S+\.\w+|[#$€£¥]?[\w.:/-]*\d[\w.:/%-]*`)
})

// literals: no id, address or number that belongs to one test.
func literals(_ *Evolver, j *job, d *draft) string {
	for _, s := range d.texts() {
		for _, v := range literal().FindAllString(s, -1) {
			v = strings.Trim(v, ".,;:，。；：")
			if v != "" && testsWith(j.members, v) < leastTests {
				return j.because("%q belongs to one test; name things in general", "%q 只属于一个测试；请用一般说法", text.Clip(v, 40))
			}
		}
	}
	return ""
}

func testsWith(cases []*tree.Node, v string) int {
	v = strings.ToLower(v)
	seen := map[string]bool{}
	for _, n := range cases {
		if strings.Contains(strings.ToLower(evidence(n)), v) {
			seen[testOf(n)] = true
		}
	}
	return len(seen)
}

// truth: nothing that is the result of one test. What the prompts of two tests
// say anyway gives nothing away.
func truth(_ *Evolver, j *job, d *draft) string {
	all := strings.ToLower(strings.Join(d.texts(), "\n"))
	for _, n := range j.members {
		for _, v := range values(n.CaseData.TestCase.GroundTruth) {
			if !strings.Contains(all, v) || general()[v] {
				continue
			}
			in := map[string]bool{}
			for _, o := range j.members {
				if strings.Contains(strings.ToLower(o.CaseData.TestCase.Prompt), v) || slices.Contains(values(o.CaseData.TestCase.GroundTruth), v) {
					in[testOf(o)] = true
				}
			}
			if len(in) < leastTests {
				return j.because("it says what is true in one test (%d characters of its ground truth); leave that out",
					"透露了某个测试的正确答案（其中 %d 个字符）；请去掉", utf8.RuneCountInString(v))
			}
		}
	}
	return ""
}

// values are the telling texts of a ground truth, lower case: four characters or
// more, two in Chinese, names of actions and fields left out.
func values(truth tree.Raw) []string {
	var v any
	if truth.Null() || truth.Check() != nil || json.Unmarshal(truth, &v) != nil {
		return nil
	}
	var out []string
	var walk func(v any, field string)
	walk = func(v any, field string) {
		switch v := v.(type) {
		case string:
			s := strings.ToLower(strings.TrimSpace(v))
			least := 4
			if han(s) {
				least = 2
			}
			named := slices.Contains([]string{"name", "action", "tool", "function", "type"}, field)
			if !named && utf8.RuneCountInString(s) >= least && !plainVerdict(s) {
				out = append(out, s)
			}
		case []any:
			for _, x := range v {
				walk(x, "")
			}
		case map[string]any:
			for k, x := range v {
				walk(x, k)
			}
		}
	}
	walk(v, "")
	slices.Sort(out)
	return slices.Compact(out)
}

// plainVerdict reports whether a value is a verdict or a grade and tells nothing.
func plainVerdict(s string) bool {
	return !strings.ContainsFunc(s, unicode.IsDigit) && len(strings.Fields(s)) == 1 &&
		strings.Contains(" pass passed fail failed failure success successful true false none null correct incorrect wrong right high medium low critical major minor normal error warning info unknown other 通过 失败 成功 正确 错误 正常 异常 缺陷 严重 一般 轻微 其他 ", " "+s+" ")
}
