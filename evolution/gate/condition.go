package gate

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// everywhere matches a condition that holds for every test. It makes all other
// conditions pointless.
var everywhere = sync.OnceValue(func() *regexp.Regexp {
	thing := `(?:kind of |type of |single )?(?:page|test|task|case|test case|screen|run|scenario|step|action|operation|` +
		`click|situation|product|feature|time|ui|interface|website|app|application|verdict|check)s?\b`
	return regexp.MustCompile(`(?i)\b(?:any|every|all|each|whatever|no matter (?:which|what)|` +
		`regardless of (?:the )?)\s*(?:of )?(?:the |an? )?` + thing +
		`|\b(?:everywhere|in all cases|at all times|always applies|anything)\b` +
		`|(?:所有|任何|任意|每个|每一个|每条|每一条|一切|全部|各种|各类|无论什么|不管什么|凡是)(?:的)?(?:类型的|类型|种类的)?(?:测试用例|用例|页面|界面|测试|任务|操作|场景|情况|功能|步骤|` +
		`产品|网页|应用)|任何时候|任何情况|所有情况|随时|一直适用|始终适用|每次(?:测试|执行|判断|操作)`)
})

// always matches advice to do something everywhere.
var always = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:on|in|for|at|with|before|after|between) (?:every|each|any|all|` +
		`every single) (?:of the )?(?:single )?(?:pages?|tests?|tasks?|steps?|actions?|clicks?|screens?|test cases?)\b|` +
		`\beverywhere\b|\beverything with everything\b|\b(?:every|each) (?:page|test|task) (?:of|in|on) the\b|\b(?:all|` +
		`every) (?:pages?|roles?|texts?|numbers?|lists?|settings?|combinations?)\b[^.;]*\b(?:all|every) (?:pages?|roles?|` +
		`texts?|numbers?|lists?|settings?|combinations?|others?)\b` +
		`|(?:每|每个|每一|每一个|任何|任意|所有|一切)(?:步操作|步骤|步|页面|个页面|用例|测试|操作)[^。；]{0,4}(?:都|前后|之前|之后|均)|处处|到处`)
})

// breadth refuses a condition that holds for any test, and advice to do something
// everywhere.
func breadth(j *Gates, v *view) string {
	strategy := v.about.Type == tree.Strategy
	for _, s := range v.draft.AppliesWhen {
		if !strategy && broad(s) {
			return v.because(taxonomy.Text{EN: "%q holds for any test; say what tells these tasks from others",
				ZH: "“%s”对任何测试都成立；请写出这些任务与其他任务的区别"}, text.Clip(s, 60))
		}
	}
	for i, l := range v.draft.Lessons {
		if always().MatchString(l.Check) && !j.catalogued(v, &l) && !bounded().MatchString(l.Check) {
			return v.because(taxonomy.Text{EN: "lesson %d asks for it everywhere; say where it is worth it",
				ZH: "第 %d 条要求处处都做；请写明在什么地方做"}, i+1)
		}
	}
	return ""
}

// broad reports whether a condition holds for any test.
func broad(s string) bool {
	rest := everywhere().ReplaceAllString(s, " ")
	return everywhere().MatchString(s) && len(telling(rest)) < 3 && !bounded().MatchString(s) || empty(s)
}

// empty reports whether a condition only says that something is tested.
func empty(s string) bool {
	rest, _ := cut(s, plain().bareZH)
	for w := range bagOf(rest) {
		if !plain().bare[w] {
			return false
		}
	}
	return true
}

// bounded matches words after which a condition follows, or by which a text speaks
// about words instead of using them.
var bounded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:says?|asks?|names?|quotes?|mentions?|lists?|states?|if|when|where|whose|that|` +
		`which|before|until|unless)\b|如果|若|当|写明|写了|提到|列出|要求|之前|时[，,]|的话`)
})

// outcome matches what one can only know after a run: that there is a defect, that
// something will be overlooked, that the verdict is wrong.
var outcome = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:defect|bug|fault|defective|buggy|faulty)s?\b|\b(?:will|would|is going to|` +
		`is about to|gets?|was|were|has been|have been|is|are) (?:be |wrongly |falsely |otherwise |later |` +
		`likely (?:to be )?)*(?:skipped|missed|overlooked|misjudged|misread|mistaken|broken|forgotten|wrong|` +
		`incorrect|ignored)\b` +
		`|\bwill\b|\b(?:going|about|bound|likely) to\b|\b(?:silently|secretly|unnoticed|invisibly)\b|\b(?:misjudge[sd]?|` +
		`mistakenly|wrongly|erroneously|ground truth|false (?:pass|fail|alarm)|correct verdict|right verdict|true verdict|` +
		`in fact|in reality|actually|turns? out|secretly|hidden (?:bug|defect)|agent (?:has|had|was|will|did|does not|` +
		`doesn't|only|fails|failed|forgets|forgot|misses|missed|skips|skipped|thinks|thought|believes|believed|assumes|` +
		`assumed|overlooks|looks too|looked|judged|reported|took))\b` +
		`|\b(?:is|are|was|were) (?:wrong|incorrect|broken|faulty|misleading|inconsistent|dead|lost|outdated|not (?:saved|` +
		`stored|applied|right|correct|the same))\b|\b(?:server|backend|back end|database|api) (?:\w+ )?(?:fails|drops|` +
		`rejects|answers|ignores|loses|swallows)\b|\b(?:but|yet) (?:is|are|was|does|do|has) (?:not|in fact|really|` +
		`dead|disabled)\b` +
		`|缺陷|漏洞|悄悄|暗中|会(?:返回|报错|丢|吞|出错|失败|出问题|判错|看错)|\bbug\b|误判|漏判|误报|漏报|判错|看错|被漏|漏做|漏看|漏检|会漏|会被(?:跳过|忽略|遗漏)|将(?:会|被)|实际上|` +
		`其实|事实上|实际(?:已|并|没|不)|是错的|不对的|算错|有误|没有保存|没保存|未保存|丢失|丢了|被吞|坏了|已损坏|违反|误导|(?:后端|服务端|服务器|数据库|接口)[^。；，]{0,6}(?:失败|报错|丢|` +
		`没存|未写入|吞)|真实结果|正确答案|正确结论|智能体(?:没|未|漏|忽略|误|会|将|认为|以为|已经|忘)|出错的|有问题的|坏的那|错误的那|结论(?:是|为)?错`)
})

// asked matches a condition about what the task says; it may have the words of an
// outcome.
var asked = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:the |a |an )?(?:task|case|prompt|test|check|step)s? (?:\w+ )?(?:says?|asks?|` +
		`names?|mentions?|lists?|states?|is about|are about|requires?|wants?)\b|^(?:用例|任务|题目|要求|步骤)(?:里|中|明确)?(?:要求|写|提到|` +
		`列|说|让|给|规定|涉及|关于)`)
})

// knowable refuses a condition that nobody can check on the task and the page before
// the agent begins.
func knowable(_ *Gates, v *view) string {
	for _, s := range v.draft.AppliesWhen {
		if at := outcome().FindString(s); at != "" && !asked().MatchString(s) {
			return v.because(taxonomy.Text{EN: "nobody can tell beforehand whether “%s” holds (%q); " +
				"give a condition that the task or the page shows", ZH: "事先无法知道“%s”是否成立（%q）；请写从任务或页面就能看出的条件"}, text.Clip(s, 60),
				strings.TrimSpace(at))
		}
	}
	return ""
}
