package pages

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/memtree/memtree/appmap"
)

// The size of a spot and its distances, in units of the picture.
const (
	spotWide, spotHigh = 150, 34
	stepWide, stepHigh = 210, 46
	edge               = 10
)

// drawData is a map as a picture.
type drawData struct {
	Products []string
	Product  string
	Colour   string // tested or wrong
	Zoom     int    // 1 to 3
	In       string // the place whose pages are drawn; "": all
	Find     string // only pages whose route or title contains this; "": all
	Pages    int    // number of pages in the view
	Left     int

	Spots         []drawnSpot
	Ways          []string // paths of SVG
	Width, Height int
}

// drawnSpot is a page in the picture.
type drawnSpot struct {
	appmap.Spot
	X, Y  int
	Wrong int
	Class string // good, some, bad or none
	Label string
}

// To returns the address of a spot: a page of the map, or the picture of a group.
func (d *drawData) To(s *drawnSpot) string {
	if s.Group > 0 {
		return "drawing" + d.with(d.Colour, d.Zoom, s.Page, "")
	}
	return "map?" + url.Values{"product": {d.Product}, "page": {s.Page}}.Encode()
}

// With returns the address of the picture with another colour and zoom.
func (d *drawData) With(colour string, zoom int) string { return d.with(colour, zoom, d.In, d.Find) }

// Up returns the address of the picture of a place.
func (d *drawData) Up(in string) string { return d.with(d.Colour, d.Zoom, in, "") }

func (d *drawData) with(colour string, zoom int, in, find string) string {
	v := url.Values{"product": {d.Product}, "colour": {colour}, "zoom": {fmt.Sprint(zoom)}}
	if in != "" {
		v.Set("in", in)
	}
	if find != "" {
		v.Set("find", find)
	}
	return "?" + v.Encode()
}

// Above returns the places that contain the drawn place, the outermost first, and then that place itself.
func (d *drawData) Above() (out []string) {
	for i, r := range d.In {
		if r == '/' && i > 0 {
			out = append(out, d.In[:i])
		}
	}
	if d.In != "" {
		out = append(out, d.In)
	}
	return out
}

// Wide returns the width of the picture on the screen, in CSS pixels.
func (d *drawData) Wide() int { return d.Width * (d.Zoom + 1) / 2 }

// Zooms returns the values of Zoom.
func (*drawData) Zooms() []int { return []int{1, 2, 3} }

// drawing draws the map of a product: those pages with most wrong verdicts first.
func (s *Site) drawing(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	d := drawData{Product: field(r, "product"), Colour: field(r, "colour"), Zoom: min(max(1, atoi(field(r, "zoom"))), 3),
		In: field(r, "in"), Find: field(r, "find")}
	if d.Colour != "wrong" {
		d.Colour = "tested"
	}
	wrong, err := appmap.WrongOnPages(r.Context(), v.Memory.Tree(), d.Product)
	if err != nil {
		return err
	}
	var of appmap.Drawing
	err = v.Memory.Map().Read(r.Context(), func(x *appmap.Map) {
		if d.Products = x.Products(); d.Product == "" && len(d.Products) > 0 {
			d.Product = d.Products[0]
		}
		of = x.Draw(appmap.MapView{Product: d.Product, In: d.In, Text: d.Find,
			Weight: func(page string) float64 { return wrong[page] }})
	})
	if err != nil {
		return err
	}
	d.draw(&of)
	return s.render(w, http.StatusOK, s.page(r, v, "drawing", s.speech(v.Lang).say("The map, drawn"), &d))
}

// lastOf returns the end of a route, where pages differ.
func lastOf(route string, most int) string {
	r := []rune(route)
	if len(r) <= most {
		return route
	}
	return "…" + string(r[len(r)-most+1:])
}

// draw places spots and ways.
func (d *drawData) draw(of *appmap.Drawing) {
	d.Left, d.Pages = of.Left, of.Pages
	d.Width, d.Height = 2*edge+max(1, of.Columns)*stepWide, 2*edge+max(1, of.Rows)*stepHigh
	for _, s := range of.Spots {
		spot := drawnSpot{Spot: s, X: edge + s.Column*stepWide, Y: edge + s.Row*stepHigh, Wrong: int(s.Weight)}
		spot.Label, spot.Class = lastOf(s.Page, 20), "none"
		all := 1 // pages that a test has to be on
		if s.Group > 0 {
			all, spot.Label = s.Group, lastOf(s.Page, 13)+"/… "+fmt.Sprint(s.Group)
		}
		switch {
		case d.Colour == "wrong" && spot.Wrong > 0:
			spot.Class = "bad"
		case d.Colour == "wrong" && s.Tests > 0:
			spot.Class = "good"
		case d.Colour == "wrong":
		case s.Tests >= all && s.Count.Tested == s.Count.All:
			spot.Class = "good"
		case s.Tests > 0 || s.Count.Tested > 0:
			spot.Class = "some"
		}
		d.Spots = append(d.Spots, spot)
	}
	var b strings.Builder
	for _, w := range of.Ways {
		from, to := &d.Spots[w.From], &d.Spots[w.To]
		b.Reset()
		x, y, u, v := from.X+spotWide, from.Y+spotHigh/2, to.X, to.Y+spotHigh/2
		if to.Column <= from.Column { // back, or to a page beside it
			x, u = from.X, to.X+spotWide
			if to.Column == from.Column {
				u = to.X
			}
		}
		fmt.Fprintf(&b, "M%d %dC%d %d %d %d %d %d", x, y, x+(stepWide-spotWide)/2, y, u-(stepWide-spotWide)/2, v, u, v)
		d.Ways = append(d.Ways, b.String())
	}
}
