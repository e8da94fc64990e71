package reports

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
)

// writeWorkbook writes an XLSX file of at least size bytes on disk, with a table of shared strings as spreadsheets
// write it.
func writeWorkbook(path string, size int64) (int, error) {
	f, err := os.Create(path) //nolint:gosec // in a folder of the test
	if err != nil {
		return 0, fmt.Errorf("make a report: %w", err)
	}
	defer f.Close()
	c, g := &counter{w: f}, newGenerator()
	z := zip.NewWriter(c)
	part := func(name string, do func(w *bufio.Writer)) {
		w, err2 := z.Create(name)
		if err = join(err, err2); err == nil {
			b := bufio.NewWriter(w)
			do(b)
			err = b.Flush()
		}
	}
	fixed := func(name, content string) { part(name, func(w *bufio.Writer) { _, _ = w.WriteString(content) }) }
	fixed("[Content_Types].xml", "<Types/>")
	fixed("xl/workbook.xml", `<workbook xmlns:r="x"><sheets><sheet name="runs" r:id="rId1"/></sheets></workbook>`)
	fixed("xl/_rels/workbook.xml.rels",
		`<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>`)
	part("xl/sharedStrings.xml", func(w *bufio.Writer) {
		_, _ = io.WriteString(w, "<sst>")
		for _, s := range []string{"id", "prompt", "judgment", "reason", "pass"} {
			fmt.Fprintf(w, "<si><t>%s</t></si>", s)
		}
		for ; err == nil && c.n < size*9/10; g.n++ {
			fmt.Fprintf(w, "<si><t>%s</t></si><si><t>%s</t></si>", g.text(45), g.text(6))
		}
		_, _ = io.WriteString(w, "</sst>")
	})
	part("xl/worksheets/sheet1.xml", func(w *bufio.Writer) {
		_, _ = io.WriteString(w, `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>`+
			`<c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c></row>`)
		for i := range g.n {
			fmt.Fprintf(w, `<row r="%d"><c r="A%d" t="inlineStr"><is><t>row %d</t></is></c><c r="B%d" t="s"><v>%d</v></c>`+
				`<c r="C%d" t="s"><v>4</v></c><c r="D%d" t="s"><v>%d</v></c></row>`, i+2, i+2, i, i+2, 5+2*i, i+2, i+2, 6+2*i)
		}
		_, _ = io.WriteString(w, "</sheetData></worksheet>")
	})
	if err == nil {
		err = z.Close()
	}
	return g.n, err
}

func join(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
