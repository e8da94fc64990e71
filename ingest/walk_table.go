package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memtree/memtree/ledger"
)

func isTable(name string, head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	columns := strings.Split(strings.ToLower(strings.TrimSpace(string(line))), ",")
	return strings.HasSuffix(strings.ToLower(name), ".csv") || slices.Contains(columns, "code")
}

// table reads requirements: a CSV whose first line names the columns code, title, priority, criteria, page and tests.
// Several criteria or tests are in one field, with ";" between them.
func (r *walkReader) table(b []byte) error {
	in := csv.NewReader(bytes.NewReader(b))
	in.FieldsPerRecord = -1
	head, err := in.Read()
	if err != nil {
		return r.bad("line 1", "is no line of a CSV file: %v", err)
	}
	column := map[string]int{}
	for i, name := range head {
		column[strings.ToLower(strings.TrimSpace(name))] = i
	}
	if _, ok := column["code"]; !ok {
		return r.bad("line 1", "names no column code; the columns are code, title, priority, criteria, page and tests")
	}
	for n := 2; ; n++ {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return r.bad(fmt.Sprint("line ", n), "is no line of a CSV file: %v", err)
		}
		field := func(name string) string {
			if i, ok := column[name]; ok && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		list := func(name string) (out []string) {
			for part := range strings.SplitSeq(field(name), ";") {
				if part = clipName(part); part != "" {
					out = append(out, part)
				}
			}
			return out
		}
		s := ledger.Sighting{
			Kind: ledger.SeenRequirement, Code: clipName(field("code")), Name: clipName(field("title")),
			Priority: clipName(field("priority")), Steps: list("criteria"), URL: field("page"), Tests: list("tests"),
		}
		if s.Code == "" {
			return r.bad(fmt.Sprint("line ", n), "has no code; a requirement has one, such as REQ-12")
		}
		if err := r.see(s); err != nil {
			return err
		}
	}
}
