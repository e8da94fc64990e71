package appmap

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Requirement is a requirement of the product with the tests that check it.
type Requirement struct {
	Code     string            `json:"code"` // its id, such as REQ-12
	Title    string            `json:"title,omitempty"`
	Priority string            `json:"priority,omitempty"`
	Criteria []string          `json:"criteria,omitempty"`
	Pages    []string          `json:"pages,omitempty"`
	Checks   []RequirementTest `json:"checks"` // its tests, the surest first
}

// RequirementTest is a test that checks a requirement.
type RequirementTest struct {
	Test       string  `json:"test"`
	Confidence float64 `json:"confidence"` // 1: a walk states it; less: how well the texts fit
}

// leastLike is from which likeness a test is taken for one of a requirement.
const leastLike = 0.6

// Requirements returns the requirements of a product, sorted by code, each with at most 50 tests that check it. tests
// maps the names of further tests to their texts. A further test counts, with a confidence below 1, if its name or text
// contains the code of the requirement, or if its text is like the title.
func (m *Map) Requirements(product string, tests map[string]string) []Requirement {
	p := m.product(product)
	if p == nil {
		return nil
	}
	v := p.vocabulary()
	var out []Requirement
	for _, code := range slices.Sorted(maps.Keys(p.Needs)) {
		n := p.Needs[code]
		r := Requirement{Code: code, Title: n.Title, Priority: n.Priority, Criteria: n.Criteria, Checks: []RequirementTest{}}
		for _, route := range n.Pages {
			r.Pages = with(r.Pages, p.place(route))
		}
		for _, t := range n.Tests {
			r.Checks = append(r.Checks, RequirementTest{t, 1})
		}
		ask := v.ask(n.Title)
		for _, name := range slices.Sorted(maps.Keys(tests)) {
			if slices.Contains(n.Tests, name) {
				continue
			}
			if c := likeness(ask, code, name, tests[name]); c >= leastLike {
				r.Checks = append(r.Checks, RequirementTest{name, c})
			}
		}
		slices.SortStableFunc(r.Checks, func(a, b RequirementTest) int { return cmp.Compare(b.Confidence, a.Confidence) })
		r.Checks = r.Checks[:min(len(r.Checks), mostTests)]
		out = append(out, r)
	}
	return out
}

// likeness returns how surely a test checks a requirement, 0 to 1: .95 where its name or text mentions the code.
func likeness(ask *asked, code, name, prompt string) float64 {
	if names(name, code) || names(prompt, code) {
		return 0.95
	}
	return math.Round(min(0.9, ask.alike(prompt))*100) / 100
}

// names reports whether a text has a code that is not part of a longer one.
func names(s, code string) bool {
	for rest := s; ; {
		before, after, ok := strings.Cut(rest, code)
		if !ok {
			return false
		}
		last, first := ' ', ' '
		for _, r := range before {
			last = r
		}
		for _, r := range after {
			first = r
			break
		}
		part := func(r rune) bool { return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
		if !part(last) && !part(first) {
			return true
		}
		rest = after
	}
}
