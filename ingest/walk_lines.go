package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/memtree/memtree/ledger"
)

// longestLine bounds a line of JSON.
const longestLine = 4 << 20

func isLines(_ string, head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) && bytes.Contains(head, []byte(`"seen"`))
}

// lines reads walks in memtree's own form, one a line. A field that a walk leaves out is that of the options.
func (r *walkReader) lines(f io.ReaderAt, size int64) error {
	in := bufio.NewScanner(io.NewSectionReader(f, 0, size))
	in.Buffer(nil, longestLine)
	for n := 1; in.Scan(); n++ {
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			continue
		}
		w := ledger.Walk{Product: r.o.Product, Build: r.o.Build, Test: r.o.Test, Source: "memtree"}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&w); err != nil {
			return r.bad(fmt.Sprint("line ", n), "is no walk: %v", err)
		}
		for i := range w.Seen {
			if w.Seen[i].Kind == "" {
				return r.bad(fmt.Sprint("line ", n), "seen[%d].kind is missing; use page, element, action, link, call, flow "+
					"or requirement", i)
			}
		}
		w.Identify()
		if !r.yield(w, nil) {
			r.done = true
			return nil
		}
	}
	if err := in.Err(); err != nil {
		return r.bad("", "has a line of more than %d bytes, or cannot be read: %v", longestLine, err)
	}
	return nil
}
