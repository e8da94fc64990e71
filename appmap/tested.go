package appmap

import (
	"cmp"
	"slices"

	"github.com/memtree/memtree/ledger"
)

// touchedPart is a page that a judged run was on, or an element that a run tested: Name is its name, "" for the page
// itself.
type touchedPart struct{ Product, Page, Name string }

// Limits on what waits for its page.
const (
	mostWaiting = 20_000
	unnamed     = "-" // a test without a name
)

// touched takes in what an entry of the ledger shows to be tested: the page of a judged run, and an element that a run
// under way tested. What the map does not have yet waits for it.
func (m *Map) touched(e *ledger.Entry) {
	var t touchedPart
	var test string
	switch {
	case e.Verdict != nil && e.Verdict.Excuse == "":
		t, test = touchedPart{Product: e.Verdict.Product, Page: e.Verdict.Scene.Route}, e.Verdict.CaseID
	case e.Work != nil && e.Work.Kind == ledger.WorkTested:
		t, test = touchedPart{e.Work.Product, e.Work.Page, e.Work.Name}, cmp.Or(e.Work.Test, e.Work.Run)
	}
	if t.Page == "" {
		return
	}
	t.Page, test = PageOf(t.Page), cmp.Or(test, unnamed)
	page := touchedPart{Product: t.Product, Page: t.Page}
	for _, t := range slices.Compact([]touchedPart{page, t}) {
		if m.touch(t, test) {
			continue
		}
		if _, waits := m.waiting[t]; waits || len(m.waiting) < mostWaiting {
			m.waiting[t] = with(m.waiting[t], test)
		}
	}
}

// touch adds a test to what it touched. It reports false where the map does not have that yet.
func (m *Map) touch(t touchedPart, test string) bool {
	g, elements := m.at(t)
	if g == nil {
		return false
	}
	if t.Name == "" {
		g.Tests = with(g.Tests, test)
		return true
	}
	for _, e := range elements {
		e.Tests = with(e.Tests, test)
	}
	return len(elements) > 0
}

// at returns the page of a touch, nil for one that the map does not have, and the elements of that name.
func (m *Map) at(t touchedPart) (g *page, elements []*element) {
	p := m.product(t.Product)
	if p == nil {
		return nil, nil
	}
	if g = p.Pages[p.place(t.Page)]; g == nil || t.Name == "" {
		return g, nil
	}
	for key, e := range g.Elements {
		if key.Name == t.Name {
			elements = append(elements, e)
		}
	}
	return g, elements
}

// settleWaiting adds the tests that waited for what a walk brought. Only those are sorted: thousands may wait.
func (m *Map) settleWaiting() {
	var brought []touchedPart
	for t := range m.waiting {
		if g, elements := m.at(t); g != nil && (t.Name == "" || len(elements) > 0) {
			brought = append(brought, t)
		}
	}
	slices.SortFunc(brought, touchedPart.compare)
	for _, t := range brought {
		for _, test := range m.waiting[t] {
			m.touch(t, test)
		}
		delete(m.waiting, t)
	}
}

func (t touchedPart) compare(o touchedPart) int {
	return cmp.Or(cmp.Compare(t.Product, o.Product), cmp.Compare(t.Page, o.Page), cmp.Compare(t.Name, o.Name))
}
