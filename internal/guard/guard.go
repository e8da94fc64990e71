// Package guard answers three questions about a text that an agent may be shown, in Chinese or English. Does it force a
// verdict? Does it give away the truth of a test? Does it instruct the agent beyond its role? Every stage that forms,
// writes, imports or shows a text uses this package, so that all of them get the same answer.
//
// A memory describes what to look at. It must not decide the verdict: an agent that obeys would be right or wrong by
// what was true before, not by what it sees.
//
// Every function is pure and safe for concurrent use. The functions do not find everything: a text that passes is still
// shown in a fence, as a hypothesis.
//
// Where to look:
//   - forces.go, decides.go, fields.go, linear.go, learned.go, tags.go: texts that force a verdict; lexicon.txt: the
//     terms for them
//   - truths.go, plain.go, onlyverdict.go, states.go: texts that give a truth away; instructs.go, orders.txt: orders to
//     the agent
package guard

import (
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// forcesVerdict is the reason [Unsafe] gives for a text that forces a verdict.
const forcesVerdict = "forces a verdict whatever the agent sees"

// Reasons returns all reasons that [Unsafe] can give, so that a program can translate them.
func Reasons() []string { return []string{quits, poses, strays, runs, spies, breaks, forcesVerdict} }

// Unsafe reports whether s must not be shown to an agent, whatever the test is, because it gives the agent orders or
// forces a verdict. reason continues the sentence "its text …".
func Unsafe(s string) (reason string, unsafe bool) {
	if reason, yes := Instructs(s); yes {
		return reason, true
	}
	if _, yes := Forces(s); yes {
		return forcesVerdict, true
	}
	return "", false
}

// Which returns the part of s for which [Unsafe] refuses it: the phrase that gives orders, in lower case, or the first
// sentence that forces a verdict. It returns "" for a safe text.
func Which(s string) string {
	if _, at := instructing(s); at != "" {
		return at
	}
	found, _ := Forces(s)
	return strings.TrimSpace(found)
}

// Keep returns s without the sentences that are unsafe or contain one of the truths. It removes whole sentences,
// because half a sentence may have another meaning. If the remaining sentences together are unsafe or contain a truth,
// it returns "".
//
// If there is nothing to remove, it returns s unchanged. Otherwise it puts the remaining sentences on one line, but
// begins a new line after a sentence without an end mark.
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

// fit reports whether s may be shown: it is safe and contains none of the truths. White space alone is not fit, so
// that Keep makes it "".
func fit(s string, truths Truths) bool {
	if strings.TrimSpace(s) == "" {
		return s == ""
	}
	_, unsafe := Unsafe(s)
	return !unsafe && !truths.In(s)
}

// appendSentence appends a sentence to others: on the same line when they end with an end mark, else on a new line.
func appendSentence(others, one string) string {
	fullStop := strings.HasSuffix(strings.TrimRight(others, "\"'”’」』)）"), ".")
	mark := strings.ContainsAny(others[max(0, len(others)-6):], "!?。！？；…") // perhaps before a closing quote
	if others == "" || fullStop || mark {
		return text.Append(others, one)
	}
	return others + "\n" + one
}
