package enhance

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/text"
)

// Unsafe reports whether a text speaks to the agent as its master rather than of
// a test: overrides of its instructions, changes of its role, demands for its
// secrets, and verdicts forced whatever the agent sees. reason continues the
// sentence "its text …". It is a sieve, not the wall: the wall is the fence.
func Unsafe(s string) (reason string, unsafe bool) {
	if len(s) > 16*maxRead {
		s = s[:16*maxRead]
	}
	s = strings.ToLower(text.Line(s))
	for i := range rules() {
		r := &rules()[i]
		if !r.called(s) {
			continue
		}
		for _, at := range r.pattern.FindAllStringIndex(s, 8) {
			if !r.negatable || !negated(s[:at[0]]) {
				return r.reason, true
			}
		}
	}
	return "", false
}

// rule is one pattern. It is tried only where one of its words stands, and one of
// those it goes with if it has any, since most texts have none and a pattern
// costs more than a look.
type rule struct {
	reason    string
	words     []string
	with      []string
	pattern   *regexp.Regexp
	negatable bool // "do not always pass" is a good lesson
}

func (r *rule) called(s string) bool {
	in := func(w string) bool { return strings.Contains(s, w) }
	return slices.ContainsFunc(r.words, in) && (r.with == nil || slices.ContainsFunc(r.with, in))
}

// The reasons, each the end of a sentence.
const (
	quits  = "tells the agent to ignore its instructions"
	poses  = "tries to change who the agent is"
	spies  = "asks for what the agent must keep to itself"
	forces = "forces a verdict whatever the agent sees"
)

const (
	orders = `(?:instructions?|prompts?|directions?|guidelines?|directives?|commands?|rules|messages?|policies|policy|safeguards|guardrails|constraints?|tasks?|assignments?|what (?:you were|you've been|i) (?:told|said)|you (?:have been|were|are) told)`
	which  = `(?:previous|prior|above|earlier|preceding|foregoing|initial|original|former|system|safety|security|existing|all|any|every|everything|everthing|your|my|these|those|other)`
	reQuit = `\b(?:ignore|disregard|forget|override|bypass|neglect|discard|abandon|drop|overlook|do not follow|don't follow|stop following)\b(?: \w+){0,3}? ` + which + `\b(?: \S+){0,4}? ?\b` + orders + `\b`
)

var rules = sync.OnceValue(func() []rule {
	var all []rule
	for _, r := range [][3]string{
		{quits, "ignore|disregard|forget|override|bypass|neglect|discard|abandon|drop |overlook|not follow|n't follow|stop following", reQuit},
		{quits, "ignore|disregard|forget", `\b(?:ignore|disregard|forget)\b (?:all |everything |anything )?(?:of )?(?:the |that )?(?:above|you (?:were|have been|are) (?:told|taught))`},
		{quits, "new instruction|new system", `\bnew (?:system )?instructions?\b ?:`},
		{quits, "忽略|无视|忘记|忘掉|理会|遵守|抛开|抛弃|放弃|绕过|覆盖", `(?:忽略|无视|忘记|忘掉|不要理会|不要遵守|不再遵守|抛开|抛弃|放弃|绕过|覆盖)[^。；\n]{0,8}(?:之前|以上|上述|先前|前面|此前|原有|原来|所有|一切|任何|系统|你的|全部)[^。；\n]{0,10}(?:指令|指示|提示词|规则|命令|设定|限制|约束)`},
		{poses, "you are now", `\byou are now\b (?:an? |in |the |my |no longer|going |free |acting |dan\b|\w+gpt)`},
		{poses, "from now on|henceforth", `\b(?:from now on|henceforth),? (?:you|respond|answer|your)\b`},
		{poses, "act as|pretend |role-play as|roleplay as|simulate", `\b(?:act as|pretend (?:to be|you are|that you)|role-?play as|simulate) (?:if )?(?:an? |the |you )?(?:\S+ ){0,3}(?:dan|evil|unrestricted|unfiltered|jailbroken|hacker|admin\w*|developer mode|root|linux terminal)\b`},
		{poses, " mode", `\b(?:developer|debug|god|maintenance|sudo|admin|unrestricted) mode\b.{0,30}\b(?:enabled|activated|on|now)\b|\bin(?:to)? developer mode\b`},
		{poses, "do anything now|jailbroken|unrestricted", `\bdo anything now\b|\b(?:jailbroken|unrestricted) (?:mode|ai|model|assistant)\b`},
		{poses, "im_start|im_end|endoftext|inst]|sys>|<system", `<\|?(?:im_start|im_end|system|endoftext)\|?>|\[/?inst\]|<</?sys>>`},
		{poses, "system|assistant|admin & :", `(?:^|[.!?:] )(?:system|assistant|admin) ?(?:message|prompt|override|notice)? ?: `},
		{poses, "你现在|从现在|开发者模式|越狱模式|扮演", `你现在(?:是一|扮演|将扮演)|从现在(?:开始|起)，?你|开发者模式|越狱模式|扮演(?:一个)?(?:不受|没有)限制`},
		{spies, "prompt|instruction|message|key|password|code|secret & reveal|show|print|repeat|output|display|expose|leak|give me|tell me|what is|share|summari|translate", `\b(?:reveal|show|print|repeat|output|display|expose|leak|give me|tell me|what is|share|summari[sz]e|translate)\b(?: \S+){0,3}? (?:(?:your|the) (?:(?:system|initial|original|hidden|full|entire|secret) )+(?:prompt|instructions?|message|key|password|code)|your (?:instructions|secrets?|passwords?))\b`},
		{spies, "api key|password|credential|token|secret|cookie|private key|environment variable & reveal|leak|exfiltrate|email|post |upload|send", `\b(?:reveal|leak|exfiltrate|send|email|post|upload)\b(?: \S+){0,5}? (?:api keys?|passwords?|credentials|tokens|secrets|cookies|private keys?|environment variables)\b`},
		{spies, "提示词|系统指令|初始指令|隐藏指令|密钥|你的密码|你的指令", `(?:泄露|透露|输出|打印|显示|告诉我|重复|说出)[^。；\n]{0,8}(?:系统提示词?|系统指令|初始指令|隐藏指令|密钥|你的密码|你的指令)`},
		{forces, "always|just |simply|unconditionally|automatically|blindly & pass|fail|approve|succe", `\b(?:always|must always|just|simply|unconditionally|automatically|blindly)\b (?:\w+ ){0,2}?(?:pass(?:es|ed)?|fail(?:s|ed)?|approve[sd]?|succe(?:ss|eds?))\b(?: (?:it|this|every|all|the)\b|[.,;!]|$)`},
		{forces, "always|unconditionally|automatically|blindly & report|return|answer|output|say|respond|judge|mark|conclude|declare|give|treat", `\b(?:always|must always|unconditionally|automatically|blindly)\b (?:\w+ ){0,2}?(?:report|return|answer|output|say|respond|judge|mark|conclude|declare|give|treat)\b(?: \w+){0,4}? "?'?(?:pass(?:ed|ing)?|fail(?:ed|ure)?|success(?:ful)?|true|false|no defects?|correct|approved|safe)\b`},
		{forces, "regardless of", `\bregardless of (?:what|the|any|whether|actual|page|evidence)\b.{0,60}\b(?:pass(?:ed)?|fail(?:ed)?|success(?:ful)?|no defects?|approved?)\b`},
		{forces, "regardless|no matter what|whatever you see|unconditionally", `\b(?:pass(?:ed)?|fail(?:ed)?|success|no defects?|approved?)\b.{0,20}\b(?:regardless|no matter what|whatever you see|unconditionally)\b`},
		{forces, "never ", `\bnever (?:report|flag|mention|raise)\b (?:any |an? |the )?(?:defects?|bugs?|errors?|failures?|issues?|problems?)\b`},
		{forces, "skip ", `\bskip (?:all |any |the |every |full |further )*(?:validation|verification|checks?|checking|tests?|testing|safety|review|approval)\b`},
		{forces, "一律|总是|始终|永远|无论|不管|无条件", `(?:一律|总是|始终|永远|无论如何|不管[^。；\n]{0,12}|无论[^。；\n]{0,12}|无条件)，?[^。；\n]{0,4}(?:都|应|要|必须|直接)?(?:判定|判断|判|报告|返回|输出|视|标记|回答|认定|给出|算作?)[^。；\n]{0,4}(?:通过|合格|无缺陷|没有缺陷|正常|正确|失败|有缺陷|不通过|成功|true|false|pass|fail)`},
		{forces, "一律|总是|始终|永远|无条件", `(?:一律|总是|始终|永远|无条件)(?:通过|失败|放行)`},
		{forces, "跳过", `跳过(?:所有|全部|任何|一切)(?:的)?(?:检查|验证|校验|核对|测试)`},
		{forces, "报告|上报|提出", `(?:不要|不得|禁止|永远不|绝不)(?:要)?(?:报告|上报|提出)(?:任何|一切|所有)(?:缺陷|错误|问题|异常)`},
	} {
		words, with, both := strings.Cut(r[1], " & ")
		x := rule{reason: r[0], words: strings.Split(words, "|"), pattern: regexp.MustCompile(r[2]), negatable: r[0] == forces}
		if both {
			x.with = strings.Split(with, "|")
		}
		all = append(all, x)
	}
	return all
})

var negator = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\b(?:not|never|no|cannot|avoid|without|instead of|rather than|than|to)|n't) (?:\w+ ){0,2}$|(?:不要|不能|不应该?|不得|不可|勿|别|避免|而不是|而非|防止|并不|不会|不该|曾|误)[^。；，]{0,4}$`)
})

// negated reports whether what comes after before is forbidden by it, or told of.
func negated(before string) bool {
	return negator().MatchString(before[max(0, len(before)-48):])
}
