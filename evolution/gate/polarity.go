package gate

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
)

var (
	// needless matches words that say that something need not be done.
	needless = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:no|not|n't|never|hardly|rarely|without) (?:\w+ ){0,6}?(?:needed|necessary|` +
			`required|worth(?:while)?)\b|n't (?:\w+ ){0,2}?(?:needed|necessary|required|worth)\b|\b(?:needless|unnecessary|` +
			`superfluous|redundant|pointless|a waste|wasted|wastes? time)\b|\bno (?:need|reason|point) (?:to|in|for)\b|` +
			`\b(?:do|does|need|have|has)(?: not|n't) (?:need|have) to\b|\bneed(?:n't| not)\b|\b(?:can|may|` +
			`should) (?:safely )?be (?:skipped|left out|omitted|ignored)\b|\b(?:skip|omit|leave out|dispense with|` +
			`save yourself|refrain from)\b` +
			`|不需要|不必|无需|无须|毋须|不用|没必要|没有必要|用不着|不需|免去|省去|省略|跳过|可以不|可不|多余|浪费时间`)
	})
	// suffices matches words that call a look proof.
	suffices = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:is|are|was|be|as) (?:already |itself |quite |good )?(?:enough|sufficient|` +
			`(?:the |a )?proof|conclusive)\b|\bsuffices?\b|\b(?:can|may|should) be (?:trusted|relied on|taken (?:as|for|` +
			`at))\b|(?:^|[.;,] ?)(?:trust|rely on|go by|believe)\b|\b(?:trust|rely on|go by|` +
			`believe) (?:in )?the (?:\w+ )?(?:toast|message|arrow|icon|looks?|appearance|screenshot|display|badge|chip|` +
			`indicator|confirmation)\b|\b(?:are|is) (?:as good as|decisive|reliable)\b|\b(?:can|may) (?:safely )?be (?:taken|` +
			`accepted|counted|assumed)\b|\b(?:speaks?|settles?|says?|tells?) (?:for itself|the matter|it all|everything)\b|` +
			`\bcounts? as (?:the |a )?(?:proof|evidence|done|success|confirmation)\b|\bproves? that\b|` +
			`\bconfirms? that (?:it|they|the)\b` +
			`|(?:显示|看到|出现|存在|有|确认|正常|看着|可见|弹出)[^。；，]{0,12}(?:即可|就够|就行|就可以|就好|足够|足以|就说明|就代表|就表示|即表示|即说明|即为|就是正确)|` +
			`就说明[^。；，]{0,10}(?:正确|正常|生效|成功|没问题|有效|可用|一致)|可以采信|靠得住|信得过|直接采信|值得信任|可信|可以相信|可以信赖|以[^。；]{1,10}的?显示为准`)
	})
	// glance matches words that call a first look proof. It counts in either direction.
	glance = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:first|one|single|quick) (?:look|glance|screenshot|page|screen|value|` +
			`row)s? (?:is|are|suffices?|will do|tells?|shows? enough)\b|(?:第一眼|看一眼|一张截图|第一张截图|第一页|首屏|一次)[^。；，]{0,4}(?:即可|就够|` +
			`就行|就可以|足够|足以|为准)`)
	})
	// follows matches a conclusion from what is shown to what is so.
	follows = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:once|if|when|as soon as|since|because|after)\b[^.;]*\b(?:appears?|appeared|` +
			`shows?|shown|displayed|visible|says?|pops? up|lit|highlighted)\b[^.;]*\b(?:is|are|has been|have been|was|` +
			`were) (?:then |surely |certainly |already |also )?(?:saved|applied|stored|correct|right|fine|complete|done|` +
			`successful|working|usable|in order|effective|sorted|filtered)\b`)
	})
	// looked matches a second look, which makes what follows matches a good conclusion.
	looked = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:reload|again|anew|afresh|second|counted|recomputed|clicked|operated|compared?|` +
			`only|row by row|every row|each row|until)`)
	})
	// wasteful matches words that call it a mistake to look.
	wasteful = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:wast(?:e|es|ed|ing) (?:of )?(?:time|effort)|needless(?:ly)?|unnecessar(?:y|` +
			`ily)|superfluous|redundant|twice over|overdo(?:ing|es)?)\b|浪费时间|多此一举|多余|重复(?:计算|检查|核对|刷新|点击|操作)|没必要|白费`)
	})
	// denied matches a denial at the end of what stands before a match: "is not enough".
	denied = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\b(?:not|never|no|nor|cannot|hardly|instead of|rather than)|n't) (?:\w+ ){0,3}$|` +
			`(?:不|没|未|别|勿|而非|而不是|并非)[^。；，、]{0,4}$`)
	})
	// undone matches words after which a note or a draft says what was not done.
	undone = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:not|never|without|cannot|didnt|nor)\b|n't\b|[没未不别勿]|无需|无须`)
	})
)

// polarity refuses advice that is the mistake itself. After a missed defect the advice
// must not call a look needless or a first look proof. In either direction it must not
// tell the agent to leave undone what the notes say was not done.
func polarity(_ *Gates, v *view) string {
	reason := taxonomy.Text{EN: "%q is what went wrong in the cases; say what has to be done", ZH: "“%s”正是案例中的错误；请写应当怎么做"}
	lacking := bag{}
	for _, e := range v.cases {
		for w := range undoneIn(e.said) {
			lacking[w] = true
		}
	}
	for _, l := range v.draft.Lessons {
		if at := says(wasteful(), l.Mistake); at != "" && v.about.Direction == taxonomy.FalsePass {
			return v.because(reason, at)
		}
		for _, s := range append(text.Sentences(l.Check), text.Sentences(l.Instead)...) {
			if at := says(needless(), s); at != "" &&
				(v.about.Direction == taxonomy.FalsePass || actsIn(s).shared(lacking) > 0) {
				return v.because(reason, at)
			}
			if at := says(suffices(), s); at != "" && v.about.Direction == taxonomy.FalsePass {
				return v.because(reason, at)
			}
			if at := says(glance(), s); at != "" {
				return v.because(reason, at)
			}
			if at := says(follows(), s); at != "" && v.about.Direction == taxonomy.FalsePass && !looked().MatchString(s) {
				return v.because(reason, at)
			}
			if at := forbids().FindString(s); at != "" && undoneIn(at).shared(lacking) > 0 && !timed().MatchString(s) {
				return v.because(reason, at)
			}
		}
	}
	return ""
}

// forbids matches an order not to do something.
var forbids = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[.;,] ?|\band )(?:do not|don't|never|avoid) (?:\w+ ){0,3}\w+|(?:不要|别|勿|` +
		`请勿|不得)[^。；，]{1,6}`)
})

// timed matches words by which an order not to do something only says when or why.
var timed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:before|until|unless|without|only|just|merely|if|when|while|because)\b|之前|以前|前|` +
		`直到|除非|仅因|只因|仅凭|只凭|如果|若|还没`)
})

// says returns the first match of a pattern in s that is not denied, or "".
func says(p *regexp.Regexp, s string) string {
	for _, at := range p.FindAllStringIndex(s, -1) {
		if !denied().MatchString(s[:at[0]]) {
			return strings.TrimSpace(s[at[0]:at[1]])
		}
	}
	return ""
}

// acts are the characters of Chinese words for what a tester does.
const acts = "滚翻等刷点算比试读数核开查输填拖切"

// undoneIn returns what a text says was not done: stems of English verbs, and characters
// of acts.
func undoneIn(s string) bag {
	out := bag{}
	low := strings.ToLower(s)
	for _, at := range undone().FindAllStringIndex(low, -1) {
		near(low[at[1]:], 4, out)
	}
	return out
}

// actsIn returns the acts that a sentence names, in the form of undoneIn.
func actsIn(s string) bag {
	out := bag{}
	near(strings.ToLower(s), 40, out)
	return out
}

// near adds to a bag those of the first limit words of s that are acts. With a small
// limit it does not look beyond the clause.
func near(s string, limit int, to bag) {
	if i := strings.IndexAny(s, ".;,。；，\n"); i >= 0 && limit < 10 {
		s = s[:i]
	}
	for i, r := range []rune(s) {
		if i < 2*limit && strings.ContainsRune(acts, r) {
			to[string(r)] = true
		}
	}
	for i, w := range text.Words(s) {
		if i >= limit {
			return
		}
		for stem := range bagOf(w) {
			if plain().verbs[stem] && !plain().words[stem] {
				to[stem] = true
			}
		}
	}
}
