// Package plot shows a report of effect to people: how it came to be as places in an SVG, in words and as a table, and
// what to do next. The command and the service show the same.
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

// Say says a sentence in the language of who looks. The Chinese stands with that of other packages, see internal/po.
type Say func(english string, args ...any) string

// These bound the drawing area of a plot, in units of its viewBox.
const (
	left, top    = 50.0, 20.0
	width, depth = 360.0, 270.0
)

// X returns the place of a share of the way from left to right.
func X(share float64) float64 { return math.Round(10*(left+width*share)) / 10 }

// Y returns the place of a share of the way from bottom to top.
func Y(share float64) float64 { return math.Round(10*(top+depth*(1-share))) / 10 }

// Chart is a plot. Every number in it is a place in its drawing area.
type Chart struct {
	ID, Title, Note string
	Says            string // for who does not see it
	XAxis, YAxis    string
	X, Y            []Mark
	Band            string // points of what lies between two curves
	Rules           []Mark // level lines
	Turns           []Mark // upright lines
	Lines           []Line
	Bars            []Bar
	InNumbers       string   // what the table below it is called
	Heads           []string // of Rows
	Rows            [][]string
}

// Mark is a place on an axis with its label.
type Mark struct {
	At     float64
	Label  string
	Anchor string // of the label: "" is middle
}

// Line is a curve; Class says how it looks.
type Line struct{ Class, Points, Name string }

// Keys returns the curves where there are several: their names are above the plot, where they cover nothing.
func (c *Chart) Keys() []Line {
	if len(c.Lines) < 2 {
		return nil
	}
	return c.Lines
}

// Bar is an upright bar.
type Bar struct {
	X, Y, Width, Depth float64
	Title              string
}
