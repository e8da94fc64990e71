package look

import (
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/prompts"
)

// withheld replaces a sentence that is left out, as in a long text that is cut.
const withheld = "[…]"

// mostOrders is the most sentences that withoutOrders leaves out.
const mostOrders = 32

// withoutOrders returns evidence without the sentences that order a verdict, so that no reader sees them. Real evidence
// has some that read so, mostly because a task asks for a verdict; the rest of it can still be looked at.
func withoutOrders(evidence string) string {
	for range mostOrders {
		order, is := guard.Forces(evidence)
		if !is {
			break
		}
		without := leaveOut(evidence, order)
		if without == evidence {
			break
		}
		evidence = without
	}
	return evidence
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

// orders reports whether the evidence orders a verdict.
func orders(in *prompts.LookInput) bool {
	_, is := guard.Forces(in.Shown())
	return is
}
