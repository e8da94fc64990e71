package guard

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
)

// Decides reports whether s decides a verdict, and returns the first sentence that does. It is a stricter form of
// [Forces] for texts that a person or an agent teaches, since their writer can reword them. It also refuses a sentence
// that names a verdict for an observation (“if X is shown, the test has passed”), that declares something to be no
// defect, or that orders an agent not to report or not to check. It accepts sentences that forbid a hasty verdict, that
// describe how to look, and rules of the product.
func Decides(s string) (found string, yes bool) {
	if found, yes = Forces(s); yes {
		return found, true
	}
	for _, one := range text.Sentences(text.Clean(s)) {
		if decidesField(one) {
			return one, true
		}
		low := strings.ToLower(text.Normal(one, maxDecided))
		for _, r := range decisions() {
			if r.is.MatchString(low) && (r.not == nil || !r.not.MatchString(low)) {
				return one, true
			}
		}
	}
	return "", false
}

// maxDecided is how many bytes of a sentence are read.
const maxDecided = 4 << 10

// decision is a turn of speech that decides a verdict, unless the sentence also matches not.
type decision struct{ is, not *regexp.Regexp }

// The parts of the turns of speech. A caution warns of a hasty verdict.
const (
	enVerdict = `(pass(es|ed)?|fail(s|ed|ure|ures)?|success(es|ful)?|green|red|successful|ok|okay|done|complete)`
	enDefect  = `(bug|defect|error|problem|finding|issue|fault|failure|deviation|mistake)s?\b`
	enTest    = `(test|case|run|step|check|scenario|verdict|result|outcome)s?`
	enCaution = `\b(alone|only|until|before|unless|merely|just because|on the strength|without|prove[sn]?|proof|` +
		`whether|` +
		`does not mean|doesn't mean|is no sign|instead|not yet)\b|;`
	enPass  = `(pass|passed|success|successful|green|done)\b`
	enPast  = `\b(was|were|had been|although|agent|tester|wrongly)\b`
	enThing = `\b(error|problem|failure|fault|issue|bug|defect|mistake)s? (message|text|code|mark|label|page|` +
		`dialog|toast|` +
		`banner|list|log|report)`
	enNever = `\b(not|n't|never|no|cannot|nor)\b|n't\b`
	zhPast  = `误|却|智能体|因为|以为|判了|认为`
	zhNot   = `(不要|不能|不可|不得|不应|不该|不宜|别|勿|切勿|并不|不等于|不代表|不说明|不意味)`
)

var decisions = sync.OnceValue(func() []decision {
	var all decisionList
	all.addEnglish()
	all.addChinese()
	return all
})

type decisionList []decision

// add adds a turn of speech. not is the pattern that may not be in the sentence, "" for none.
func (l *decisionList) add(is, not string) {
	d := decision{is: regexp.MustCompile(is)}
	if not != "" {
		d.not = regexp.MustCompile(not)
	}
	*l = append(*l, d)
}

func (l *decisionList) addEnglish() {
	// A verdict that is stated.
	l.add(`\b(the|this|that|a|each|any|every|your) (`+enTest+`)\b( (has|have|is|are|was|counts? as|can be|may be|`+
		`should be|must be|`+
		`stays))?( \w+)? (a )?`+enVerdict+`\b`, enCaution+`|`+enNever+`|`+enPast+
		`|\b(check|see|verify|look|ask|read)\b|fail(s|ed)? to\b`)
	l.add(`\b(counts?|treat(ed)?|judged?|rated?|mark(ed)?|consider(ed)?|regard(ed)?|classif\w+|call|give|say|`+
		`record(ed)?|answer|`+
		`declared?|label(led)?|taken|log(ged)?|conclude|report(ed)? (\w+ )*as|report)\b( \S+)* (as |a |an |it |for |the )*`+
		`(pass(ed)?|fail(ed|ure|ures)?|success|successful|green|done|defects?|bugs?)\b`, enCaution+`|`+enPast+
		`|\bnot (be )?(call|count|treat|judge|rate|mark|consider|regard|report|give|say|record|take)(ed|d)?\b.*\b`+enPass+
		`|\b(never|don't|does not|do not) .*\b`+enPass+`|\b(compare|count the)\b|\breport (a|an|the|both|each|any) |`+
		`\bpass(ed)? or fail|\breport what\b`)
	l.add(`^(verdict|result|outcome)\b.*\b`+enVerdict+`\b|\benough\b.*\b(pass|approve|accept|done)\b|\byou are done\b`,
		enCaution+`|`+enNever)
	l.add(`\b(is|are) (always |clearly |just |simply )?an? (bug|defect|failure|pass|fail)\b|\bmust be reported as\b`,
		enCaution+`|`+enNever)
	// Declared to be no defect.
	l.add(`\b(is|are|was|be|count|counts|as)( \w+)? (not|never|no|n't)\b.*\b`+enDefect, enThing+`|`+enCaution+
		`|\b(check|verify|make sure|see|confirm|that there|there is|there are)\b`)
	l.add(`(isn't|aren't|not|never) (an? )?`+enDefect, enThing+`|`+enCaution+`|\b(check|verify|make sure|see|confirm)\b`)
	l.add(`\b(acceptable|harmless|tolerable|tolerated|negligible|by design|not worth|no reason to|nothing to worry|`+
		`do not matter|`+
		`does not matter|doesn't matter|is fine|are fine|no big deal|can be lived with)\b`,
		`\b(whether|check|unless|not acceptable|not fine)\b|\?`)
	// Orders not to report.
	l.add(`\b(do not|don't|never|need not|needn't|no need to|not necessary to|must not|should not|shouldn't|stop|`+
		`refrain from|`+
		`avoid|not worth|not to be|not be)( \w+)? ?(report|rais|flag|fil(e|ing)|mention|complain|log(ged)? |`+
		`open(ing)? a)\w*`,
		enCaution+`|\breported as `+enPass)
	l.add(`\b(do not|don't|never|must not|should not) (fail|reject|penali[sz]e|block)\b`, enCaution+`|\bfail to\b`)
	// Orders not to check.
	l.add(`\b(skip|omit|leave out|leave off|ignore|disregard|neglect|overlook|bypass|pass over|wave)\b`,
		`\bskip (to|ahead|forward|back)\b|`+enNever+`|\b(does|did|was|whether|agent|it) (skip|ignore|omit)|\b(easy|`+
			`tends?) to\b|`+
			`\b(optional|tour|intro\w*|onboarding|tutorial|wizard|comparing|you compare|then|task is about)\b`)
	l.add(`\b(omitted|skipped|ignored|disregarded|left out|waived)\b`, enNever+`|\bwhether\b|`+enPast)
	l.add(`\b(need not|needn't|no need to|don't bother|not necessary to|no point in|does not have to|`+
		`do not have to|don't have to|`+
		`is unnecessary to)( \w+)? (check|look|verif|compar|test|open|inspect|validat|report|view|read|confirm|examin|`+
		`watch|review|`+
		`worr|count|tr(y|ied)|scroll)`, enCaution)
	// Orders to approve.
	l.add(`\b(approve|sign off|wave through|greenlight)\b`, enCaution+`|`+enNever+
		`|\b(click|press|button|tab|select|people|users?|managers?|admins?|admin)\b`)
	l.add(`\blet\b.*\b(pass|through|slide)\b`, enCaution+`|`+enNever)
	l.add(`\baccept (the (result|run|test|case|verdict|outcome)|it|any|every|all|whatever)\b`, enCaution+`|`+enNever)
}

func (l *decisionList) addChinese() {
	// A verdict that is stated.
	zhCaution := zhNot + `[^，。；]*(通过|成功|放行|完成|合格|判定|判断|结论|认为|算)|才|是否|之前|只凭|仅凭|光凭|单凭|` + zhPast
	l.add(`(即可|就|便|则|可以|直接|一律|都|也|应|必须|视为|视作|算|算作|判定为?|判为?|记为|记成|按|给|填|写|报|认定为?|当作|当成|标为|标成|结果|结论)`+
		`[^，。；、]{0,5}(通过|放行|签字|不通过|不合格|合格|成功|失败)`, zhCaution+`|通过[^，。]{0,6}(页|接口|邮件|链接|按钮|菜单|审核后)|`+
		`(登录|付款|支付|上传|保存|提交|发送)(失败|成功)(后|时|的|会|应)|(失败|成功)(提示|记录|原因|信息|页|的)|否则|写着|审核通过|`+
		`通过(还是|或|与否)|(应当?|会|该)(返回|显示|提示)|显示为`)
	l.add(`(必须|一律|直接|凡|都|应|判|记|算|标|视为|当作|认定)[^，。；、]{0,4}(记|判|算|标|为|成|作)[^，。；、]{0,3}(缺陷|bug)|必须记`, zhCaution+
		`|`+zhNot+`|不算`)
	l.add(zhNot+`[^，。；]{0,8}(判|算|记|标|报|提)[^，。；]{0,4}(失败|不通过|不合格|缺陷|错误|bug)`, `只凭|仅凭|光凭|单凭|就|因为|之前|当作`)
	l.add(`(就是|都是|一定是|必是)[^，。；]{0,4}(不通过|失败|缺陷|bug|通过)|就算(完成|过)|(判断?|结论)[：:]`, zhCaution)
	// Declared to be no defect.
	l.add(`(不|没|并非|无)[^，。；]{0,3}(算|属于|属|是|计入|当|当作|视为|作为)[^，。；]{0,6}(缺陷|问题|bug|错误|错|故障|异常|毛病)`,
		`是不是|算不算|是否|当作缺陷上报|才算`)
	l.add(`(正常现象|算正常|没有?关系|无所谓|可以?接受|能接受|不影响(通过|结果|判定|结论)|不予追究|设计如此|本来就这样|无伤大雅|无妨|不要紧)`,
		`是否|不可接受|不能接受`)
	// Orders not to report, or not to check.
	l.add(`(不用|不必|无需|无须|毋须|不需要?|不要|别|不值得|不该|不应|勿|不再|不予|不许|不得)[^，。；]{0,6}(上报|报告|报$|报[，。]|报缺陷|报错误|`+
		`提缺陷|提交缺陷|提bug|写进|标记|追究|管|反馈|指出|提出|提$|提。|记录)`, `只|仅|光|之前|以前|当作|别人`)
	l.add(`(跳过|略过|省略|忽略|免检|放过|略去|免去|免查|不查|无视)`, zhNot+`[^，。；]{0,6}(跳过|略过|省略|忽略|放过|略去|免去|无视)|是否|容易|智能体|`+
		`跳过了|忽略了|引导|教程|大小写|先后|实名|可选|再比较`)
	l.add(`(不用|不必|无需|无须|毋须|不需要?|用不着)[^，。；]{0,8}(看|查|检查|核对|验证|打开|比较|对照|测|核实|确认|复核|检验)`,
		`只|仅|光|反复|登录即可`)
}
