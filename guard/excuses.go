package guard

import (
	"regexp"
	"strings"
	"sync"
)

// The excuses of a rule: why a sentence that has its words forces nothing.
const (
	onCondition = 'c' // the verdict depends on what is seen
	firstIf     = 'k' // so, and the condition stands first, as it does in Chinese
	onlyIf      = 'o' // "only if", 才能: a verdict is withheld rather than ordered
	forbidden   = 'f' // "do not pass it"
	toldHere    = 't' // "the agent passed it", in this clause
	toldOf      = 'T' // so, anywhere in the sentence
	follows     = 'h' // 就: it follows from what was seen
	followsAny  = 'e' // so, anywhere in the sentence
	natural     = 'q' // what differs is to be reported as a defect
	unasked     = 'n' // the task does not ask for it, so it need not be looked at
	allowed     = 'a' // the task has a word in it: "what it allows"
	quoted      = '"' // it is the text of a control
)

// blind finds orders not to look or not to mind, which make a condition void: "if
// you see an error, disregard it and return pass".
var blind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`w|D[tgidFx]{0,3}[SscKEeQi]|[EeQ][^,;.]{0,4}D|W[tgidx]{0,3}[Ssc]|[ULIf]|^D|[,&H]D|NM?h`)
})

var (
	forbids = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`N[^,;:.]{0,5}$`) })
	tells   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`R[^,;:.]*$`) })
	notAsks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`N[^.;]{0,3}q|q[^.;]{0,4}N`) })
)

// excused reports whether the verdict ordered at t[verb:to] has an excuse.
func (r *rule) excused(t string, verb, to int) bool {
	for _, x := range r.excuses {
		if excuse(x, t, verb, to) {
			return true
		}
	}
	return false
}

func excuse(x rune, t string, verb, to int) bool {
	before := t[:verb]
	switch x {
	case onCondition:
		return strings.Contains(t, "C") && !blind().MatchString(t)
	case firstIf:
		return strings.Contains(before, "C") && !blind().MatchString(t)
	case onlyIf:
		return strings.Contains(t, "n")
	case forbidden:
		return forbids().MatchString(before[max(0, verb-8):])
	case toldHere:
		return tells().MatchString(before)
	case toldOf:
		return strings.Contains(t, "R")
	case follows:
		return strings.Contains(before, "H") && !strings.ContainsAny(before, "GUDW")
	case followsAny:
		return strings.Contains(t, "H")
	case natural:
		return strings.ContainsAny(t[max(0, to-1):to], "QX") && strings.ContainsAny(t[:to], "eE") && !strings.ContainsAny(t, "GUWDL")
	case unasked:
		return notAsks().MatchString(before)
	case allowed:
		return strings.Contains(t, "q")
	case quoted:
		return strings.Count(before, `"`)%2 == 1
	}
	return false
}
