package knowledge

import (
	"cmp"
	"fmt"
	"unicode"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// MostColumns is the most columns of the sentence of a fact: 260 characters, 130 of Chinese.
const MostColumns = 260

// leastStated is the fewest words of a sentence.
const leastStated = 3

// Clean returns s fit to be stored and shown to agents, and how many secrets it removed. secrets removes the secrets of
// one text and returns their number. An empty kind becomes ledger.Behaviour. Clean refuses, with a *tree.FieldError, a
// statement that is too long or too short, is not in Latin or Chinese letters, or orders an agent to do something or to
// reach a verdict.
func Clean(s ledger.Statement, secrets func(string) (string, int)) (ledger.Statement, int, error) {
	found := 0
	clean := func(s string) string {
		out, n := secrets(text.Line(s))
		found += n
		return out
	}
	bad := func(field, problem string, args ...any) (ledger.Statement, int, error) {
		return ledger.Statement{}, 0, &tree.FieldError{Field: field, Problem: fmt.Sprintf(problem, args...)}
	}
	s.Text = clean(s.Text)
	s.Pages = cleanAll(s.Pages, func(p string) string { return clean(pageSpelled(p)) })
	s.Builds = cleanAll(s.Builds, clean)
	for _, f := range []*string{&s.Agent, &s.Fixed, &s.Scope.Product, &s.Scope.Suite, &s.Scope.Test} {
		*f = clean(*f)
	}
	s.Scope.SuiteTests = cleanAll(s.Scope.SuiteTests, clean)
	s.Kind = cmp.Or(s.Kind, ledger.Behaviour)
	w := text.Width(s.Text)
	switch {
	case s.Text == "":
	case w > MostColumns:
		return bad("statement", "is %d columns wide; the most is %d, which is %d Chinese characters; shorten it, "+
			"or state two facts", w, MostColumns, MostColumns/2)
	case len(text.Words(s.Text)) < leastStated:
		return bad("statement", "is too short; state in one sentence what holds")
	case foreign(s.Text):
		return bad("statement", "is in neither Chinese nor English; state it in one of them")
	}
	if reason, unsafe := guard.Unsafe(s.Text); unsafe {
		return bad("statement", "is refused, because %s (%q); state what holds, not what to answer", "its text "+reason,
			text.Clip(guard.Which(s.Text), 60))
	}
	return s, found, s.Check()
}

// pageSpelled spells a route as a pattern, and leaves the name of a page.
func pageSpelled(p string) string {
	if key := pageKey(p); len(key) > 0 && key[0] == '/' {
		return key
	}
	return p
}

func cleanAll(list []string, clean func(string) string) (out []string) {
	for _, s := range list {
		if s = clean(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// foreign reports whether more than a third of the letters are neither Latin nor Chinese.
func foreign(s string) bool {
	all, other := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			all++
			if !unicode.In(r, unicode.Latin, unicode.Han) {
				other++
			}
		}
	}
	return other*3 > all
}
