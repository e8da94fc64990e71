package look

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
)

// withheld replaces a sentence that is left out, as in a long text that is cut.
const withheld = "[…]"

// mostOrders is the most sentences that are left out of one text.
const mostOrders = 32

// clean leaves the sentences that speak to the reader out of every text of a question, so that no reader sees them.
// Evidence, claim and memories lose those that order a verdict, that instruct a model, and that give the answer's own
// fields. Real texts have some that read so, mostly because a task asks for a verdict; the rest can still be looked at.
// The task loses only the last two kinds, because it is the team's own text and may ask for a verdict.
func clean(in *prompts.LookInput) {
	in.Task, in.Evidence = leaveOutAll(in.Asked(), instructs), leaveOutAll(in.Shown(), speaks)
	in.Claim = cleanClaim(in.Claimed())
	var before []string
	for _, s := range in.Before {
		if _, is := speaks(s); !is {
			before = append(before, s)
		}
	}
	in.Before = before
}

// cleanClaim cleans a claim. A verdict of one word, which reads like an order too, is kept.
func cleanClaim(claim string) string {
	if verdict, reason := verdictOf(claim); verdict != "" {
		return verdict + leaveOutAll(reason, speaks)
	}
	return leaveOutAll(claim, speaks)
}

// verdictOf splits a claim after its verdict, "" if it does not begin with one of one word.
func verdictOf(claim string) (verdict, reason string) {
	at := strings.IndexByte(claim, ':') + 1
	word := claim[:max(0, at-1)]
	if len(strings.Fields(word)) != 1 || judgment.PolarityOf(word) == judgment.Unread {
		return "", claim
	}
	return claim[:at], claim[at:]
}

// orders reports whether a text of the question speaks to the reader, as after more sentences than are left out.
func orders(in *prompts.LookInput) bool {
	_, reason := verdictOf(in.Claim)
	_, evidence := speaks(in.Shown())
	_, claim := speaks(reason)
	_, task := instructs(in.Asked())
	return evidence || claim || task
}

// nothingLeft reports whether evidence has nothing that could be quoted once its orders are left out.
func nothingLeft(evidence string) bool {
	rest := strings.ReplaceAll(evidence, withheld, "")
	n, _ := weight(rest)
	return rest != evidence && n < leastLine
}

// speaks returns the first sentence that orders a verdict or that instructs finds.
func speaks(s string) (sentence string, is bool) {
	if sentence, is = guard.Forces(s); is {
		return sentence, true
	}
	return instructs(s)
}

// instructs returns the first sentence that instructs a model, or that gives the answer's own fields.
func instructs(s string) (sentence string, is bool) {
	if at := answering().FindStringSubmatchIndex(s); at != nil {
		from, to := 0, len(s)
		if ends := sentenceEnd().FindAllStringIndex(s[:at[2]], -1); ends != nil {
			from = ends[len(ends)-1][1]
		}
		if end := sentenceEnd().FindStringIndex(s[at[1]:]); end != nil {
			to = at[1] + end[0]
		}
		return s[from:to], true
	}
	for _, one := range text.Sentences(s) {
		if _, is = guard.Instructs(one); is {
			return one, true
		}
	}
	_, is = guard.Instructs(s)
	return s, is
}

// sentenceEnd matches where a sentence ends, without the marks of numbers.
var sentenceEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n|[。！？；!?]|\.\s`) })

// answering matches a field of the answer with its value, such as “holds: yes” or “chance = 100”, also in full width.
var answering = sync.OnceValue(func() *regexp.Regexp {
	const is = `["'”’]?\s*(?:[:：=＝]|->|→|\bis\b|\bto\b|\bas\b|为|是|填|写)\s*["'“‘]?\s*`
	fields := wide("holds") + is + `(?:` + wide("yes") + `|` + wide("no") + `|` + wide("unseen") + `|是|否)` +
		`|(?:` + wide("shown") + `|` + wide("blame") + `)` + is +
		`(?:` + wide("yes") + `|` + wide("unseen") + `|` + wide("agent") + `|` + wide("beyond") + `)` +
		`|` + wide("chance") + is + `[0-9０-９]{1,3}(?:[^0-9０-９.．%％]|$)` +
		`|["'“]` + wide("points") + `["'”]\s*[:：]\s*\[`
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN_])(` + fields + `)`)
})

// wide returns a pattern of a word in lower case, whose letters may be of full width.
func wide(word string) string {
	var b strings.Builder
	for _, r := range word {
		b.WriteString("[" + string(r) + string(r-'a'+'ａ') + string(r-'a'+'Ａ') + "]")
	}
	return b.String()
}

// leaveOutAll replaces the sentences that a function finds.
func leaveOutAll(s string, find func(string) (string, bool)) string {
	for range mostOrders {
		sentence, is := find(s)
		if !is {
			break
		}
		without := leaveOut(s, sentence)
		if without == s {
			break
		}
		s = without
	}
	return s
}

// leaveOut replaces a sentence, whose white space may differ from that in the text.
func leaveOut(s, sentence string) string {
	words := strings.Fields(sentence)
	for from := 0; from < len(s) && len(words) > 0; {
		at := strings.Index(s[from:], words[0])
		if at < 0 {
			break
		}
		if end := after(s[from+at:], words); end > 0 {
			return s[:from+at] + withheld + s[from+at+end:]
		}
		from += at + len(words[0])
	}
	return s
}

// after returns the end of a sentence at the beginning of s, with any white space in it; 0 if s begins with
// something else.
func after(s string, words []string) int {
	end := 0
	for i, w := range words {
		rest := s[end:]
		if i > 0 {
			rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		}
		if !strings.HasPrefix(rest, w) {
			return 0
		}
		end = len(s) - len(rest) + len(w)
	}
	return end
}
