package report_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/ingest/report"
)

// A table has the same labels however a spreadsheet saved it.
func TestLabels(t *testing.T) {
	plain := "id,Truth,note,prompt\na,Right,,p\nb,wrong,\"没有核对，合计\",\"two\nlines\"\n\nc,,,\n'-d,fail,,\na,right,,\n"
	want := []report.Label{
		{Line: 2, ID: "a", Truth: "right"}, {Line: 3, ID: "b", Truth: "wrong", Note: "没有核对，合计"},
		{Line: 7, ID: "-d", Truth: "fail"},
	}
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(plain)
	require.NoError(t, err)
	tabs := strings.ReplaceAll(plain, ",", "\t")
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(tabs)
	require.NoError(t, err)
	for what, table := range map[string]string{
		"plain": plain, "mark": "\xef\xbb\xbf" + plain, "lines of Windows": strings.ReplaceAll(plain, "\n", "\r\n"),
		"semicolons": strings.ReplaceAll(plain, ",", ";"), "GBK": gbk, "UTF-16": wide,
	} {
		got, err := report.ReadLabels("labels.csv", strings.NewReader(table))
		require.NoError(t, err, what)
		require.Equal(t, want, got.Told, what)
		require.Equal(t, 1, got.Empty, what)
		require.Empty(t, got.Bad, what)
	}
	got, err := report.ReadLabels("l", strings.NewReader("sep=;\r\nid;truth\r\na;right\r\n"))
	require.NoError(t, err)
	require.Equal(t, []report.Label{{Line: 3, ID: "a", Truth: "right"}}, got.Told)
}

// TestLabelsAfterAnOpenMark: what follows a mark that is not closed may be a note, so no label is read from it.
func TestLabelsAfterAnOpenMark(t *testing.T) {
	table := "id,truth,note\nn0,right,\nn1,right,\"it read:\nn2,wrong,x\nn3,right,x\n"
	l, err := report.ReadLabels("l", strings.NewReader(table))
	require.NoError(t, err)
	require.Len(t, l.Told, 1)
	require.Equal(t, "n0", l.Told[0].ID)
	require.Len(t, l.Bad, 1)
	require.EqualError(t, l.Bad[0], "l:3: has a quotation mark that is not closed; what follows it was not read")
}

func TestBadLabels(t *testing.T) {
	got, err := report.ReadLabels("l", strings.NewReader(
		"id,truth\na,right\n,wrong\nb,\"x\"y\nc,wrong\na,wrong\na,right\nd\nc,wrong\n"))
	require.NoError(t, err)
	require.Equal(t, []report.Label{{Line: 5, ID: "c", Truth: "wrong"}}, got.Told)
	var said []string
	for _, b := range got.Bad {
		said = append(said, b.Error())
	}
	require.Equal(t, []string{
		"l:2: id is in line 6 too, with another truth; keep one of them",
		"l:3: id is missing; say which run it is",
		`l:4: has a quotation mark out of place; put a cell with one into "…" and write it as ""`,
		"l:6: id is in line 2 too, with another truth; keep one of them",
	}, said)
	for table, want := range map[string]string{
		"":                                 "l is empty; write id,truth,note as its first line and one run on each",
		"a,right":                          "l has no columns id and truth; write id,truth,note",
		"\"a":                              "l has no columns id and truth",
		"PK\x03\x04":                       "l is a zip archive that cannot be read; was the file cut off?",
		"id,truth\na\x00,b":                "l is binary, not text; save the table as CSV",
		"id,truth\na,\xff\xff ":            "l is neither UTF-8 nor GBK; save it as CSV in UTF-8",
		"id\n" + strings.Repeat("a\n", 10): "l has no columns",
		"id,truth\n" + strings.Repeat("a,\n", 100_000): "l has more than 100000 lines; split it",
		strings.Repeat("a", 64<<20+1):                  "l has more than 64 MiB; split it",
	} {
		_, err := report.ReadLabels("l", strings.NewReader(table))
		var file *ingest.FileError
		require.ErrorAs(t, err, &file)
		require.Contains(t, err.Error(), want)
	}
}

// A person's text survives the way through a cell, and no cell begins a formula.
func FuzzCell(f *testing.F) {
	for _, s := range []string{"", "=1+1", "-a", "'-a", "''=", "＝1", " =1", "a", "'", "\t@x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cell := report.QuoteCell(s)
		require.NotContains(t, []string{"=", "+", "-", "@", "\t", "\r"}, cell[:min(1, len(cell))])
		require.Equal(t, s, report.UnquoteCell(cell))
	})
}

func FuzzLabels(f *testing.F) {
	f.Add([]byte("id,truth,note\na,right,\"b\nc\"\nb,wrong\n"))
	f.Add([]byte("\xef\xbb\xbfid;truth\r\n'=a;fail\r\n\"x\"y;right\r\n"))
	f.Add([]byte("\xff\xfei\x00d\x00"))
	f.Add([]byte("id,truth\n\xd6\xd0,\xb6\xd4\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := report.ReadLabels("l", bytes.NewReader(b))
		if err != nil {
			return
		}
		seen := map[string]bool{}
		var again bytes.Buffer
		w := csv.NewWriter(&again)
		require.NoError(t, w.Write([]string{"id", "truth", "note"}))
		for _, x := range got.Told {
			require.False(t, seen[x.ID], "twice: %q", x.ID)
			seen[x.ID] = true
			require.True(t, x.ID != "" && x.Truth != "" && utf8.ValidString(x.ID+x.Truth+x.Note))
			require.NoError(t, w.Write([]string{report.QuoteCell(x.ID), report.QuoteCell(x.Truth), report.QuoteCell(x.Note)}))
		}
		w.Flush()
		same, err := report.ReadLabels("l", &again)
		require.NoError(t, err)
		require.Len(t, same.Told, len(got.Told))
		for i := range same.Told {
			same.Told[i].Line = got.Told[i].Line
		}
		require.ElementsMatch(t, got.Told, same.Told)
	})
}

// workbookOf returns an XLSX file whose only sheet has these rows.
func workbookOf(t *testing.T, rows string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/s.xml"/></Relationships>`,
		"xl/sharedStrings.xml":       `<sst><si><t>id</t></si><si><t>truth</t></si><si><t>Right</t></si></sst>`,
		"xl/worksheets/s.xml":        `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
	} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// A workbook is read as its sheet is: with its numbers of rows, and as a whole or with its sentence.
func TestLabelsOfAWorkbook(t *testing.T) {
	head := `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>`
	text := func(ref, s string) string { return `<c r="` + ref + `" t="inlineStr"><is><t>` + s + `</t></is></c>` }
	book := workbookOf(t, head+`<row r="2">`+text("A2", "'-a, b")+text("B2", "no column of ours")+
		`<c r="C2" t="s"><v>2</v></c></row><row r="7">`+text("A7", "c")+`</row><row r="9">`+text("C9", "wrong")+`</row>`)
	got, err := report.ReadLabels("l.xlsx", bytes.NewReader(book))
	require.NoError(t, err)
	require.Equal(t, []report.Label{{Line: 2, ID: "-a, b", Truth: "right"}}, got.Told)
	require.Equal(t, 1, got.Empty)
	require.Len(t, got.Bad, 1)
	require.EqualError(t, got.Bad[0], "l.xlsx:9: id is missing; say which run it is")
	for want, b := range map[string][]byte{
		"has no columns id and truth": workbookOf(t, `<row r="1">`+text("A1", "id")+`</row>`),
		"is empty; write id,truth":    workbookOf(t, ""),
		"was the file cut off?":       book[:len(book)-40],
		"save it as XLSX or CSV":      []byte("\xd0\xcf\x11\xe0\xa1\xb1"),
	} {
		_, err := report.ReadLabels("l.xlsx", bytes.NewReader(b))
		var file *ingest.FileError
		require.ErrorAs(t, err, &file)
		require.ErrorContains(t, err, want)
	}
	got, err = report.ReadLabels("l.xlsx", bytes.NewReader(workbookOf(t, head+`<row r="2">`+text("A2", "a")+
		`<c r="C2" t="s"><v>2</v></c></row><row`)))
	require.NoError(t, err)
	require.Len(t, got.Told, 1, "what is before the damage is read")
	require.Len(t, got.Bad, 1)
}
