package guard

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
)

// setsField reports whether a sentence orders or states the value of the field that holds the verdict, such as
// “set has_defect to false” or “has_defect=false”, whatever joins the two. It does not when the sentence describes what
// an agent did, forbids the value, or makes it depend on what is seen. A word for every case (“always”, 一律) overrides
// these excuses, except a narration.
func setsField(one string) bool {
	low, yes := withFieldSet(one)
	if !yes {
		return fieldless().MatchString(low)
	}
	return fieldEver().MatchString(low) || !fieldDepends().MatchString(low)
}

// decidesField is setsField without the excuse that the value depends on what is seen, for [Decides].
func decidesField(one string) bool {
	low, yes := withFieldSet(one)
	return yes && !fieldForbids().MatchString(low)
}

// withFieldSet returns a sentence in lower case, with canonical in place of each field of a verdict, and whether it
// gives one of them a value and is no narration.
func withFieldSet(one string) (low string, yes bool) {
	low = strings.ToLower(text.Normal(one, maxDecided))
	low = fieldNames().ReplaceAllStringFunc(low, canonicalField)
	return low, strings.Contains(low, canonical) && fieldSet().MatchString(low) && !fieldTold().MatchString(low)
}

// canonical replaces the name of each field of a verdict, so that the other patterns know one name only.
const canonical = "‹field›"

// canonicalField returns canonical in place of a name, and the character before it as it was.
func canonicalField(name string) string {
	if name[0] < 'a' || name[0] > 'z' {
		for i := range name {
			if i > 0 {
				return name[:i] + canonical
			}
		}
	}
	return canonical
}

// The parts of the patterns. A field has a value within a few words, before or after it.
const (
	fieldStem = `(?:defect(?:s|ive)?|bugs?|buggy|issues?|faults?|faulty|fail(?:ed|s|ure)?|pass(?:ed|es|ing)?|verdict|` +
		`judge?ment|outcome|conclusion|errors?|success(?:ful)?|correct|ok|broken)`
	fieldVerb  = `(?:has|have|is|are|was|no|any|found|test|case|final|overall|agent|my|the)`
	fieldTail  = `(?:found|present|detected|exists?|label|flag|value|status|result)`
	fieldValue = `(?:true|false|yes|no|none|null|pass(?:ed)?|fail(?:ed)?|ok|clean|good|0|1)\b`
	fieldHan   = `(?:通过|不通过|失败|成功|合格|没有|[真假是否有无对错])`
)

// fieldNames matches the names of fields that hold a verdict: has_defect, isBug, defect_found, final_verdict. A name
// of one plain word is none, since “the outcome” is also what a page shows.
var fieldNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^a-z0-9_])(?:` +
		fieldVerb + `(?:[_-](?:a|an|any|test))?[_-]?` + fieldStem + `(?:[_-]` + fieldTail + `)?|` +
		fieldStem + `[_-]?` + fieldTail + `)\b`)
})

// fieldSet matches a field with a value.
var fieldSet = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		canonical + `[^.!?;。！？；]{0,32}?(?:\b` + fieldValue + `|[填为成作是:：=设]\s?` + fieldHan + `)|` +
			`\b(?:true|false|yes|no)\b[^.!?;。！？；]{0,12}?` +
			`\b(?:for|in|into|as|at|to|under)\b[^.!?;,。！？；]{0,8}` + canonical)
})

// fieldTold matches a narration of what an agent did or a page shows.
var fieldTold = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:was|were|had|did|answered|gave|said|reported|wrote|returned|concluded|judged|` +
		`claimed|wrongly|although|shows|returns|answers|lists|contains|displays|expected|correctly)\b|` +
		`\bin the (?:response|payload)\b|` +
		`\b(?:agent|tester|model|it|he|she|they|run)(?: (?:had|has|then|first|once))? (?:set|put|left|chose|kept)\b|` +
		`智能体|测试员|误|却|判成了|填了|写了|判了|给了|报了|其实|实际上`)
})

// fieldless matches a verdict for all that is to come, without the name of a field.
var fieldless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:以后|今后|往后|从此|从今|从现在起)[^。；，]{0,6}(?:算|判|按|当|记|视)[^。；，]{0,3}` +
		`(?:没毛病|没问题|没错|无问题|无缺陷|正常|通过|合格)`)
})

// fieldForbids matches a warning of a hasty value, or a question after it.
var fieldForbids = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:do not|don't|never|must not|should not|cannot|can't) (?:\w+ ){0,2}` +
		`(?:set|put|answer|report|give|fill|write|leave|mark|conclude|choose|take)\b|\bwhether\b|\bdepends\b|` +
		zhNot + `[^。；]{0,24}(?:填|设|写|判|报|给)|是否|取决`)
})

// fieldDepends matches a value that depends on what is seen, or is forbidden.
var fieldDepends = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:if|when|only|unless|until|before|after|where)\b|如果|若|只有|除非|才|之前|` +
		fieldForbids().String())
})

// fieldEver matches words that make a value hold for every case.
var fieldEver = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:always|whatever|no matter|every (?:case|test|run|page)|from now on|henceforth|` +
		`in doubt|in any case|regardless)\b|一律|永远|以后都|今后|不管|无论`)
})

// spelledOut reports whether a text spells a verdict letter by letter (“p a s s”, 判 通 过). Nobody does so but to
// pass a sieve.
func spelledOut(s string) bool {
	low := strings.ToLower(text.Normal(s, maxDecided))
	for _, run := range spelled().FindAllString(low, -1) {
		if spelledVerdict().MatchString(notLetter().ReplaceAllString(run, "")) {
			return true
		}
	}
	return false
}

var (
	spelled = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b[a-z](?:[ ._*-]{1,2}[a-z]\b){3,}|\p{Han}(?:[ ._*-]\p{Han}){2,}`)
	})
	notLetter      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z\p{Han}]`) })
	spelledVerdict = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`pass|fail|true|false|approve|nodefect|nobug|ignore|通过|失败|合格|没毛病|没问题|无缺陷`)
	})
)
