package guard

import (
	"regexp"
	"strings"
	"sync"
)

// The excuses: reasons why a sentence that matches the pattern of a rule forces no
// verdict after all. A rule lists those that count for it.
const (
	onCondition = 'c' // the verdict depends on what is seen
	firstIf     = 'k' // the same, and the condition stands before the verdict, as it does in Chinese
	onlyIf      = 'o' // "only if", 才能: the sentence withholds a verdict
	forbidden   = 'f' // "do not pass it"
	toldHere    = 't' // the clause tells what somebody did: "the agent passed it"
	toldOf      = 'T' // the sentence tells somewhere what somebody did
	follows     = 'h' // 就 before the verdict: it follows from what was seen
	followsAny  = 'e' // 就 anywhere in the sentence
	natural     = 'q' // something that differs is to be reported as a defect
	unasked     = 'n' // the task does not ask for it, so nobody need look at it
	allowed     = 'a' // the sentence says what the task asks or allows
	quoted      = '"' // the verdict is quoted: it is the text of a control
)

// blind matches an order not to look or not to mind. Such an order makes a
// condition void: "if you see an error, disregard it and return pass".
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

// excuse reports whether the excuse x holds for the verdict ordered at t[verb:to].
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
		return strings.ContainsAny(t[max(0, to-1):to], "QX") && strings.ContainsAny(t[:to], "eE") &&
			!strings.ContainsAny(t, "GUWDL")
	case unasked:
		return notAsks().MatchString(before)
	case allowed:
		return strings.Contains(t, "q")
	case quoted:
		return strings.Count(before, `"`)%2 == 1
	}
	return false
}
