package say

import (
	"cmp"
	"io"
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/text"
)

// Table is a text table. To fit a given width, it cuts the cells of columns with Column.Least.
type Table struct {
	Columns []Column
	Rows    [][]string
	Indent  string // text before each line
}

// Column describes one column of a Table.
type Column struct {
	Head  string // heading of the column
	Right bool   // align cells to the right, for numbers
	Least int    // cells that the column may be cut to; 0: it is never cut
}

const gap = "  "

// Add adds a row with these cells, one for each column.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Lines returns the lines of the table, the head first unless all headings are empty. They are wider than width if the
// columns cannot be cut enough.
func (t *Table) Lines(width int) []string {
	widths := t.fit(width - text.Width(t.Indent))
	out := make([]string, 0, len(t.Rows)+1)
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Head
	}
	if strings.TrimSpace(strings.Join(head, "")) != "" {
		out = append(out, t.line(head, widths))
	}
	for _, r := range t.Rows {
		out = append(out, t.line(r, widths))
	}
	return out
}

// fit gives every column the width it needs. Then it narrows the widest column that may be
// cut, again and again, until the line fits.
func (t *Table) fit(width int) []int {
	widths := make([]int, len(t.Columns))
	total := len(gap) * (len(t.Columns) - 1)
	for i, c := range t.Columns {
		widths[i] = text.Width(c.Head)
		for _, r := range t.Rows {
			if i < len(r) {
				widths[i] = max(widths[i], text.Width(text.Line(r[i])))
			}
		}
		total += widths[i]
	}
	for total > width {
		widest := -1
		for i, c := range t.Columns {
			if c.Least > 0 && widths[i] > c.Least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
		total--
	}
	return widths
}

func (t *Table) line(cells []string, widths []int) string {
	var b strings.Builder
	b.WriteString(t.Indent)
	for i, cell := range cells {
		if i > 0 {
			b.WriteString(gap)
		}
		cell = text.Fit(text.Line(cell), widths[i])
		if t.Columns[i].Right {
			b.WriteString(strings.Repeat(" ", max(0, widths[i]-text.Width(cell))))
			b.WriteString(cell)
		} else {
			b.WriteString(text.Pad(cell, widths[i]))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// Painted returns the lines of the table, cut to the width of the terminal s as [Table.Lines] cuts them, the head in
// bold.
func (t *Table) Painted(s *Terminal) []string {
	lines := t.Lines(s.Width)
	if len(lines) > len(t.Rows) {
		lines[0] = s.Paint(Bold, lines[0])
	}
	return lines
}

// WriteLines writes the lines to w, each followed by a line break.
func WriteLines(w io.Writer, lines ...string) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// Wrap breaks s into lines of at most width terminal cells. It breaks between words and between Chinese characters, and
// cuts a word that is longer than a line. Line breaks in s stay.
func Wrap(s string, width int) []string {
	width = max(width, 2)
	var out []string
	for para := range strings.SplitSeq(text.Clean(s), "\n") {
		line := ""
		for _, piece := range pieces(para) {
			switch joined := line + piece; {
			case text.Width(strings.TrimRight(joined, " ")) <= width:
				line = joined
				continue
			case strings.TrimSpace(line) != "":
				out = append(out, strings.TrimRight(line, " "))
			}
			piece = strings.TrimLeft(piece, " ")
			for text.Width(piece) > width {
				head, rest := cut(piece, width)
				out, piece = append(out, head), rest
			}
			line = piece
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}

// Hanging returns the text s, wrapped to width, with lead before the first line and as many spaces before the others.
func Hanging(lead, s string, width int) []string {
	out := Wrap(s, width-text.Width(lead))
	for i, l := range out {
		if out[i] = lead + l; i > 0 {
			out[i] = strings.Repeat(" ", text.Width(lead)) + l
		}
	}
	return out
}

// cut splits s after as many characters as fit, but after one at least.
func cut(s string, width int) (head, rest string) {
	for i := range s {
		if i > 0 && text.Width(s[:i]) > width {
			break
		}
		if i > 0 {
			head = s[:i]
		}
	}
	head = cmp.Or(head, s)
	return head, s[len(head):]
}

// closing holds the marks that may not begin a line.
const closing = "，。！？；：、）】》」』”’,.!?;:)]}…"

// pieces splits a paragraph where a line may be broken. Joined, the pieces are the
// paragraph again.
func pieces(s string) []string {
	var out []string
	start, prev := 0, rune(-1)
	for i, r := range s {
		breaks := prev == ' ' && r != ' ' || prev > 0 && prev != ' ' && r != ' ' && (wide(prev) || wide(r))
		if breaks && i > start && r != '%' && !strings.ContainsRune(closing, r) && !strings.ContainsRune("（【《「『“‘", prev) {
			out = append(out, s[start:i])
			start = i
		}
		prev = r
	}
	return append(out, s[start:])
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}
