// Package guard answers three questions about a text that an agent may be shown,
// in Chinese or English: does it force a verdict, does it give away the truth of a
// test, does it try to instruct beyond its place. Whoever forms, writes, imports or
// shows a text asks here, so that all of them answer alike.
//
// A memory says what to look at. What it must not do is decide: an agent that obeys
// would then be right or wrong by what was so before, not by what it sees.
//
// Every function is pure, works in time linear in its text, and may be called from
// any number of goroutines. They are sieves: what passes them is still shown
// fenced, as a hypothesis.
package guard

import (
	"strings"

	"github.com/memtree/memtree/text"
)

// ForcesVerdict is the reason [Unsafe] gives for a text that forces a verdict.
const ForcesVerdict = "forces a verdict whatever the agent sees"

// Reasons returns every reason that [Unsafe] gives, so that a program can keep them
// in other languages.
func Reasons() []string { return []string{quits, poses, spies, breaks, ForcesVerdict} }

// Unsafe reports whether a text may not be shown to an agent, whatever test it is
// shown for: it instructs beyond its place or forces a verdict. reason continues
// the sentence "its text …".
func Unsafe(s string) (reason string, unsafe bool) {
	if reason, yes := Instructs(s); yes {
		return reason, true
	}
	if _, yes := Forces(s); yes {
		return ForcesVerdict, true
	}
	return "", false
}

// Keep returns a text without the sentences that are unsafe or say one of the
// truths. A sentence is kept whole or dropped whole, because half a sentence may
// mean anything. What is kept is safe and says no truth, also where that takes two
// sentences together: then nothing is kept. A text with nothing to drop comes back
// as it is; otherwise its sentences stand on one line, but for those that only the
// end of a line ended.
func Keep(s string, truths Truths) string {
	if fit(s, truths) {
		return s
	}
	kept := ""
	for _, one := range text.Sentences(text.Clean(s)) {
		if fit(one, truths) {
			kept = after(kept, text.Squeeze(one))
		}
	}
	if kept == "" || !fit(kept, truths) {
		return ""
	}
	return kept
}

func fit(s string, truths Truths) bool {
	if strings.TrimSpace(s) == "" {
		return s == ""
	}
	_, unsafe := Unsafe(s)
	return !unsafe && !truths.In(s)
}

// after puts a sentence after others.
func after(others, one string) string {
	if others == "" || strings.HasSuffix(strings.TrimRight(others, "\"'”’」』)）"), ".") || strings.ContainsAny(others[max(0, len(others)-6):], "!?。！？；…") {
		return text.Append(others, one)
	}
	return others + "\n" + one
}
