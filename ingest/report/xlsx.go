package report

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/ingest"
)

// Bounds of a workbook. A sheet cannot have more rows or longer cells in any program that writes them.
const (
	mostRows    = 1 << 20
	longestCell = 32_767 * 4
	mostTexts   = 8 << 20 // shared by cells
)

// workbook reads the first sheet of an XLSX file.
func (d *fileDecoder) workbook(r io.Reader, to rows) error {
	a, err := d.openArchive(r)
	if err != nil {
		return err
	}
	defer a.close()
	w := &workbook{fileDecoder: d, zip: a, to: to}
	defer w.texts.spool.close()
	sheetFile, err := w.firstSheet()
	if err != nil {
		return err
	}
	if err := w.shared(); err != nil {
		return err
	}
	return w.rows(sheetFile)
}

// unread returns the error for a file that cannot be read at all.
func (d *fileDecoder) unread(problem string) error {
	return &ingest.FileError{File: d.name, Problem: problem}
}

// workbook is an XLSX file: a zip of XML files, of which three kinds are read.
type workbook struct {
	*fileDecoder
	zip   *zipArchive
	to    rows
	texts sharedTexts
}

// firstSheet returns the file of the first sheet that is not hidden.
func (w *workbook) firstSheet() (string, error) {
	id := ""
	err := w.each("xl/workbook.xml", func(e xml.StartElement, _ *xmlReader) error {
		if e.Name.Local == "sheet" && id == "" && (attr(e, "state") == "" || attr(e, "state") == "visible") {
			id = attr(e, "id")
		}
		return nil
	})
	target := ""
	if err == nil {
		err = w.each("xl/_rels/workbook.xml.rels", func(e xml.StartElement, _ *xmlReader) error {
			if e.Name.Local == "Relationship" && attr(e, "Id") == id {
				target = attr(e, "Target")
			}
			return nil
		})
	}
	switch {
	case err != nil:
		return "", err
	case target == "":
		return "", w.unread("is a zip archive, but no workbook with a sheet; save the table as CSV")
	case strings.HasPrefix(target, "/"):
		return target[1:], nil
	}
	return path.Join("xl", target), nil
}

// each calls do at each element of a file of the workbook.
func (w *workbook) each(name string, do func(xml.StartElement, *xmlReader) error) error {
	return w.walk(name, func(t xml.Token, x *xmlReader) error {
		if e, ok := t.(xml.StartElement); ok {
			return do(e, x)
		}
		return nil
	})
}

// walk passes every token of a file of the workbook to do.
func (w *workbook) walk(name string, do func(xml.Token, *xmlReader) error) error {
	i := slices.IndexFunc(w.zip.File, func(f *zip.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return w.zip.part(w.zip.File[i], func(r io.Reader) error {
		x := newXML(r)
		for {
			t, err := x.Token()
			if err != nil {
				return notXML(name, x, err)
			}
			if err := do(t, x); err != nil {
				if errors.As(err, new(*xml.SyntaxError)) || errors.Is(err, errLongTag) {
					err = notXML(name, x, err)
				}
				return err
			}
		}
	})
}

// notXML returns why a file of the workbook cannot be read on; nil at its end.
func notXML(name string, x *xmlReader, err error) error {
	if problem := x.problem(err); problem != "" && !errors.Is(err, io.EOF) {
		return &brokenError{whole: true, problem: partly(name, problem)}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// shared reads the texts that the cells share.
func (w *workbook) shared() error {
	var one strings.Builder
	return w.walk("xl/sharedStrings.xml", func(t xml.Token, x *xmlReader) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "si":
				one.Reset()
			case "t":
				return cellText(x, &one)
			case "rPh": // the pronunciation of a text
				return x.Skip() //nolint:wrapcheck // walk says where
			}
		case xml.EndElement:
			if t.Name.Local == "si" {
				return w.texts.add(w.fileDecoder, one.String())
			}
		}
		return nil
	})
}

// cellText appends the text of an element to the text of a cell.
func cellText(x *xmlReader, to *strings.Builder) error {
	s, err := x.text(max(0, longestCell-to.Len()))
	to.WriteString(s)
	return err
}

// xlsxRow is the row of a sheet that is being read.
type xlsxRow struct {
	number        int
	cells         []string
	size          int
	ref, kind     string // of the cell
	value, inline strings.Builder
}

// rows reads the rows of a sheet.
func (w *workbook) rows(name string) error {
	n, r := 0, &xlsxRow{}
	return w.walk(name, func(t xml.Token, x *xmlReader) error {
		switch t := t.(type) {
		case xml.StartElement:
			return r.begin(t, x)
		case xml.EndElement:
			switch t.Name.Local {
			case "c":
				return r.put(w)
			case "row":
				if n++; n > mostRows {
					return &brokenError{whole: true, problem: "has more rows than a workbook can have"}
				}
				if r.size > longestRow {
					return w.bad(r.number, "", "is longer than 2 MiB; shorten its longest cell")
				}
				return w.to.row(r.number, r.cells)
			}
		}
		return nil
	})
}

// begin handles the start of an element in a sheet.
func (r *xlsxRow) begin(e xml.StartElement, x *xmlReader) error {
	switch e.Name.Local {
	case "row":
		n, err := strconv.Atoi(attr(e, "r"))
		if r.number++; err == nil && n > 0 {
			r.number = n
		}
		r.cells, r.size = nil, 0
	case "c":
		r.ref, r.kind = attr(e, "r"), attr(e, "t")
		r.value.Reset()
		r.inline.Reset()
	case "v":
		return cellText(x, &r.value)
	case "t":
		return cellText(x, &r.inline)
	case "rPh":
		return x.Skip() //nolint:wrapcheck // walk says where
	}
	return nil
}

// put adds the completed cell to its row.
func (r *xlsxRow) put(w *workbook) error {
	at := columnOf(r.ref)
	if at < 0 {
		at = len(r.cells)
	}
	if at >= mostColumns || r.size > longestRow {
		return nil
	}
	for len(r.cells) <= at {
		r.cells = append(r.cells, "")
	}
	s, err := w.cell(r.kind, r.value.String(), r.inline.String())
	r.size += len(s)
	r.cells[at] = s
	return err
}

// cell returns the text of a cell.
func (w *workbook) cell(kind, value, inline string) (string, error) {
	switch kind {
	case "s":
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
			return w.texts.at(n)
		}
		return "", nil // a damaged cell is empty
	case "inlineStr":
		return inline, nil
	case "b":
		if value == "1" {
			return "true", nil
		}
		return "false", nil
	case "e":
		return "", nil // an error of a formula
	}
	return value, nil
}

// columnOf returns the column of a cell such as BC12, -1 if it has none.
func columnOf(cell string) int {
	n := 0
	for _, c := range cell {
		if c < 'A' || c > 'Z' || n > mostColumns {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	return n - 1
}

// attr returns an attribute of an element, in any name space.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
