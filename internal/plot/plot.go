// Package plot shows a report of effect to people: its course over time as coordinates in an SVG, as sentences and as
// a table, and the next step to take. The command and the service show the same.
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

// Style is the style of plots. A page sets the colours --ink, --soft, --line, --paper, --ours, --near, --bad, --good.
//
//go:embed plot.css
var Style string

// Say formats a sentence in the language of the reader. For the Chinese see internal/po.
type Say func(english string, args ...any) string

// These bound the drawing area of a plot, in units of its viewBox.
const (
	left, top    = 50.0, 20.0
	width, depth = 360.0, 270.0
)

// X returns the coordinate of a share of the width, from left to right.
func X(share float64) float64 { return math.Round(10*(left+width*share)) / 10 }

// Y returns the coordinate of a share of the height, from bottom to top.
func Y(share float64) float64 { return math.Round(10*(top+depth*(1-share))) / 10 }

// Chart is a plot. Every number in it is a coordinate of its drawing area.
type Chart struct {
	ID, Title, Note string
	Says            string // a text alternative for people who cannot see the plot
	XAxis, YAxis    string
	X, Y            []Tick
	Band            string // points of the area between two curves
	Rules           []Tick // horizontal lines
	Turns           []Tick // vertical lines
	Lines           []Line
	Bars            []Bar
	InNumbers       string   // the caption of the table below it
	Heads           []string // of Rows
	Rows            [][]string
}

// Tick is a position on an axis with its label.
type Tick struct {
	At     float64
	Label  string
	Anchor string // of the label: "" is middle
}

// Line is a curve. Class is its CSS class.
type Line struct{ Class, Points, Name string }

// Keys returns the curves if there are several, for the legend above the plot.
func (c *Chart) Keys() []Line {
	if len(c.Lines) < 2 {
		return nil
	}
	return c.Lines
}

// Bar is a vertical bar.
type Bar struct {
	X, Y, Width, Depth float64
	Title              string
}
