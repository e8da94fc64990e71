package fact

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// Ground returns an error if an expectation that was read from texts by someone else, such as a language model, is not
// supported by them; nil if it may be stored. said are the texts of the miss, prompt is the task.
//
//   - From occurs in one of said, and every text that the expectation names, expects or has seen occurs in From or
//     in the prompt. Seen occurs in From.
//   - Expected was wanted, and Seen was seen: no recognized form in the texts states the opposite.
//   - A text to look for is quoted, or a number. “The placeholder” describes a text.
//
// Texts are compared like fold compares them: ignoring case, spaces and variants of signs.
func Ground(e tree.Expectation, said []string, prompt string) error {
	if err := e.Check(); err != nil {
		return err
	}
	if !slices.ContainsFunc(said, func(s string) bool { return has(s, e.From) }) {
		return ungrounded("from", e.From, "stands in none of the texts")
	}
	texts := e.From + "\n" + prompt
	for _, x := range []struct{ field, words, in string }{
		{"where.name", e.Where.Name, texts}, {"where.page", e.Where.Page, texts}, {"where.after", e.Where.After, texts},
		{"expected", valueOf(e.Property, e.Expected), texts}, {"seen", valueOf(e.Property, e.Seen), e.From},
	} {
		if x.words != "" && !has(x.in, x.words) {
			return ungrounded(x.field, x.words, "stands neither in from nor in the task")
		}
	}
	if e.Property == tree.OfText || e.Property == tree.OfValue {
		for _, s := range []string{e.Expected, e.Seen} {
			if s != "" && digits(s) == "" && !isQuotedIn(e.From, s) && !isQuotedIn(prompt, s) {
				return ungrounded("expected", s, "is not quoted, so it may describe a text and not be one")
			}
		}
	}
	return opposed(e)
}

// opposed returns an error if a recognized form in From states the opposite of an expectation.
func opposed(e tree.Expectation) error {
	was, should := map[string]bool{}, map[string]bool{}
	for _, o := range Expect(e.From, "") {
		was[folding(o.Seen)], should[folding(o.Expected)] = true, true
	}
	if s := folding(e.Expected); s != "" && was[s] && !should[s] {
		return ungrounded("expected", e.Expected, "is what was seen, not what was wanted")
	}
	if s := folding(e.Seen); s != "" && should[s] && !was[s] {
		return ungrounded("seen", e.Seen, "is what was wanted, not what was seen")
	}
	return nil
}

// valueOf returns the part of a value that must occur in the texts: none of a state or a relation, whose names are
// ours.
func valueOf(p tree.Property, value string) string {
	switch p {
	case tree.OfState, tree.OfRelation, tree.OfOrder:
		return ""
	case tree.OfAttribute:
		_, value, _ = strings.Cut(value, "=")
	}
	return value
}

func has(s, words string) bool { return strings.Contains(folding(s), folding(words)) }

func folding(s string) string {
	f := fold(s)
	return string(f.runes)
}

func ungrounded(field, words, problem string) error {
	return &tree.FieldError{Field: "expect." + field, Problem: "“" + words + "” " + problem}
}
