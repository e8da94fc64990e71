package enhance

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/text"
)

// Unsafe reports whether a text speaks to the agent as its master rather than of
// a test: overrides of its instructions, changes of its role, demands for its
// secrets, and verdicts forced whatever the agent sees. reason continues the
// sentence "its text …". It is a sieve, not the wall: the wall is the fence.
func Unsafe(s string) (reason string, unsafe bool) {
	if len(s) > maxRead {
		s = s[:maxRead]
	}
	s = strings.ToLower(strings.Join(strings.Fields(text.Clean(s)), " "))
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

type rule struct {
	reason    string
	pattern   *regexp.Regexp
	negatable bool     // "do not always pass" is a good lesson
	words     []string // the pattern is tried only where one of them stands: most texts have none
}

func (r *rule) called(s string) bool {
	for _, w := range r.words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

const (
	orders = `(?:instructions?|prompts?|directions?|guidelines?|directives?|commands?|rules|messages?|policies|safeguards|constraints?|tasks?|assignments?|what (?:you were|you've been|i) (?:told|said)|you (?:have been|were|are) told)`
	which  = `(?:previous|prior|above|earlier|preceding|foregoing|initial|original|former|system|existing|all|any|every|everything|everthing|your|my|these|those|other)`
	reQuit = `\b(?:ignore|disregard|forget|override|bypass|neglect|discard|abandon|drop|overlook|do not follow|don't follow|stop following)\b(?: \w+){0,3}? ` + which + `\b(?: \S+){0,4}? ?\b` + orders + `\b`
)

var rules = sync.OnceValue(func() []rule {
	of := func(reason string, negatable bool, words string, patterns ...string) []rule {
		var all []rule
		for _, p := range patterns {
			all = append(all, rule{reason, regexp.MustCompile(p), negatable, strings.Fields(words)})
		}
		return all
	}
	var all []rule
	all = append(all, of("tells the agent to ignore its instructions", false,
		"ignore disregard forget override bypass neglect discard abandon drop overlook follow instruction 忽略 无视 忘 理会 遵守 抛 放弃 绕过 覆盖",
		reQuit,
		`\b(?:ignore|disregard|forget)\b (?:all |everything |anything )?(?:of )?(?:the |that )?(?:above|you (?:were|have been|are) (?:told|taught))`,
		`\bnew (?:system )?instructions?\b ?:`,
		`(?:忽略|无视|忘记|忘掉|不要理会|不要遵守|不再遵守|抛开|抛弃|放弃|绕过|覆盖)[^。；\n]{0,8}(?:之前|以上|上述|先前|前面|此前|原有|原来|所有|一切|任何|系统|你的|全部)[^。；\n]{0,10}(?:指令|指示|提示|规则|命令|设定|限制|约束|说明)`,
	)...)
	all = append(all, of("tries to change who the agent is", false,
		"you from henceforth act pretend role simulate mode anything im_ endoftext inst sys admin assistant 你 从现在 模式 扮演",
		`\byou are now\b (?:a|an|in|the|my|no longer|going|free|acting|dan\b|\w+gpt)`,
		`\b(?:from now on|henceforth),? (?:you|respond|answer|your)\b`,
		`\b(?:act as|pretend (?:to be|you are|that you)|role-?play as|simulate) (?:if )?(?:an? |the |you )?(?:\S+ ){0,3}(?:dan|evil|unrestricted|unfiltered|jailbroken|hacker|admin\w*|developer mode|root|linux terminal)\b`,
		`\b(?:developer|debug|god|maintenance|sudo|admin) mode\b.{0,30}\b(?:enabled|activated|on|now)\b|\bin(?:to)? developer mode\b`,
		`\bdo anything now\b|\bjailbroken (?:mode|ai|model|assistant)\b`,
		`<\|?(?:im_start|im_end|system|endoftext)\|?>|\[/?inst\]|<</?sys>>`,
		`(?:^|[.!?:] )(?:system|assistant|admin) ?(?:message|prompt|override|notice)? ?: `,
		`你现在(?:是|扮演|将)|从现在(?:开始|起)，?你|开发者模式|越狱模式|扮演(?:一个)?(?:不受|没有)限制`,
	)...)
	all = append(all, of("asks for what the agent must keep to itself", false,
		"prompt instruction message key password code secret token credential cookie variable 提示词 指令 密钥 密码",
		`\b(?:reveal|show|print|repeat|output|display|expose|leak|give me|tell me|what is|share|summari[sz]e|translate)\b(?: \S+){0,3}? (?:(?:your|the) (?:(?:system|initial|original|hidden|full|entire|secret) )+(?:prompt|instructions?|message|key|password|code)|your (?:instructions|secrets?|passwords?))\b`,
		`\b(?:reveal|leak|exfiltrate|send|email|post|upload)\b(?: \S+){0,5}? (?:api keys?|passwords?|credentials|tokens|secrets|cookies|private keys?|environment variables)\b`,
		`(?:泄露|透露|输出|打印|显示|告诉我|重复|说出)[^。；\n]{0,8}(?:系统提示词?|系统指令|初始指令|隐藏指令|密钥|你的密码|你的指令)`,
	)...)
	all = append(all, of("forces a verdict whatever the agent sees", true,
		"always just simply unconditionally automatically blindly regardless never skip matter whatever 一律 总是 始终 永远 无论 不管 无条件 跳过 不要 不得 禁止 绝不",
		`\b(?:always|must always|just|simply|unconditionally|automatically|blindly)\b (?:\w+ ){0,2}?(?:pass(?:es|ed)?|fail(?:s|ed)?|approve[sd]?|succe(?:ss|eds?))\b(?: (?:it|this|every|all|the)\b|[.,;!]|$)`,
		`\b(?:always|must always|unconditionally|automatically|blindly)\b (?:\w+ ){0,2}?(?:report|return|answer|output|say|respond|judge|mark|conclude|declare|give|treat)\b(?: \w+){0,4}? "?'?(?:pass(?:ed|ing)?|fail(?:ed|ure)?|success(?:ful)?|true|false|no defects?|correct|approved|safe)\b`,
		`\bregardless of (?:what|the|any|whether|actual|page|evidence)\b.{0,60}\b(?:pass(?:ed)?|fail(?:ed)?|success(?:ful)?|no defects?|approved?)\b`,
		`\b(?:pass(?:ed)?|fail(?:ed)?|success|no defects?|approved?)\b.{0,20}\b(?:regardless|no matter what|whatever you see|unconditionally)\b`,
		`\bnever (?:report|flag|mention|raise)\b (?:any |an? |the )?(?:defects?|bugs?|errors?|failures?|issues?|problems?)\b`,
		`\bskip (?:all |any |the |every |full |further )*(?:validation|verification|checks?|checking|tests?|testing|safety|review|approval)\b`,
		`(?:一律|总是|始终|永远|无论如何|不管[^。；\n]{0,12}|无论[^。；\n]{0,12}|无条件)，?[^。；\n]{0,4}(?:都|应|要|必须|直接)?(?:判定|判断|判|报告|返回|输出|视|标记|回答|认定|给出|算作?)[^。；\n]{0,4}(?:通过|合格|无缺陷|没有缺陷|正常|正确|失败|有缺陷|不通过|成功|true|false|pass|fail)`,
		`(?:一律|总是|始终|永远|无条件)(?:通过|失败|放行)`,
		`跳过(?:所有|全部|任何|一切)?(?:的)?(?:检查|验证|校验|核对|测试)`,
		`(?:不要|不得|禁止|永远不|绝不)(?:要)?(?:报告|上报|提出)(?:任何|一切|所有)(?:缺陷|错误|问题|异常)`,
	)...)
	return all
})

var negator = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\b(?:not|never|no|cannot|avoid|without|instead of|rather than|than|to)|n't) (?:\w+ ){0,2}$|(?:不要|不能|不应该?|不得|不可|勿|别|避免|而不是|而非|防止|并不|不会|不该|曾|误)[^。；，]{0,4}$`)
})

// negated reports whether what comes after before is forbidden by it, or told of.
func negated(before string) bool {
	return negator().MatchString(before[max(0, len(before)-48):])
}
