package guard

import (
	"regexp"
	"strings"
	"sync"
)

// The grammar knows turns of speech. leans weighs the tags of a sentence that no
// rule of the grammar matches.
//
// The weights are those of a logistic regression that tells from the tags of a
// sentence, and from some turns of them, whether it forces. It was fitted to six of
// the seven hundred sentences of testdata/examples.txt and to those of the suite
// that TestQualityOfGuard measures. 6,000 real sentences of bug reports, test cases
// and evaluators' notes were added as sentences that do not force. The weights are
// tenths of the logarithm of the odds.
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
	bias     = -5 // every sentence has it
	inZh     = 6  // the sentence has Chinese characters
	verdict  = -4 // it has a word of a verdict, weak or strong
	strong   = 6  // it has a strong word of a verdict
	ofTest   = 4  // it has a strong word and names a test
	saidOf   = 23 // it has a strong word, and a word by which or of which it is said
	cued     = 11 // it has a strong word and a cue
	cuedWeak = -3 // it has a weak word and a cue
	cue      = 25 // for each different cue, up to three
	longer   = 49 // subtracted for every twenty tags, up to longest
	longest  = 40 // tags
)

const (
	cueTags    = "FUGLVYWwDIfuk" // words that often make an order of a verdict
	strongTags = "PQBXJ"         // words that are a verdict; p is a weak one
	sayTags    = "OAZzhaKo"      // verdict, test, and the verbs a verdict is given with
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

// plainer replaces a turn of speech by simpler tags before a sentence is weighed.
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
	// withheld matches a pass that is forbidden.
	withheld = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`N[^,;.:]{0,5}[PBJ]`) })
	// evident matches a fail that follows from something wrong.
	evident = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[eE][^.;NCWUDIfk]*[QX]`) })
	// reasoned matches a fail that is forbidden for a reason, and 就判, which tells what
	// somebody does as a consequence.
	reasoned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`N[^,;.:]{0,4}[QX].*[Cqn]|H"?[zZ]`) })
	// reported matches an agent before a verdict, 但 after one, and a participle that
	// no word makes an order: "rounding reported as a defect".
	reported = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`R[^,;:.]*[PQBXJ]|[PQ][^;.]*,R|^[^MmbFUL]*a[^,;.]*[PQBXp]`)
	})
)

// leans reports whether the weights of a sentence's tags t say that it forces a
// verdict. zh tells whether it has Chinese characters.
func leans(t string, zh bool) bool {
	if len(t) > 4*longest || !strings.ContainsAny(t, strongTags+"pIKOh") {
		return false
	}
	for _, p := range plainly() {
		t = p.pattern.ReplaceAllString(t, p.by)
	}
	if innocent(t) {
		return false
	}
	if !strings.ContainsAny(t, "Ooj") { // "copy" counts only beside a verdict, a result or "last"
		t = strings.ReplaceAll(t, "k", "x")
	}
	return weigh(t, zh) > 0
}

// innocent reports whether a sentence need not be weighed: it has no verdict and
// nothing that bears on one, withholds a pass, reports something wrong, or tells of
// a verdict that somebody gave.
func innocent(t string) bool {
	hasVerdict := strings.ContainsAny(t, strongTags+"p")
	switch {
	case !hasVerdict && !strings.Contains(t, "I") &&
		!(strings.ContainsAny(t, "KOh") && strings.ContainsAny(t, "fkLuD")):
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

// weigh returns the sum of the weights of the tags t; above 0 the sentence forces.
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

// pairs returns the weight of words that stand together in one sentence: cues, a
// verdict, a test, and somebody who says it.
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
