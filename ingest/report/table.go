package report

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/memtree/memtree/ingest"
)

// Bounds of a table.
const (
	longestRow  = 2 << 20 // bytes
	mostColumns = 1000
	mostResyncs = 100 // rows with an unclosed quotation mark, after which a file is no table
)

// columnNames are further names of columns, by field.
var columnNames = map[string]string{
	"编号": "id", "运行编号": "run_id", "用例": "case_id", "用例编号": "case_id", "轮次": "attempt", "时间": "at",
	"提示词": "prompt", "测试指令": "prompt", "指令": "prompt", "测试步骤": "prompt", "步骤": "prompt", "测试内容": "prompt",
	"观察": "observation", "判定": "judgment", "判断": "judgment", "结论": "judgment", "测试结果": "judgment",
	"期望": "ground_truth", "预期": "ground_truth", "真相": "ground_truth", "实际情况": "ground_truth",
	"是否正确": "correct", "标记": "excuse", "备注": "reason", "页面": "route", "路径": "route", "场景": "scene.id", "产品": "product",
	"版本": "build", "套件": "scope.suite", "模型": "agent.model", "智能体": "agent.name",
}

// rows takes the rows of a table.
type rows interface {
	row(line int, cells []string) error
	width() int // cells that a row has at least; 0: the first row is not read
	// closed reports whether nothing is read after a quotation mark that is not closed: what follows may be part of a
	// cell and no row.
	closed() bool
}

// sheet turns the rows of one table into evaluations.
type sheet struct {
	*fileDecoder
	objects *ingest.Objects
	columns []string // the field of each column; "" for one that is not read
	named   []string // the names of the columns in the table
	first   []string // the first row
}

func (d *fileDecoder) newSheet() *sheet {
	return &sheet{fileDecoder: d, objects: ingest.NewObjects(d.name, d.rd.o.Run)}
}

func (s *sheet) width() int { return len(s.columns) }

func (s *sheet) closed() bool { return false }

// row handles a row: the first one names the columns.
func (s *sheet) row(line int, cells []string) error {
	if len(cells) > mostColumns {
		cells = cells[:mostColumns]
	}
	if !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
		return nil
	}
	switch {
	case s.columns == nil:
		s.first = slices.Clone(cells)
		return s.head(cells)
	case slices.Equal(cells, s.first):
		return nil // in concatenated tables
	}
	s.met = true
	var r row
	for i, cell := range cells {
		if cell = strings.TrimSpace(UnquoteCell(strings.TrimSpace(cell))); i < len(s.columns) && s.columns[i] != "" &&
			cell != "" {
			field := s.columns[i]
			r.set(field, typed(field, s.rd.o.Mapping.word(field, cell)))
		}
	}
	s.rd.o.Mapping.constants(&r)
	if s.rd.o.Mapping.none(&r) {
		s.rd.Skipped++
		return nil
	}
	e, err := s.objects.Read(line, r.object())
	if bad, ok := errors.AsType[*ingest.LineError](err); ok {
		bad.Field = s.called(bad.Field)
	}
	return s.give(e, err)
}

// called returns the table's name of a field.
func (s *sheet) called(field string) string {
	if i := slices.Index(s.columns, field); i >= 0 && field != "" {
		return s.named[i]
	}
	return field
}

// head reads the names of the columns.
func (s *sheet) head(cells []string) error {
	s.columns, s.named = make([]string, len(cells)), make([]string, len(cells))
	for i, cell := range cells {
		name := strings.TrimSpace(cell)
		field := s.rd.o.Mapping.column(name)
		if field == "" {
			continue
		}
		if at := slices.Index(s.columns, field); at >= 0 {
			return s.unread(fmt.Sprintf("has two columns for %s: %s and %s; take one of them out", field, s.named[at], name))
		}
		s.columns[i], s.named[i] = field, name
	}
	if !slices.Contains(s.columns, "prompt") {
		return &ingest.FileError{File: s.name, Problem: "has no column prompt; name the columns prompt and judgment in its " +
			"first line, or say in a mapping which is which"}
	}
	return nil
}

// columnField returns the field of a column of this name without a mapping.
func columnField(name string) string {
	if f := columnNames[name]; f != "" {
		return f
	}
	if strings.ContainsRune(name, ' ') || strings.ToLower(name[:min(1, len(name))]) != name[:min(1, len(name))] {
		return strings.ToLower(strings.Join(strings.Fields(name), "_"))
	}
	return name
}

// coded reports whether a file that begins so is no UTF-8, and shows what it is: a workbook or UTF-16.
func coded(first []byte) bool {
	return slices.ContainsFunc([]string{"PK\x03\x04", oldWorkbook, "\xff\xfe", "\xfe\xff"},
		func(mark string) bool { return bytes.HasPrefix(first, []byte(mark)) })
}

const oldWorkbook = "\xd0\xcf\x11\xe0"

// table reads a table of text or a workbook.
func (d *fileDecoder) table(r *bufio.Reader, to rows) error {
	first, _ := r.Peek(4)
	switch {
	case bytes.HasPrefix(first, []byte("PK\x03\x04")):
		return d.workbook(r, to)
	case bytes.HasPrefix(first, []byte(oldWorkbook)):
		return &ingest.FileError{File: d.name, Problem: "is a workbook of the old form; save it as XLSX or CSV"}
	case bytes.HasPrefix(first, []byte("\xff\xfe")), bytes.HasPrefix(first, []byte("\xfe\xff")):
		r = bufio.NewReader(transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()))
	case bytes.HasPrefix(first, []byte("\xef\xbb\xbf")):
		_, _ = r.Discard(3)
	}
	return (&csvReader{fileDecoder: d, to: to, lines: lineReader{r: r}}).read()
}

// csvReader cuts a table of text into rows.
type csvReader struct {
	*fileDecoder
	to      rows
	lines   lineReader
	comma   rune
	resyncs int
}

func (c *csvReader) read() error {
	for {
		record, line, err := c.record()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case record == nil:
			continue // already reported
		case bytes.IndexByte(record, 0) >= 0:
			return &ingest.FileError{File: c.name, Problem: "is binary, not text; save the table as CSV"}
		}
		if !utf8.Valid(record) {
			if record, err = simplifiedchinese.GB18030.NewDecoder().Bytes(record); err != nil {
				return &brokenError{line: line, problem: "is neither UTF-8 nor GBK; save the table as CSV in UTF-8"}
			}
		}
		if c.comma == 0 {
			record = bytes.TrimPrefix(record, []byte("\ufeff")) // GB18030 has a byte order mark of its own
			if bytes.HasPrefix(bytes.ToLower(record), []byte("sep=")) {
				continue // a line for spreadsheets that names the separator
			}
			c.comma = separator(record)
		}
		cells, err := c.cells(record)
		switch {
		case errors.Is(err, io.EOF):
			continue
		case err != nil && c.to.width() == 0:
			return &ingest.FileError{File: c.name, Problem: noTable}
		case err != nil:
			err = c.bad(line, "", quoteOutOfPlace)
		case len(cells) < c.to.width() && !bytes.HasSuffix(record, []byte("\n")):
			err = c.bad(line, "", "has fewer cells than the table has columns, and the file ends here; was it cut off?")
		default:
			err = c.to.row(line, cells)
		}
		if err != nil {
			return err
		}
	}
}

// separator returns the character between the cells of a table, as its first line shows: a comma, a semicolon or a tab.
func separator(table []byte) rune {
	first, _, _ := bytes.Cut(table, []byte("\n"))
	best, most := ',', 0
	for _, c := range ",;\t" {
		if n := bytes.Count(first, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

// cells cuts a row into its cells.
func (c *csvReader) cells(record []byte) ([]string, error) {
	if bytes.IndexByte(record, '"') < 0 {
		return strings.Split(strings.TrimRight(string(record), "\r\n"), string(c.comma)), nil
	}
	one := csv.NewReader(bytes.NewReader(record))
	one.Comma, one.FieldsPerRecord = c.comma, -1
	return one.Read() //nolint:wrapcheck // the caller says what is wrong
}

const (
	notClosed       = "has a quotation mark that is not closed"
	noTable         = "is no table: its first line cannot be read as CSV"
	quoteOutOfPlace = `has a quotation mark out of place; put a cell with one into "…" and write it as ""`
)

// record returns the lines of one row, nil if it was skipped.
func (c *csvReader) record() (record []byte, line int, err error) {
	var all [][]byte
	quotes, size := 0, 0
	for {
		b, n, err := c.lines.next()
		switch {
		case errors.Is(err, io.EOF) && all == nil, err != nil && !errors.Is(err, io.EOF):
			return nil, n, err
		case all == nil:
			line = n
		}
		if err == nil {
			all, size = append(all, b), size+len(b)
			if quotes += bytes.Count(b, []byte(`"`)); quotes%2 == 0 && size <= longestRow {
				return bytes.Join(all, nil), line, nil
			}
			if size <= longestRow {
				continue
			}
		}
		// A mark is not closed, or the row is too long: the next line may be a row of its own.
		c.lines.back(all[1:])
		if c.resyncs++; c.resyncs > mostResyncs {
			return nil, line, &brokenError{line: line, problem: "has too many quotation marks that are not closed"}
		}
		if c.to.closed() {
			return nil, line, &brokenError{line: line, problem: notClosed + "; what follows it was not read"}
		}
		if len(all[0]) > longestRow {
			return nil, line, c.bad(line, "", "is longer than 2 MiB; shorten its longest cell")
		}
		return nil, line, c.bad(line, "", notClosed+"; put a cell with one into \"…\" and write it as \"\"")
	}
}

// lineReader reads lines, with their ends.
type lineReader struct {
	r      *bufio.Reader
	line   int // of the next one
	behind [][]byte
}

// next returns a line, cut where it is longer than any row may be.
func (l *lineReader) next() (b []byte, line int, err error) {
	l.line++
	if len(l.behind) > 0 {
		b, l.behind = l.behind[0], l.behind[1:]
		return b, l.line, nil
	}
	for {
		part, err := l.r.ReadSlice('\n')
		if len(b) <= longestRow {
			b = append(b, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(b) > 0:
			return b, l.line, nil
		case err != nil:
			return nil, l.line, err //nolint:wrapcheck // the callers say what it means
		default:
			return b, l.line, nil
		}
	}
}

// back returns lines to the reader.
func (l *lineReader) back(lines [][]byte) {
	l.line -= len(lines)
	l.behind = append(slices.Clone(lines), l.behind...)
}
