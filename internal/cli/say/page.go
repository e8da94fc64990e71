package say

import (
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// Output collects the lines of an output that is as wide as its terminal.
type Output struct {
	Terminal
	Lines []string
}

// nameCells is the width of the column of names.
const nameCells = 14

// Raw adds lines as they are.
func (p *Output) Raw(lines ...string) { p.Lines = append(p.Lines, lines...) }

// Add adds texts, each wrapped. An empty text is an empty line.
func (p *Output) Add(texts ...string) {
	for _, s := range texts {
		p.Raw(p.Wrap(s)...)
	}
}

// Painted adds a text in a style, wrapped behind an indent.
func (p *Output) Painted(st Style, indent, s string) {
	for _, l := range Wrap(s, p.Width-len(indent)) {
		p.Raw(p.Paint(st, indent+l))
	}
}

// Bold adds a text in bold, wrapped.
func (p *Output) Bold(s string) { p.Painted(Bold, "", s) }

// Item adds a text behind a lead, such as a dash, with its later lines below the first.
func (p *Output) Item(lead, s string) { p.Raw(Hanging(lead, s, p.Width)...) }

// Table adds a table, its head in bold.
func (p *Output) Table(t *Table) { p.Raw(t.Painted(&p.Terminal)...) }

// Part adds a text beside its name, unless it is empty.
func (p *Output) Part(name, value string) {
	value = strings.TrimSpace(text.Clean(value))
	if value == "" {
		return
	}
	for i, l := range Wrap(value, p.Width-nameCells) {
		if i > 0 {
			name = ""
		}
		p.Raw(strings.TrimRight(text.Pad(name, nameCells)+l, " "))
	}
}

// Head adds a heading in bold, below an empty line.
func (p *Output) Head(s string) { p.Raw("", p.Paint(Bold, s)) }
