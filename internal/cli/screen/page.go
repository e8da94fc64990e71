package screen

import (
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// Page is a readable page of named parts, each wrapped beside its name.
type Page struct {
	Lines []string
	Width int
}

// nameCells is the width of the column of names.
const nameCells = 14

// Part adds a text beside its name, unless it is empty.
func (p *Page) Part(name, value string) {
	value = strings.TrimSpace(text.Clean(value))
	if value == "" {
		return
	}
	for i, l := range Wrap(value, p.Width-nameCells) {
		if i > 0 {
			name = ""
		}
		p.Lines = append(p.Lines, strings.TrimRight(text.Pad(name, nameCells)+l, " "))
	}
}

// Head adds a heading.
func (p *Page) Head(s string) { p.Lines = append(p.Lines, "", s) }
