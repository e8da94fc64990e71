package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/tree"
	"golang.org/x/text/encoding/simplifiedchinese"
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
	Told  []Label             // the labels, in the order of the file, each id once
	Empty int                 // lines with an id or a note and no truth: not labelled yet
	Bad   []*ingest.LineError // lines that cannot be used, in the order of the file
}

// ReadLabels reads a table with the columns id, truth and optionally note: CSV as a spreadsheet saves it, with commas,
// semicolons or tabs, in UTF-8, UTF-16 or GBK, or the first sheet of an XLSX workbook. It ignores other columns.
// Unusable lines are in Labels.Bad and do not affect the others; a file that is no such table is a *ingest.FileError.
//
// If an id has two different truths, both lines are bad.
func ReadLabels(name string, r io.Reader) (Labels, error) {
	l := &labelReader{name: name, byID: map[string]int{}}
	l.decoder = &fileDecoder{rd: &FileReader{}, name: name, yield: func(_ tree.Evaluation, err error) bool {
		if bad, ok := errors.AsType[*ingest.LineError](err); ok {
			l.out.Bad = append(l.out.Bad, bad)
		}
		return true
	}}
	err := l.read(r)
	if broken, ok := errors.AsType[*brokenError](err); ok {
		l.out.Bad = append(l.out.Bad, &ingest.LineError{File: name, Line: broken.line, Problem: broken.problem})
		err = nil
	}
	if f, ok := errors.AsType[*ingest.FileError](err); ok && f.Problem == noTable {
		f.Problem = noColumns
	}
	if err == nil && l.at == nil {
		if err = l.decoder.unread(noColumns); len(l.out.Bad) == 0 {
			err = &ingest.FileError{File: name, Problem: "is empty; " + tableOfTruths, Empty: true}
		}
	}
	if err != nil {
		return Labels{}, err
	}
	slices.SortStableFunc(l.out.Bad, func(a, b *ingest.LineError) int { return a.Line - b.Line })
	l.out.Told = slices.DeleteFunc(l.out.Told, func(x Label) bool { return x.ID == "" })
	return l.out, nil
}

// labelReader is the reading of one table.
type labelReader struct {
	name    string
	decoder *fileDecoder
	out     Labels
	lines   int
	size    int            // of the labels, in bytes
	byID    map[string]int // index in out.Told
	at      []int          // columns of id, truth and note; -1 for none
}

// read reads a whole table. In which encoding it is, all of it shows, and no line by itself.
func (l *labelReader) read(r io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(r, maxLabelBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", l.name, err)
	case len(b) > maxLabelBytes:
		return l.tooLong()
	case !coded(b) && !utf8.Valid(b):
		if b, err = simplifiedchinese.GB18030.NewDecoder().Bytes(b); err != nil || bytes.ContainsRune(b, utf8.RuneError) {
			return l.decoder.unread("is neither UTF-8 nor GBK; save it as CSV in UTF-8")
		}
	}
	return l.decoder.table(bufio.NewReader(bytes.NewReader(b)), l)
}

func (l *labelReader) tooLong() error {
	return l.decoder.unread(fmt.Sprintf("has more than %d MiB; split it", maxLabelBytes>>20))
}

// width returns 1 after the first row: a row needs no more cells than an id.
func (l *labelReader) width() int { return min(1, len(l.at)) }

// closed returns true: a line of a note could pass for a label.
func (l *labelReader) closed() bool { return true }

const (
	tableOfTruths = "write id,truth,note as its first line and one run on each line below"
	noColumns     = "has no columns id and truth; " + tableOfTruths
)

// head finds the columns.
func (l *labelReader) head(row []string) error {
	names := make([]string, len(row))
	for i, cell := range row {
		names[i] = strings.ToLower(strings.TrimSpace(cell))
	}
	for _, name := range []string{"id", "truth", "note"} {
		l.at = append(l.at, slices.Index(names, name))
	}
	if l.at[0] < 0 || l.at[1] < 0 {
		return l.decoder.unread(noColumns)
	}
	return nil
}

// row handles a row: the first one names the columns.
func (l *labelReader) row(line int, row []string) error {
	if l.lines++; l.lines > maxLabels {
		return l.decoder.unread(fmt.Sprintf("has more than %d lines; split it", maxLabels))
	}
	if l.at == nil {
		return l.head(row)
	}
	cell := func(i int) string {
		if at := l.at[i]; at >= 0 && at < len(row) {
			return strings.TrimSpace(UnquoteCell(strings.TrimSpace(row[at])))
		}
		return ""
	}
	x := Label{Line: line, ID: cell(0), Truth: strings.ToLower(cell(1)), Note: cell(2)}
	if l.size += len(x.ID) + len(x.Truth) + len(x.Note); l.size > maxLabelBytes {
		return l.tooLong() // of a workbook, unpacked
	}
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
	return nil
}

func (l *labelReader) contradicts(line, other int) {
	l.bad(line, "id", fmt.Sprintf("is in line %d too, with another truth; keep one of them", other))
}

func (l *labelReader) bad(line int, field, problem string) {
	l.out.Bad = append(l.out.Bad, &ingest.LineError{File: l.name, Line: line, Field: field, Problem: problem})
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
