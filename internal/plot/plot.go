// Package plot shows a report of effect to people: its course over time as an SVG, as sentences and as a table, and the
// next step to take. The command and the service show the same.
//
// Where to look: charts.go (which charts a report has), gain.go, growth.go and rate.go (one each), next.go (the next
// step), words.go (sentences), scale.go and times.go (axes).
package plot

import (
	_ "embed"
	"math"
)

// Template defines "plot", which writes one Chart. Its classes are those of Style.
//
//go:embed plot.html.tmpl
var Template string

// Style is the CSS of charts. A page sets the colours --ink, --soft, --line, --paper, --ours, --near, --bad, --good.
//
//go:embed plot.css
var Style string

// voice formats a sentence in the language of the reader. For the Chinese see internal/po.
type voice func(english string, args ...any) string

// These bound the drawing area of a plot, in units of its viewBox.
const (
	left, top    = 50.0, 20.0
	width, depth = 360.0, 270.0
)

// X returns the horizontal coordinate of a share of the drawing area's width: 0 is its left end, 1 its right end.
func X(share float64) float64 { return math.Round(10*(left+width*share)) / 10 }

// Y returns the vertical coordinate of a share of the drawing area's height: 0 is its bottom, 1 its top.
func Y(share float64) float64 { return math.Round(10*(top+depth*(1-share))) / 10 }

// Chart is a chart for Template. All positions are coordinates in the SVG, as X and Y return them.
type Chart struct {
	ID, Title, Note string
	Says            string // a text alternative for people who cannot see the plot
	XAxis, YAxis    string
	X, Y            []axisTick
	Band            string     // points of the area between two curves
	Rules           []axisTick // horizontal lines
	Turns           []axisTick // vertical lines
	Lines           []curve
	Bars            []bar
	InNumbers       string   // caption of the table below the chart
	Heads           []string // headings of the columns of Rows
	Rows            [][]string
}

// axisTick is a position on an axis with its label.
type axisTick struct {
	At     float64
	Label  string
	Anchor string // of the label: "" is middle
}

// curve is a line through Points. Class is its CSS class.
type curve struct{ Class, Points, Name string }

// bar is a vertical bar.
type bar struct {
	X, Y, Width, Depth float64
	Title              string
}
