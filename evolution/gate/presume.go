package gate

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
)

const (
	unseenEN = `(?:missing|absent|unseen|invisible|hidden|blank|empty|unclear|unverified|unchecked|untested|unfinished|` +
		`nothing|(?:not|never|n't) (?:yet )?(?:been )?(?:seen|found|shown|visible|there|loaded|present|displayed|appear|` +
		`verified|checked|tested)|(?:cannot|can't|could not) be (?:seen|found|verified|checked))`
	unseenZH = `(?:[没未](?:有)?(?:能)?(?:找到|看到|看见|显示|出现|加载|验证|测|确认)|找不到|看不到|看不见|不可见|缺失|缺少|空白|无法(?:确认|验证|看到|判断)|不确定|拿不准)`
	thereZH  = `(?:存在|正常|已[^。；，]{0,3}|完成|成功|显示|在后|在别|没问题|没有问题|无误|正确|生效|有|加载|一致|符合)`
)

var (
	// presumes matches words that take what was not seen for there, or for fine.
	presumes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:treat|regard|consider|count|assum|presum|suppos|tak|accept|interpret|view|` +
			`imagin|record|write|describ)(?:e|es|ed|ing|s)?\b[^.;]{0,50}\b` + unseenEN + `\b` +
			`|\b(?:assum|presum|suppos|imagin|infer|conclud|guess)(?:e|es|ed|ing|s)?\b (?:that )?[^.;]{0,60}\b(?:exists?|` +
			`there|present|shown|works?|fine|ok|correct|elsewhere|in order|loaded|saved|further down|below|later page|` +
			`next page|other page|will appear|by design|intended)\b` +
			`|\b` + unseenEN + `\b[^.;]{0,60}\b(?:is|are|be|as) (?:most |very |quite )?(?:likely|probably|surely|usually|` +
			`certainly|almost certainly|safe|fine|normal|there|present|intended|by design)\b` +
			`|\b` + unseenEN + `\b[^.;]{0,40}\b(?:counts?|pass(?:es)?|goes|(?:is|are) (?:taken|treated|regarded|counted|` +
			`seen)) (?:as|for)\b` +
			`|` + unseenZH + `[^。；]{0,12}(?:视为|视作|当作|当成|看作|算作|算是|认为|默认|假定|假设|推定|写成|记为|按)[^。；]{0,4}` + thereZH +
			`|\b(?:treat|regard|count|consider|accept|take)(?:s|ed|ing)?\b [^.;]{0,30}\bas (?:if |already |having )*(?:shown|` +
			`loaded|present|done|fine|normal|saved|there|seen|visible|complete[d]?|working|met|fulfilled|been)\b` +
			`|(?:按|按照)(?:已|正常|有|存在|成功)[^。；，]{0,6}(?:处理|算|对待)` +
			`|(?:视为|视作|当作|当成|看作|算作|默认)[^。；，]{0,4}(?:已经|正常|存在|完成|成功|没问题|无误)` +
			`|(?:视为|视作|当作|当成|看作|算作|认为|默认|假定|假设|推定)[^。；]{0,12}(?:存在|在后面|已经?(?:加载|生效|完成|保存|存在)|没有?问题)` +
			`|` + unseenZH + `[^。；]{0,10}(?:多半|大概|可能|应该|往往|通常|一般)[^。；]{0,3}(?:是|在|只是)`)
	})
	// hushes matches an order not to report something.
	hushes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\b(?:do not|never|no need to|avoid|need not|should not|must not)|` +
			`n't) (?:\w+ ){0,2}?(?:report|flag|rais|mention|fail|log|complain)(?:e|ed|ing|s)?\b` +
			`|(?:不要|别|不必|无需|不用|不应|不该|不得|勿|不再)(?:再)?(?:报告?|上报|提出|提|记录|记|写成?)(?:为|成)?(?:[^。；，]{0,6}(?:缺失|缺陷|问题|错误|异常|失败|` +
			`不通过|bug)|[。；，]|$)`)
	})
	// innocent matches words that call something no defect.
	innocent = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:is|are) (?:no|never an?|not an?|not|hardly ever an?) (?:real )?(?:defects?|` +
			`bugs?|problems?|issues?)\b|(?:不算|不属于|算不上|不是|不构成|属于?正常|是正常的?)(?:缺陷|问题|现象|bug)`)
	})
	// pretends matches an order to write down that something was seen.
	pretends = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:write|record|state|note|say|answer)(?: down)? that (?:it|they|` +
			`the \w+) (?:\w+ )?(?:appeared|was shown|were shown|is there|are there|exists?|worked|was saved|is on a)\b|(?:写|` +
			`填|记)(?:成|明|上|为)?[“"「]?[^。；”"」]{0,6}(?:已出现|已显示|数据正常|显示正常|在后续|已存在|已生效)`)
	})
	// alarms matches words that take everything that is not plain for a defect.
	alarms = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:treat|regard|report|flag|count|consider|mark|fail)\w* (?:\w+ ){0,2}?(?:any|` +
			`every|all|each|whatever|anything)\b[^.;]{0,40}\b(?:defects?|bugs?|failures?|errors?|fail(?:ed)?|broken|` +
			`missing)\b|\b(?:any|every|each|all) [^.;]{0,40}\b(?:is|are) (?:to be (?:reported|flagged|failed)|` +
			`(?:an? )?(?:defects?|bugs?|broken|errors?))\b|\b(?:when|if) (?:in (?:any )?doubt|unsure|uncertain)\b|` +
			`\bbetter (?:one|a) (?:false|alarm)\b` +
			`|(?:任何|所有|一切|凡是?|只要)[^。；]{0,14}(?:差异|不同|延迟|变化|异常|不确定|疑问|看不清|不一致|偏差)[^。；]{0,6}(?:都|就|均|一律|即)[^。；]{0,4}(?:报|判|算|视|` +
			`记|当)|(?:拿不准|不确定|有疑问|存疑)[^。；]{0,6}(?:就|都|一律|先)(?:报|判|记|算)|(?:凡是?|所有|任何|一切|只要)[^。；]{0,14}(?:就|都|均)是(?:缺陷|问题|错误|` +
			`bug)|宁可(?:错|多|误)报`)
	})
)

// presumption refuses a lesson that orders the opposite mistake: to take for there, or
// for missing, what nobody has looked for.
func presumption(_ *Gates, v *view) string {
	reason := taxonomy.Text{EN: "%q takes for granted what was not seen; say how to look", ZH: "“%s”把没看到的当成事实；请写出怎样去看"}
	for _, l := range v.draft.Lessons {
		for _, s := range append(text.Sentences(l.Check), text.Sentences(l.Instead)...) {
			if at := says(presumes(), s); at != "" && !fits().MatchString(s) {
				return v.because(reason, text.Clip(at, 60))
			}
			if at := hushes().FindString(s); at != "" && !timed().MatchString(strings.Replace(s, at, "", 1)) &&
				!purpose().MatchString(s) {
				return v.because(reason, text.Clip(at, 60))
			}
			if at := says(pretends(), s); at != "" {
				return v.because(reason, text.Clip(at, 60))
			}
			if at := innocent().FindString(s); at != "" && !limited().MatchString(s) {
				return v.because(reason, text.Clip(at, 60))
			}
			if at := says(alarms(), s); at != "" && !lookFirst().MatchString(s) {
				return v.because(reason, text.Clip(at, 60))
			}
		}
	}
	return ""
}

// limited matches words that say when or where something is no defect.
var limited = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:if|when|while|where|after|once|until|unless|within|only|by itself|alone|` +
		`that (?:the|no|nobody)|for which|for)\b|范围内|允许|误差|用例|任务|如果|若|之前|之后|单凭|只凭|仅|才|时[，,]`)
})

// fits matches words that say that something was compared and agrees.
var fits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:where|if|when|once|after) (?:it|they|that|this|the [\w ]{1,20}) (?:fits?|` +
		`agrees?|match(?:es)?|confirms?)\b|对得上|相符|吻合`)
})

// lookFirst matches words by which an order to report becomes one to look first.
var lookFirst = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:before|until|unless|only)\b|之前|以前|直到|除非|才`)
})

// purpose matches words that say why something should not be reported.
var purpose = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bfor\b|\bthat (?:the|no|nobody)\b|因为|因此|由于|用例(?:没|未)|范围内|允许`)
})

// A draft and a memory of the other direction contradict each other when they share at
// least this part of the smaller one's telling words, and it has enough of them.
const (
	contradicted      = 0.50
	leastContradicted = 4 // words
)

// contradiction refuses a draft that says the same as a live memory of the other
// direction. A person has to decide between them.
func contradiction(j *Gates, v *view) string {
	own := bagOfLessons(strings.Join(v.draft.AppliesWhen, "\n"), v.ownTexts(j))
	for _, o := range v.about.Opposite {
		their := bagOfLessons(strings.Join(o.Content.AppliesWhen, "\n"), textsOf(o))
		n := min(len(own), len(their))
		if n >= leastContradicted && float64(own.shared(their)) >= contradicted*float64(n) && v.about.Type == o.Type {
			return v.because(taxonomy.Text{EN: "it speaks of the same as %s, which warns of the other direction; " +
				"held for review", ZH: "与 %s 说的是同一件事，而后者提醒的方向相反；留待人工审核"}, o.ID)
		}
	}
	return ""
}

func bagOfLessons(when string, says []string) bag {
	return telling(when + "\n" + strings.Join(says, "\n"))
}
