package risk

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/text"
)

// The values of Reason.From.
const (
	FromPrompt      = "prompt"      // the words are from the task of the agent
	FromObservation = "observation" // the words are from what the agent saw
	FromBoth        = "both"        // some words are from the task, others from what the agent saw
)

// SameTest counts the verdicts on one test that a Model has learned.
type SameTest struct {
	Known int `json:"known"` // learned verdicts
	Wrong int `json:"wrong"` // of Known, wrong verdicts
}

// before counts the verdicts of any value on the test of f.
func (m *learner) before(f *Features) (b SameTest) {
	for _, v := range m.values {
		c := m.rate[m.cell(aboutPlace, f.places[len(f.places)-1], v.hash)]
		b.Known, b.Wrong = b.Known+int(c.total()), b.Wrong+int(c.wrong)
	}
	return b
}

// whole replaces the tokens in reasons by the words of the verdict that contain them, and sets From. It omits tokens
// without such a word: a number, a letter, a character of a Chinese word.
func whole(rs []Reason, reason, prompt, observation string) {
	for i := range rs {
		r := &rs[i]
		switch {
		case len(r.Words) == 0:
		case r.Signal == signalNames[reasonWords]:
			r.Words = wordsWith(r.Words, reason)
		default:
			asked := wordsWith(r.Words, prompt)
			seen := wordsWith(r.Words, observation)
			seen = slices.DeleteFunc(seen, func(w string) bool { return slices.Contains(asked, w) })
			switch r.Words = append(asked, seen...); {
			case len(seen) == 0 && len(asked) > 0:
				r.From = FromPrompt
			case len(asked) == 0 && len(seen) > 0:
				r.From = FromObservation
			case len(r.Words) > 0:
				r.From = FromBoth
			}
		}
	}
}

// wordsWith returns the words of a text that contain one of the tokens, each once. Consecutive Chinese characters form
// one word, as far as tokens of two characters cover them.
func wordsWith(tokens []string, from string) (out []string) {
	for run, han := range scripts(text.Normal(from, mostShownText)) {
		words := []string{strings.Trim(run, "'_")}
		switch {
		case han:
			words = covered([]rune(run), tokens)
		case !readable(run) || !has(run, tokens):
			continue
		}
		for _, w := range words {
			if !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, w) }) && len(out) < maxShown {
				out = append(out, w)
			}
		}
	}
	return out
}

// mostShownText is the most bytes of a text searched for words to show.
const mostShownText = 32 << 10

// scripts splits a text into runs of Chinese characters, and of other letters, numbers, apostrophes and underscores. It
// yields true for a Chinese run.
func scripts(s string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		from, was := 0, none
		for i, r := range s + " " {
			is := scriptOf(r)
			if is == was {
				continue
			}
			if was != none && !yield(s[from:i], was == han) {
				return
			}
			from, was = i, is
		}
	}
}

// script is a kind of run in scripts.
type script int

const (
	none script = iota
	letters
	han
)

func scriptOf(r rune) script {
	switch {
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.IsLetter(r), unicode.IsNumber(r), r == '_', r == '\'':
		return letters
	}
	return none
}

// readable reports whether a run is more than a number or a single letter.
func readable(run string) bool {
	return strings.ContainsFunc(run, unicode.IsLetter) && len([]rune(strings.Trim(run, "'_"))) > 1
}

// has reports whether a run of letters has one of the tokens. It relies on a stem and its word having the same
// beginning.
func has(run string, tokens []string) bool {
	low := strings.ToLower(run)
	near := func(t string) bool { return strings.Contains(low, t[:min(3, len(t))]) }
	return slices.ContainsFunc(tokens, near) &&
		slices.ContainsFunc(text.Tokens(run), func(t string) bool { return slices.Contains(tokens, t) })
}

// covered returns the parts of a run of Chinese characters that are covered by tokens of two characters.
func covered(run []rune, tokens []string) (out []string) {
	from := -1
	for i := range len(run) {
		is := i+1 < len(run) && slices.Contains(tokens, string(run[i:i+2]))
		switch {
		case is && from < 0:
			from = i
		case !is && from >= 0:
			out = append(out, string(run[from:i+1]))
			from = -1
		}
	}
	return out
}
