package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// Limits on a table of labels.
const (
	maxLabelBytes = 64 << 20
	maxLabels     = 100_000 // lines
)

// Label is one line of a table of labels: what was true of a run.
type Label struct {
	Line  int    // line of the file, from 1
	ID    string // id of the run
	Truth string // a term for a verdict, in lower case
	Note  string
}

// Labels is the content of a table of labels.
type Labels struct {
	Told  []Label      // the labels, in the order of the file, each id once
	Empty int          // lines without a truth: not labelled yet
	Bad   []*LineError // lines that cannot be used, in the order of the file
}

// ReadLabels reads a table with the columns id, truth and optionally note: CSV as a spreadsheet saves it, with commas,
// semicolons or tabs, in UTF-8, UTF-16 or GBK. It ignores other columns. Unusable lines are in Labels.Bad and do not
// affect the others; a file that is not such a table is a *FileError.
//
// An id with two different truths is used for neither: both lines are bad.
func ReadLabels(name string, r io.Reader) (Labels, error) {
	table, problem, err := readTable(r)
	if err != nil {
		return Labels{}, fmt.Errorf("read %s: %w", name, err)
	}
	if problem != "" {
		return Labels{}, &FileError{File: name, Problem: problem}
	}
	l := labelReader{name: name, byID: map[string]int{}}
	if problem := l.read(table); problem != "" {
		return Labels{}, &FileError{File: name, Problem: problem, Empty: l.lines == 0}
	}
	slices.SortStableFunc(l.out.Bad, func(a, b *LineError) int { return a.Line - b.Line })
	l.out.Told = slices.DeleteFunc(l.out.Told, func(x Label) bool { return x.ID == "" })
	return l.out, nil
}

// readTable reads a whole table as UTF-8, or returns why it cannot.
func readTable(r io.Reader) (table []byte, problem string, err error) {
	if problem := unreadable(r); problem != "" {
		return nil, problem, nil
	}
	b, err := io.ReadAll(io.LimitReader(r, maxLabelBytes+1))
	var from encoding.Encoding
	switch {
	case err != nil:
		return nil, "", err //nolint:wrapcheck // the caller wraps it
	case len(b) > maxLabelBytes:
		return nil, fmt.Sprintf("has more than %d MiB; split it", maxLabelBytes>>20), nil
	case bytes.HasPrefix(b, []byte("PK\x03\x04")):
		return nil, "is a workbook, not a table of text; save it as CSV", nil
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		from = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case !utf8.Valid(b):
		from = simplifiedchinese.GB18030
	}
	if from != nil {
		if b, err = from.NewDecoder().Bytes(b); err != nil || bytes.ContainsRune(b, utf8.RuneError) {
			return nil, "is neither UTF-8 nor GBK; save it as CSV in UTF-8", nil //nolint:nilerr // the sentence says it
		}
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(b, 0) >= 0 {
		return nil, "is binary, not text; save the table as CSV", nil
	}
	return b, "", nil
}

// labelReader is the reading of one table.
type labelReader struct {
	name  string
	out   Labels
	lines int
	byID  map[string]int // index in out.Told
	at    [3]int         // columns of id, truth and note; -1 for none
}

// read reads the lines of a table, or returns why it has none.
func (l *labelReader) read(table []byte) (problem string) {
	skipped := 0
	if first, rest, _ := bytes.Cut(table, []byte("\n")); bytes.HasPrefix(bytes.ToLower(first), []byte("sep=")) {
		table, skipped = rest, 1 // a line for spreadsheets that names the separator
	}
	c := csv.NewReader(bytes.NewReader(table))
	c.Comma, c.FieldsPerRecord, c.ReuseRecord = Separator(table), -1, true
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if l.lines++; l.lines > maxLabels {
			return fmt.Sprintf("has more than %d lines; split it", maxLabels)
		}
		var bad *csv.ParseError
		switch {
		case errors.As(err, &bad):
			l.bad(bad.StartLine+skipped, "",
				`has a quotation mark out of place; put a cell with one into "…" and write it as ""`)
		case err != nil:
			return "cannot be read as CSV"
		case l.lines == 1:
			if problem := l.head(row); problem != "" {
				return problem
			}
		default:
			line, _ := c.FieldPos(0)
			l.row(line+skipped, row)
		}
		if l.lines == 1 && bad != nil {
			return noColumns
		}
	}
	if l.lines == 0 {
		return "is empty; " + firstLine
	}
	return ""
}

const (
	firstLine = "write id,truth,note as its first line and one run on each line below"
	noColumns = "has no columns id and truth; " + firstLine
)

// Separator returns the character between the cells of a table, as its first line shows: a comma, a semicolon or a tab.
func Separator(table []byte) rune {
	first, _, _ := bytes.Cut(table, []byte("\n"))
	best, most := ',', 0
	for _, c := range ",;\t" {
		if n := bytes.Count(first, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

// head finds the columns.
func (l *labelReader) head(row []string) (problem string) {
	names := make([]string, len(row))
	for i, cell := range row {
		names[i] = strings.ToLower(strings.TrimSpace(cell))
	}
	for i, name := range []string{"id", "truth", "note"} {
		l.at[i] = slices.Index(names, name)
	}
	if l.at[0] < 0 || l.at[1] < 0 {
		return noColumns
	}
	return ""
}

func (l *labelReader) row(line int, row []string) {
	cell := func(i int) string {
		if at := l.at[i]; at >= 0 && at < len(row) {
			return strings.TrimSpace(UnquoteCell(strings.TrimSpace(row[at])))
		}
		return ""
	}
	x := Label{Line: line, ID: cell(0), Truth: strings.ToLower(cell(1)), Note: cell(2)}
	first, twice := l.byID[x.ID]
	switch {
	case x.Truth == "" && x.ID == "" && x.Note == "":
	case x.Truth == "":
		l.out.Empty++
	case x.ID == "":
		l.bad(line, "id", "is missing; say which run it is")
	case !twice:
		l.byID[x.ID] = len(l.out.Told)
		l.out.Told = append(l.out.Told, x)
	case l.out.Told[first].Truth != x.Truth:
		if old := &l.out.Told[first]; old.ID != "" {
			l.contradicts(old.Line, line)
			old.ID = "" // removed at the end
		}
		l.contradicts(line, l.out.Told[first].Line)
	}
}

func (l *labelReader) contradicts(line, other int) {
	l.bad(line, "id", fmt.Sprintf("is in line %d too, with another truth; keep one of them", other))
}

func (l *labelReader) bad(line int, field, problem string) {
	l.out.Bad = append(l.out.Bad, &LineError{File: l.name, Line: line, Field: field, Problem: problem})
}

// starters are the first characters of a text that a spreadsheet reads as a formula.
const starters = "=+-@\t\r\n＝＋－＠"

// QuoteCell returns s as a cell of a table that no spreadsheet reads as a formula: it adds an apostrophe before a text
// that begins like one.
func QuoteCell(s string) string {
	if r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " '")); s != "" && strings.ContainsRune(starters, r) {
		return "'" + s
	}
	return s
}

// UnquoteCell returns the text from which QuoteCell made s.
func UnquoteCell(s string) string {
	rest, ok := strings.CutPrefix(s, "'")
	if ok && QuoteCell(rest) != rest {
		return rest
	}
	return s
}
