package say

import (
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// Output collects the lines of text that a command prints on its terminal.
type Output struct {
	Terminal
	Lines []string
}

// nameCells is the width of the column of names.
const nameCells = 14

// Raw adds lines without wrapping them.
func (p *Output) Raw(lines ...string) { p.Lines = append(p.Lines, lines...) }

// Add adds texts, each wrapped to the width of the terminal. An empty text adds an empty line.
func (p *Output) Add(texts ...string) {
	for _, s := range texts {
		p.Raw(p.Wrap(s)...)
	}
}

// Painted adds a text in a style, wrapped, with indent before each line.
func (p *Output) Painted(st Style, indent, s string) {
	for _, l := range Wrap(s, p.Width-len(indent)) {
		p.Raw(p.Paint(st, indent+l))
	}
}

// Bold adds a text in bold, wrapped.
func (p *Output) Bold(s string) { p.Painted(Bold, "", s) }

// Item adds the text s, wrapped, behind lead, such as a dash. Later lines begin below the text of the first.
func (p *Output) Item(lead, s string) { p.Raw(Hanging(lead, s, p.Width)...) }

// Table adds the lines of t, its head in bold.
func (p *Output) Table(t *Table) { p.Raw(t.Painted(&p.Terminal)...) }

// Part adds a text in a column beside its name. It adds nothing if value is empty.
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

// Head adds an empty line and then a heading in bold.
func (p *Output) Head(s string) { p.Raw("", p.Paint(Bold, s)) }
