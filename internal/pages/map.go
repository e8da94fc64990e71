package pages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/memtree/memtree/appmap"
)

// mapData is the pages of an application with their coverage, and what no test touches; or one of the pages.
type mapData struct {
	Products []string
	Product  string
	Find     string // elements that are looked for
	Found    []appmap.FoundSelector
	Coverage appmap.Coverage
	Pages    []mapPage
	Gaps     []appmap.Gap
	More     int     // gaps that are not shown
	Next     string  // address of the next part of the list; "" if this is the last
	One      mapPage // the only page to show, if At is set
	At       string  // route or address of One; "": show all pages
}

// mapPage is a page with its wrong verdicts.
type mapPage struct {
	appmap.Page
	Wrong int
}

// Limits of the page.
const (
	mapMost  = 100 // pages of one part of the list
	gapsMost = 20
)

// atlas lists the pages of the application, those with most wrong verdicts first, and finds elements on them.
func (s *Site) atlas(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	d := mapData{Product: field(r, "product"), Find: field(r, "find"), At: field(r, "page")}
	wrong, err := appmap.WrongOnPages(r.Context(), v.Memory.Tree(), d.Product)
	if err != nil {
		return err
	}
	if err := v.Memory.Map().Read(r.Context(), func(x *appmap.Map) { d.read(x, wrong) }); err != nil {
		return err
	}
	slices.SortStableFunc(d.Pages, func(a, b mapPage) int { return b.Wrong - a.Wrong })
	from := min(atoi(field(r, "from")), len(d.Pages))
	if from+mapMost < len(d.Pages) {
		d.Next = "?" + url.Values{"product": {d.Product}, "from": {strconv.Itoa(from + mapMost)}}.Encode()
	}
	d.Pages = d.Pages[from:min(from+mapMost, len(d.Pages))]
	d.More = max(0, len(d.Gaps)-gapsMost)
	d.Gaps = d.Gaps[:min(gapsMost, len(d.Gaps))]
	return s.render(w, http.StatusOK, s.page(r, v, "map", s.speech(v.Lang).say("Map"), &d))
}

func (d *mapData) read(x *appmap.Map, wrong map[string]float64) {
	if d.Products = x.Products(); d.Product == "" && len(d.Products) > 0 {
		d.Product = d.Products[0]
	}
	if d.Find != "" {
		d.Found = x.Find(appmap.SelectorQuery{Text: d.Find, Product: d.Product, Page: d.At, Least: -1, Limit: 10})
	}
	if d.At != "" {
		if p, ok := x.Page(d.Product, d.At); ok {
			d.One = mapPage{p, int(wrong[p.Page])}
		}
		return
	}
	d.Coverage = x.Coverage(d.Product)
	for _, p := range x.Pages(d.Product) {
		d.Pages = append(d.Pages, mapPage{p, int(wrong[p.Page])})
	}
	d.Gaps = x.Gaps(d.Product, func(page string) float64 { return wrong[page] })
}

// To returns the address of a page of the map.
func (d *mapData) To(page string) string {
	return "?" + url.Values{"product": {d.Product}, "page": {page}}.Encode()
}
