package appmap

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// MostFound is the most selectors that Find returns.
const MostFound = 50

// SelectorQuery describes the element or action for which Find looks for selectors.
type SelectorQuery struct {
	Text    string  // what is looked for, such as "the submit button of the login form"
	Product string  // "" if there is one product only
	Page    string  // an address or a route; "": all pages
	Do      string  // action: click, fill, …; "": any
	Least   float64 // least trust; 0: .7; less than 0: any, and without Do also elements that no run has acted on
	Limit   int     // most results, up to MostFound; 0: 5
}

// FoundSelector is a selector that fits a query, with how often it worked.
type FoundSelector struct {
	Page string `json:"page"`
	Role string `json:"role,omitempty"`
	Name string `json:"name,omitempty"`
	Do   string `json:"do,omitempty"`
	// the selector; for an element that no run has acted on, made of role and name, as Playwright writes it
	Selector string  `json:"selector"`
	Trust    float64 `json:"trust"`            // see the package comment; 0 if no run has tried it
	Tried    int     `json:"tried"`            // number of attempts
	Worked   int     `json:"worked"`           // number of successes
	Mean     int     `json:"meanMs,omitempty"` // mean milliseconds of the last 20 successes with a time
	P90      int     `json:"p90Ms,omitempty"`  // 90th percentile of these milliseconds
	Build    string  `json:"build,omitempty"`  // build on which the selector last worked
	Score    float64 `json:"score"`            // how well the selector fits the query, 0 to 1
}

// Find returns the selectors that fit q, the best first. Of several selectors for one action on one element it returns
// the one with most trust; if several have the same, it prefers the forms that Playwright recommends.
func (m *Map) Find(q SelectorQuery) []FoundSelector {
	p := m.product(q.Product)
	if p == nil {
		return nil
	}
	least := q.Least
	switch {
	case least == 0:
		least = leastTrust
	case least < 0:
		least = 0
	}
	ask := p.vocabulary().ask(q.Text).inParts(q.Text)
	name := m.nameOf(p)
	var among map[Thing]bool // on a large map, the elements whose other names are compared
	if ask.among != nil {
		among = m.names.having(ask.terms)
	}
	of := ""
	if q.Page != "" {
		of = p.place(PageOf(q.Page))
	}
	best := map[[4]string]FoundSelector{}
	offer := func(f FoundSelector) {
		if f.Trust < least {
			return
		}
		key := [4]string{f.Page, f.Do, f.Role, f.Name}
		if f.Role == "" && f.Name == "" {
			key[3] = f.Selector
		}
		if have, ok := best[key]; ok && !better(&f, &have) {
			return
		}
		best[key] = f
	}
	for route, g := range p.Pages {
		if of != "" && route != of {
			continue
		}
		about := ask.on(route, g.Title+" "+g.headings())
		others := func(role, called string) ([]string, bool) {
			t := Thing{name, route, role, called}
			list, read := m.names.Of(t)
			if ask.among != nil && !among[t] {
				list = nil
			}
			return list, read
		}
		for key, r := range g.Patterns {
			if q.Do != "" && !strings.EqualFold(q.Do, key.Do) {
				continue
			}
			f := FoundSelector{
				Page: route, Role: key.Role, Name: key.Name, Do: key.Do, Selector: key.Selector,
				Trust: r.trust(), Tried: r.Tried, Worked: r.Worked, Build: r.Build,
			}
			f.Mean, f.P90 = r.times()
			f.Score = about.score(others, elementKey{key.Role, key.Name, ""}, key.Do, key.Selector)
			offer(f)
		}
		if q.Least >= 0 || q.Do != "" {
			continue
		}
		for key := range g.Elements {
			if score := about.score(others, key, "", ""); score >= leastScore {
				offer(FoundSelector{
					Page: route, Role: key.Role, Name: key.Name, Selector: playwright(key.Role, key.Name), Score: score,
				})
			}
		}
	}
	out := make([]FoundSelector, 0, len(best))
	for _, f := range best {
		if f.Score >= leastScore {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b FoundSelector) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Trust, a.Trust), cmp.Compare(a.Page, b.Page),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Do, b.Do),
			cmp.Compare(a.Selector, b.Selector))
	})
	return out[:min(len(out), cmp.Or(min(max(q.Limit, 0), MostFound), 5))]
}

// better reports whether a is to be given in place of b, which is for the same action on the same element.
func better(a, b *FoundSelector) bool {
	return cmp.Or(cmp.Compare(a.Trust, b.Trust), cmp.Compare(form(a.Selector), form(b.Selector)),
		cmp.Compare(b.Selector, a.Selector)) > 0
}

// form ranks forms of selectors: those by what a user sees hold longest.
func form(selector string) int {
	for i, mark := range []string{"getByRole", "getByLabel", "getByTestId", "getByText", "getBy", "data-test"} {
		if strings.Contains(selector, mark) {
			return 10 - i
		}
	}
	if strings.HasPrefix(selector, "/") || strings.HasPrefix(selector, "xpath=") {
		return 0
	}
	return 1
}

// playwright returns the selector of Playwright for a role and an accessible name.
func playwright(role, name string) string {
	switch {
	case role == "":
		return "page.getByText(" + quoted(name) + ")"
	case name == "":
		return "page.getByRole(" + quoted(role) + ")"
	default:
		return "page.getByRole(" + quoted(role) + ", { name: " + quoted(name) + " })"
	}
}

// The parts of a score. They sum to 1 with a perfect fit of all.
const (
	leastScore = 0.35
	ofName     = 0.62 // how alike the name of the element is to what is asked
	ofKind     = 0.16 // whether its role or action is asked for
	ofPage     = 0.22 // how alike its page is
	ofPart     = 0.85 // of a likeness with a part of the question alone
	unlike     = 0.1  // the similarity of vectors of texts that have nothing in common
	leastNamed = 0.6  // of a likeness with some name, for an element that a reader has named
	ofStill    = 0.5  // what is left for an element that one cannot act on, unless its role is asked for
)

// product returns the map of a product, of the only one where there is one alone.
func (m *Map) product(name string) *product {
	if p := m.products[name]; p != nil || name != "" || len(m.products) != 1 {
		return p
	}
	for _, p := range m.products {
		return p
	}
	return nil
}

// headings returns the names of a page's headings: what the page is about, in the language of the application.
func (g *page) headings() string {
	var names []string
	for key := range g.Elements {
		if key.Role == "heading" {
			names = append(names, key.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names[:min(len(names), mostHeadings)], " ")
}

// mostHeadings is how many headings of a page are compared.
const mostHeadings = 8

// nameOf returns the name of a product.
func (m *Map) nameOf(p *product) string {
	for name, x := range m.products {
		if x == p {
			return name
		}
	}
	return ""
}

// mentions reports whether the question has one of the terms.
func (a *asked) mentions(words string) bool {
	if known, ok := a.kinds[words]; ok {
		return known
	}
	for t := range text.TokenSet(words) {
		if a.terms[t] {
			a.kinds[words] = true
			return true
		}
	}
	a.kinds[words] = false
	return false
}

// wordsOfSelector returns how a selector without a name describes its element.
func wordsOfSelector(selector string) string {
	return strings.Join(strings.FieldsFunc(selector, func(r rune) bool {
		return strings.ContainsRune(`#.[]()='"/:>@*,`, r)
	}), " ")
}

func (k linkKey) compare(o linkKey) int {
	return cmp.Or(cmp.Compare(k.To, o.To), cmp.Compare(k.Do, o.Do), cmp.Compare(k.Role, o.Role),
		cmp.Compare(k.Name, o.Name))
}
