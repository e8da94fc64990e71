// Package guard answers three questions about a text that an agent may be shown,
// in Chinese or English. Does it force a verdict? Does it give away the truth of a
// test? Does it instruct the agent beyond its place? Every stage that forms, writes,
// imports or shows a text asks here, so that all of them get the same answer.
//
// A memory says what to look at. It must not decide the verdict: an agent that
// obeys would be right or wrong by what was true before, not by what it sees.
//
// Every function is pure, takes time linear in its text, and may be called from any
// number of goroutines. The functions are sieves: a text that passes is still shown
// fenced, as a hypothesis.
//
// Where to look:
//   - forces.go, linear.go, tags.go: what forces a verdict; lexicon.txt: its words
//   - truths.go, plain.go, verdict.go: what gives a truth away; instructs.go, orders.txt: orders to the agent
package guard

import (
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// ForcesVerdict is the reason [Unsafe] gives for a text that forces a verdict.
const ForcesVerdict = "forces a verdict whatever the agent sees"

// Reasons returns every reason that [Unsafe] can give, so that a program can
// translate them.
func Reasons() []string { return []string{quits, poses, spies, breaks, ForcesVerdict} }

// Unsafe reports whether a text must not be shown to an agent for any test, because
// it instructs beyond its place or forces a verdict. reason continues the sentence
// "its text …".
func Unsafe(s string) (reason string, unsafe bool) {
	if reason, yes := Instructs(s); yes {
		return reason, true
	}
	if _, yes := Forces(s); yes {
		return ForcesVerdict, true
	}
	return "", false
}

// Which returns the words for which [Unsafe] refuses a text: the turn of speech that instructs, in lower
// case, or the first sentence that forces a verdict. It returns "" for a text that is safe.
func Which(s string) string {
	if _, at := instructing(s); at != "" {
		return at
	}
	found, _ := Forces(s)
	return strings.TrimSpace(found)
}

// Keep returns a text without the sentences that are unsafe or say one of the
// truths. It keeps or drops whole sentences, because half a sentence may mean
// anything. If the sentences that are left are unsafe or say a truth when they
// stand together, it returns "".
//
// A text with nothing to drop comes back as it is. Otherwise its sentences are put
// on one line, except after a sentence that only the end of its line ended.
func Keep(s string, truths Truths) string {
	if fit(s, truths) {
		return s
	}
	kept := ""
	for _, one := range text.Sentences(text.Clean(s)) {
		if fit(one, truths) {
			kept = appendSentence(kept, text.Squeeze(one))
		}
	}
	if kept == "" || !fit(kept, truths) {
		return ""
	}
	return kept
}

// fit reports whether s may be shown: it is safe and says none of the truths. White
// space alone is not fit, so that Keep makes it "".
func fit(s string, truths Truths) bool {
	if strings.TrimSpace(s) == "" {
		return s == ""
	}
	_, unsafe := Unsafe(s)
	return !unsafe && !truths.In(s)
}

// appendSentence puts a sentence after others: on the same line when they end with
// an end mark, else on a new line.
func appendSentence(others, one string) string {
	fullStop := strings.HasSuffix(strings.TrimRight(others, "\"'”’」』)）"), ".")
	mark := strings.ContainsAny(others[max(0, len(others)-6):], "!?。！？；…") // perhaps before a closing quote
	if others == "" || fullStop || mark {
		return text.Append(others, one)
	}
	return others + "\n" + one
}
