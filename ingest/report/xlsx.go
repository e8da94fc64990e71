package report

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/ingest"
)

// Bounds of a workbook, in bytes.
const (
	longestWorkbook = 32 << 20 // as it lies on disk
	longestShared   = 48 << 20 // the texts that its cells share
	longestSheet    = 1 << 30  // the rows, unpacked; they are read one by one
)

// workbook reads the first sheet of an XLSX file.
func (d *decoder) workbook(r io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(r, longestWorkbook+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", d.name, err)
	}
	if len(b) > longestWorkbook {
		return d.unread("has more than 32 MiB; save the table as CSV")
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return d.unread("is a zip archive that cannot be read; was the file cut off?")
	}
	w := &workbook{decoder: d, zip: z}
	sheetFile, err := w.firstSheet()
	if err != nil {
		return err
	}
	if err := w.shared(); err != nil {
		return err
	}
	return w.rows(sheetFile)
}

// unread says that the file cannot be read at all.
func (d *decoder) unread(problem string) error {
	return &ingest.FileError{File: d.name, Problem: problem}
}

// workbook is an XLSX file: a zip of XML files, of which three kinds are read.
type workbook struct {
	*decoder
	zip   *zip.Reader
	texts []string
}

// open returns a file of the workbook, nil if there is none.
func (w *workbook) open(name string, most int64) (io.ReadCloser, *xmlReader, error) {
	i := slices.IndexFunc(w.zip.File, func(f *zip.File) bool { return f.Name == name })
	if i < 0 {
		return nil, nil, nil
	}
	f, err := w.zip.File[i].Open()
	if err != nil {
		return nil, nil, w.unread("has a part that cannot be unpacked: " + name)
	}
	return f, newXML(io.LimitReader(f, most)), nil
}

// firstSheet returns the file of the first sheet that is not hidden.
func (w *workbook) firstSheet() (string, error) {
	id := ""
	err := w.each("xl/workbook.xml", 1<<20, func(e xml.StartElement, _ *xmlReader) error {
		if e.Name.Local == "sheet" && id == "" && (attr(e, "state") == "" || attr(e, "state") == "visible") {
			id = attr(e, "id")
		}
		return nil
	})
	target := ""
	if err == nil {
		err = w.each("xl/_rels/workbook.xml.rels", 1<<20, func(e xml.StartElement, _ *xmlReader) error {
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
func (w *workbook) each(name string, most int64, do func(xml.StartElement, *xmlReader) error) error {
	f, x, err := w.open(name, most)
	if err != nil || f == nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	for {
		t, err := x.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return w.unread("has a part that cannot be read: " + name)
		}
		if e, ok := t.(xml.StartElement); ok {
			if err := do(e, x); err != nil {
				return err
			}
		}
	}
}

// textOf is what a shared text or a cell says: its runs of letters, without what is only there to be read aloud.
type textOf struct {
	T string `xml:"t"`
	R []struct {
		T string `xml:"t"`
	} `xml:"r"`
}

func (t *textOf) String() string {
	var s strings.Builder
	s.WriteString(t.T)
	for _, r := range t.R {
		s.WriteString(r.T)
	}
	return s.String()
}

// shared reads the texts that the cells share.
func (w *workbook) shared() error {
	size := 0
	return w.each("xl/sharedStrings.xml", longestSheet, func(e xml.StartElement, x *xmlReader) error {
		if e.Name.Local != "si" {
			return nil
		}
		var t textOf
		if err := x.DecodeElement(&t, &e); err != nil {
			return w.unread("has a part that cannot be read: xl/sharedStrings.xml")
		}
		w.texts = append(w.texts, t.String())
		if size += len(w.texts[len(w.texts)-1]) + 16; size > longestShared {
			return w.unread("has more than 48 MiB of text; save the table as CSV")
		}
		return nil
	})
}

// xlsxRow is a row of a sheet.
type xlsxRow struct {
	R int `xml:"r,attr"`
	C []struct {
		R  string `xml:"r,attr"`
		T  string `xml:"t,attr"`
		V  string `xml:"v"`
		Is textOf `xml:"is"`
	} `xml:"c"`
}

// rows reads the rows of a sheet.
func (w *workbook) rows(name string) error {
	s := w.newSheet()
	return w.each(name, longestSheet, func(e xml.StartElement, x *xmlReader) error {
		if e.Name.Local != "row" {
			return nil
		}
		var r xlsxRow
		if err := x.DecodeElement(&r, &e); err != nil {
			return &brokenError{line: r.R, problem: "cannot be read; was the file cut off?"}
		}
		var cells []string
		for i := range r.C {
			at := columnOf(r.C[i].R)
			if at < 0 {
				at = len(cells)
			}
			if at >= mostColumns {
				continue
			}
			for len(cells) <= at {
				cells = append(cells, "")
			}
			cells[at] = w.cell(r.C[i].T, r.C[i].V, r.C[i].Is.String())
		}
		return s.row(r.R, cells)
	})
}

// cell is what a cell says.
func (w *workbook) cell(kind, value, inline string) string {
	switch kind {
	case "s":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < len(w.texts) {
			return w.texts[n]
		}
		return ""
	case "inlineStr":
		return inline
	case "b":
		if value == "1" {
			return "true"
		}
		return "false"
	case "e":
		return "" // an error of a formula
	}
	return value
}

// columnOf is the place of a cell such as BC12 in its row, -1 if it does not say.
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

// attr is an attribute of an element, whatever its name space.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
