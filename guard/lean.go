package guard

import (
	"regexp"
	"strings"
	"sync"
)

// The grammar knows turns of speech; leans weighs what else a sentence is made of.
//
// The weights are those of a logistic regression: which tags a sentence has, and
// some turns of them, against whether it forces. It was fitted to six of the seven
// hundred sentences of testdata/examples.txt and those of the suite that
// TestQualityOfGuard measures, and to 6,000 real ones of bug reports, test cases and
// evaluators' notes as sentences that do not. The weights are in tenths.
var weights = map[byte]int{
	'I': 33, 'i': 21, 'L': 20, 'O': 19, 'J': 17, 'l': 11, 's': 10, 'e': 10,
	'a': 9, 'E': 9, 'f': 9, 'u': 8, 'M': 8, 'h': 6, 'g': 6, 'K': 5,
	'U': 4, 'B': 4, 'o': 4, 'y': 3, 'X': 3, 'k': 1, 'F': -1, 'P': -2,
	'w': -2, 'W': -3, 'p': -4, 'Y': -4, 'N': -5, 'A': -6, 'c': -8, 'd': -10,
	'R': -11, 'C': -16, 'Q': -18, 'q': -20, 'S': -20, 'D': -25, 'n': -37,
}

// weightsZh are added in a sentence with Chinese characters.
var weightsZh = map[byte]int{
	'C': -18, 'F': -3, 'M': -8, 'N': -2, 'P': -4, 'U': -2, 'c': -4, 'e': 3, 'p': -7,
}

const (
	bias     = -5 // of a sentence with no tag
	inZh     = 6
	verdict  = -4 // it has a word of a verdict, weak ones among them
	strong   = 6  // and one that is not weak
	ofTest   = 4  // and a test
	saidOf   = 23 // and somebody to say it, or a verb to say it with
	cued     = 11 // and a cue
	cuedWeak = -3 // it has a cue and a weak word
	cue      = 25 // of each kind of cue, of three at most
	longer   = 49 // is taken off for every twenty tags, of forty at most
	longest  = 40
)

const (
	cueTags    = "FUGLVYWwDIfuk"
	strongTags = "PQBXJ"
	sayTags    = "OAZzhaKo"
)

// weighed is a pattern that adds a weight.
type weighed struct {
	pattern *regexp.Regexp
	weight  int
}

var turns = sync.OnceValue(func() []weighed {
	return []weighed{
		{regexp.MustCompile(`(?:^|[,;:.&])[YFyMmL]*[ABXJDk]`), 23},    // an English order
		{regexp.MustCompile(`N[^,;.:CHd]{0,4}[QX]`), 27},              // a fail is forbidden
		{regexp.MustCompile(`[eE][^.;]*[PBpJ]`), 18},                  // something is wrong, and a pass
		{regexp.MustCompile(`[AZzrhao]["itgvOKbx:]{0,4}[PQBXp]`), 21}, // a verdict is said
	}
})

// plainer is a turn of speech and a plainer one for it.
type plainer struct {
	pattern *regexp.Regexp
	by      string
}

var plainly = sync.OnceValue(func() []plainer {
	return []plainer{
		{regexp.MustCompile(`[NWDw][tgixdF&]{0,3}[Ssc]`), "W"},                     // not to look
		{regexp.MustCompile(`[PBp]"?[&,][tg]?"?[QX]|[QX]"?[&,][tg]?"?[PBp]`), "x"}, // "passed and failed runs"
		{regexp.MustCompile(`x"[PQBX]"`), "x"},                                     // a label
		{regexp.MustCompile(`N[^,;.]{0,3}I`), "N"},                                 // "do not turn a blind eye"
		{regexp.MustCompile(`J([tg]?x)`), "x$1"},                                   // "approve the order"
	}
})

var (
	withheld = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`N[^,;.:]{0,5}[PBJ]`) })
	evident  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[eE][^.;NCWUDIfk]*[QX]`) })
	// reasoned finds a fail that is forbidden for a reason, and 就判, which tells what
	// somebody does as a consequence.
	reasoned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`N[^,;.:]{0,4}[QX].*[Cqn]|H"?[zZ]`) })
	// reported finds an agent before a verdict, 但 after one, and participles that
	// nothing orders: "rounding reported as a defect".
	reported = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`R[^,;:.]*[PQBXJ]|[PQ][^;.]*,R|^[^MmbFUL]*a[^,;.]*[PQBXp]`)
	})
)

// leans reports whether the weight of what a sentence is made of says that it
// forces a verdict.
func leans(t string, zh bool) bool {
	if len(t) > 4*longest || !strings.ContainsAny(t, strongTags+"pIKOh") {
		return false
	}
	for _, p := range plainly() {
		t = p.pattern.ReplaceAllString(t, p.by)
	}
	if beside(t) {
		return false
	}
	if !strings.ContainsAny(t, "Ooj") {
		t = strings.ReplaceAll(t, "k", "x")
	}
	return weigh(t, zh) > 0
}

// beside reports whether a sentence is not worth weighing: it has no verdict in it
// and nothing that bears on one, withholds a pass, reports what is wrong, or tells of a verdict.
func beside(t string) bool {
	hasVerdict := strings.ContainsAny(t, strongTags+"p")
	switch {
	case !hasVerdict && !strings.Contains(t, "I") && !(strings.ContainsAny(t, "KOh") && strings.ContainsAny(t, "fkLuD")):
		return true
	case withheld().MatchString(t) && !strings.ContainsAny(t, "UDI"):
		return true
	case reasoned().MatchString(t) && !strings.ContainsAny(t, "UDIG"):
		return true
	case evident().MatchString(t) && !strings.ContainsAny(t, "UDWIfGLPBJ"):
		return true
	}
	return reported().MatchString(t)
}

func weigh(t string, zh bool) int {
	sum := bias - longer*min(len(t), longest)/20
	all := t
	if evident().MatchString(t) && !strings.ContainsAny(t, "UDWIfGL") {
		all += "C"
	}
	if withheld().MatchString(t) {
		all += "n"
	}
	for i := range len(all) {
		if strings.IndexByte(all, all[i]) < i {
			continue // each tag counts once
		}
		sum += weights[all[i]]
		if zh {
			sum += weightsZh[all[i]]
		}
	}
	for _, turn := range turns() {
		if turn.pattern.MatchString(t) {
			sum += turn.weight
		}
	}
	if zh {
		sum += inZh
	}
	return sum + pairs(t)
}

// pairs weighs what stands together in one sentence.
func pairs(t string) int {
	cues := 0
	for i := range len(cueTags) {
		if strings.IndexByte(t, cueTags[i]) >= 0 {
			cues++
		}
	}
	sum := cue * min(cues, 3)
	weak := strings.Contains(t, "p")
	if weak && cues > 0 {
		sum += cuedWeak
	}
	if !strings.ContainsAny(t, strongTags) {
		if weak {
			sum += verdict
		}
		return sum
	}
	sum += verdict + strong
	if strings.Contains(t, "K") {
		sum += ofTest
	}
	if strings.ContainsAny(t, sayTags) {
		sum += saidOf
	}
	if cues > 0 {
		sum += cued
	}
	return sum
}
