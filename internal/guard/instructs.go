package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
)

// Instructs reports whether a text gives the agent orders instead of speaking about
// a test: it overrides instructions, changes who the agent is, asks for what the
// agent must keep to itself, or closes the block it stands in. reason continues the
// sentence "its text …".
//
// Instructs reads English and Chinese, also letters with spaces between them
// ("i g n o r e"). It is a sieve of known turns of speech. Of the attack lists it
// was measured on it stops about a fifth: those worded as an order. It does not see
// a text that asks for another topic, or asks in another language.
func Instructs(s string) (reason string, yes bool) {
	reason, _ = instructing(s)
	return reason, reason != ""
}

// instructing returns the reason of Instructs and the words that match.
func instructing(s string) (reason, words string) {
	s = strings.ToLower(text.Normal(text.Clean(s), len(s)))
	s = text.Squeeze(unspaced(angles().Replace(s)))
	for i := range orders() {
		if o := &orders()[i]; o.mayMatch(s) {
			if at := o.pattern.FindString(s); at != "" {
				return o.reason, at
			}
		}
	}
	return "", ""
}

// angles restores < and > from the brackets that stand for them in a stored text.
var angles = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer("‹", "<", "›", ">") })

// spacedOut matches at least five letters with one space between each two.
var spacedOut = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[a-z](?: [a-z]\b){4,}`) })

// unspaced joins the letters of words that are written with a space after each
// letter.
func unspaced(s string) string {
	if !hasSpaced(s) {
		return s
	}
	return spacedOut().ReplaceAllStringFunc(s, func(m string) string { return strings.ReplaceAll(m, " ", "") })
}

// hasSpaced reports whether four words of one letter follow each other. It is
// cheaper than the pattern spacedOut and rules out most texts.
func hasSpaced(s string) bool {
	run, size := 0, 0
	for i := range len(s) {
		if s[i] != ' ' {
			size++
			continue
		}
		if size == 1 {
			run++
		} else if size > 1 {
			run = 0
		}
		if run == 4 {
			return true
		}
		size = 0
	}
	return false
}

// order is one turn of speech that gives an agent orders.
type order struct {
	reason  string
	words   []string // a text without any of these cannot match
	with    []string // nor one without any of these; nil if there is no such list
	pattern *regexp.Regexp
}

// mayMatch looks for the words of an order. This is cheaper than the pattern and
// rules out most texts.
func (o *order) mayMatch(s string) bool {
	in := func(w string) bool { return strings.Contains(s, w) }
	return slices.ContainsFunc(o.words, in) && (o.with == nil || slices.ContainsFunc(o.with, in))
}

// The reasons. Each continues the sentence "its text …".
const (
	quits  = "tells the agent to ignore its instructions"
	poses  = "tries to change who the agent is"
	spies  = "asks for what the agent must keep to itself"
	breaks = "tries to close the block it stands in"
)

// Parts of the patterns, and the first pattern.
const (
	told = `(?:instructions?|prompts?|directions?|guidelines?|directives?|commands?|rules|messages?|policies|policy|` +
		`safeguards|guardrails|constraints?|tasks?|assignments?|what (?:you were|you've been|i) (?:told|said)|` +
		`you (?:have been|were|are) told)`
	which = `(?:previous|prior|above|earlier|preceding|foregoing|initial|original|former|system|safety|security|` +
		`existing|all|any|every|everything|everthing|your|my|these|those|other)`
	reQuit = `\b(?:ignore|disregard|forget|override|bypass|neglect|discard|abandon|drop|overlook|do not follow|` +
		`don't follow|stop following)\b(?: \w+){0,3}? ` + which + `\b(?: \S+){0,4}? ?\b` + told + `\b`
)

// orderTable has a row for each order: the reason, the words without which the
// pattern cannot match (| between them, & before the second list), and the pattern.
var orderTable = [][3]string{
	{quits, "ignore|disregard|forget|override|bypass|neglect|discard|abandon|drop |overlook|not follow|n't " +
		"follow|stop following", reQuit},
	{quits, "ignore|disregard|forget", `\b(?:ignore|disregard|forget)\b (?:all |everything |anything )?(?:of )?(?:the |` +
		`that )?(?:above|you (?:were|have been|are) (?:told|taught))`},
	{quits, "new instruction|new system", `\bnew (?:system )?instructions?\b ?:`},
	{quits, "忽略|无视|忘记|忘掉|理会|遵守|抛开|抛弃|放弃|绕过|覆盖",
		`(?:忽略|无视|忘记|忘掉|不要理会|不要遵守|不再遵守|抛开|抛弃|放弃|绕过|覆盖)[^。;\n]{0,8}(?:之前|以上|上述|先前|前面|此前|原有|原来|所有|一切|任何|系统|你的|` +
			`全部)[^。;\n]{0,10}(?:指令|指示|提示词|规则|命令|设定|限制|约束|说明)`},
	{poses, "you are now", `\byou are now\b (?:an? |in |the |my |no longer|going |free |acting |dan\b|\w+gpt)`},
	{poses, "from now on|henceforth", `\b(?:from now on|henceforth),? (?:you|respond|answer|your)\b`},
	{poses, "act as|pretend |role-play as|roleplay as|simulate",
		`\b(?:act as|pretend (?:to be|you are|that you)|role-?play as|simulate) (?:if )?(?:an? |the |` +
			`you )?(?:\S+ ){0,3}(?:dan|evil|unrestricted|unfiltered|jailbroken|hacker|admin\w*|developer mode|root|` +
			`linux terminal)\b`},
	{poses, " mode", `\b(?:developer|debug|god|maintenance|sudo|admin|unrestricted) mode\b.{0,30}\b(?:enabled|` +
		`activated|on|now)\b|\bin(?:to)? developer mode\b`},
	{poses, "do anything now|jailbroken|unrestricted",
		`\bdo anything now\b|\b(?:jailbroken|unrestricted) (?:mode|ai|model|assistant)\b`},
	{poses, "im_start|im_end|endoftext|inst]|sys>|<system",
		`<\|?(?:im_start|im_end|system|endoftext)\|?>|\[/?inst\]|<</?sys>>`},
	{poses, "system|assistant|admin & :", `(?:^|[.!?:] )(?:system|assistant|admin) ?(?:message|prompt|` +
		`override|notice)? ?: `},
	{poses, "你现在|从现在|开发者模式|越狱模式|扮演", `你现在(?:是一|扮演|将扮演)|从现在(?:开始|起)[，,]?你|开发者模式|越狱模式|扮演(?:一个)?(?:不受|没有)限制`},
	{spies, "prompt|instruction|message|key|password|code|secret & " +
		"reveal|show|print|repeat|output|display|expose|leak|give me|tell me|what is|share|summari|translate",
		`\b(?:reveal|show|print|repeat|output|display|expose|leak|give me|tell me|what is|share|summari[sz]e|` +
			`translate)\b(?: \S+){0,3}? (?:(?:your|the) (?:(?:system|initial|original|hidden|full|entire|secret) )+(?:prompt|` +
			`instructions?|message|key|password|code)|your (?:instructions|secrets?|passwords?))\b`},
	{spies, "api key|password|credential|token|secret|cookie|private key|environment variable & " +
		"reveal|leak|exfiltrate|email|post |upload|send",
		`\b(?:reveal|leak|exfiltrate|send|email|post|upload)\b(?: \S+){0,5}? (?:api keys?|passwords?|credentials|tokens|` +
			`secrets|cookies|private keys?|environment variables)\b`},
	{spies, "提示词|系统指令|初始指令|隐藏指令|密钥|你的密码|你的指令",
		`(?:泄露|透露|输出|打印|显示|告诉我|重复|说出)[^。;\n]{0,8}(?:系统提示词?|系统指令|初始指令|隐藏指令|密钥|你的密码|你的指令)`},
	{quits, "ignore|disregard|forget|overlook",
		`\b(?:ignore|disregard|forget|overlook)\b (?:all |everything |anything |everthing )?(?:that )?(?:you've|you have|` +
			`you were|you are) (?:been )?(?:told|instructed|taught|asked)`},
	{quits, "system directive|operating directive", `\bas (?:an? |the )?(?:system|operating) directive\b`},
	{poses, "unrestricted|no restrictions|without restrictions|no safety",
		`\byou are (?:an? )?(?:unrestricted|unfiltered|jailbroken)\b|\bwith(?:out| no) (?:safety )?(?:guidelines|` +
			`restrictions|limitations|limits)\b`},
	{poses, "系统|助手|管理员", `(?:^|[。！？.!? >])(?:系统|助手|管理员)(?:消息|提示|指令|通知|公告|命令) ?[:：]`},
	{spies, "提示词|系统指令|初始指令|隐藏指令|密钥|口令", `把[^。;]{0,6}(?:系统提示词?|提示词|系统指令|初始指令|隐藏指令|密钥|口令)[^。;]{0,4}(?:写|输出|打印|告诉|发|贴|复述|放)`},
	{breaks, "memory-context|memory context|memory_context", `<[ /]*memory[-_ ]?context`},
}

var orders = sync.OnceValue(func() []order {
	all := make([]order, 0, len(orderTable))
	for _, row := range orderTable {
		words, with, both := strings.Cut(row[1], " & ")
		o := order{reason: row[0], words: strings.Split(words, "|"), pattern: regexp.MustCompile(row[2])}
		if both {
			o.with = strings.Split(with, "|")
		}
		all = append(all, o)
	}
	return all
})
