package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"

	"github.com/memtree/memtree/ledger"
)

// WalkOptions configures ReadWalks with what a file leaves open.
type WalkOptions struct {
	Product string // product under test
	Build   string // build under test
	Test    string // id of the test that ran; "": the title of a trace
	Page    string // page of a snapshot; "": by the file's name, modal.aria.yaml → /modal
	Format  string // one of WalkFormats; "": by the content
}

// mostWalkFile bounds a file that is read whole, in bytes.
const mostWalkFile = 64 << 20

// WalkError is what is wrong with a file of walks.
type WalkError struct {
	File    string
	Where   string // a line or part, "" for the whole
	Problem string // a sentence without its subject: what is wrong and, where that helps, what to do
}

func (e *WalkError) Error() string {
	if e.Where == "" {
		return e.File + ": " + e.Problem
	}
	return e.File + ", " + e.Where + ": " + e.Problem
}

// walkFormat is a reader of one format.
type walkFormat struct {
	name  string
	is    func(name string, head []byte) bool
	whole func(r *walkReader, b []byte) error // of a file that is read whole
	parts func(r *walkReader, f io.ReaderAt, size int64) error
}

// walkFormats are tried in this order.
func walkFormats() []walkFormat {
	return []walkFormat{
		{name: "playwright", is: isZip, parts: (*walkReader).playwright},
		{name: "sitemap", is: isSitemap, whole: (*walkReader).sitemap},
		{name: "har", is: isHAR, parts: (*walkReader).har},
		{name: "openapi", is: isOpenAPI, whole: (*walkReader).openapi},
		{name: "memtree", is: isLines, parts: (*walkReader).lines},
		{name: "midscene", is: isMidscene, whole: (*walkReader).midscene},
		{name: "aria", is: isAria, whole: (*walkReader).aria},
		{name: "requirements", is: isTable, whole: (*walkReader).table},
	}
}

// WalkFormats returns the names of the formats that ReadWalks reads.
func WalkFormats() (out []string) {
	for _, f := range walkFormats() {
		out = append(out, f.name)
	}
	return out
}

// walkReader hands the sightings of one file to yield, as walks.
type walkReader struct {
	file  string
	o     WalkOptions
	walk  ledger.Walk
	yield func(ledger.Walk, error) bool
	done  bool
}

// ReadWalks returns the walks in the file f of size bytes, for the map of an application. name is the file's name for
// errors; it also names the page of a snapshot. The first error ends the sequence.
func ReadWalks(name string, f io.ReaderAt, size int64, o WalkOptions) iter.Seq2[ledger.Walk, error] {
	return func(yield func(ledger.Walk, error) bool) {
		r := &walkReader{file: name, o: o, yield: yield}
		if err := r.read(f, size); err != nil && !r.done {
			yield(ledger.Walk{}, err)
		}
	}
}

func (r *walkReader) read(f io.ReaderAt, size int64) error {
	head := make([]byte, min(size, 64<<10))
	if n, err := f.ReadAt(head, 0); err != nil && n < len(head) {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if size == 0 {
		return r.bad("", "is empty")
	}
	for _, x := range walkFormats() {
		if r.o.Format != "" && r.o.Format != x.name || r.o.Format == "" && !x.is(r.file, head) {
			continue
		}
		r.walk = ledger.Walk{Product: r.o.Product, Build: r.o.Build, Test: r.o.Test, Source: x.name}
		if x.parts != nil {
			if err := x.parts(r, f, size); err != nil {
				return err
			}
			return r.flush()
		}
		if size > mostWalkFile {
			return r.bad("", "has %d bytes; the most of this format is %d", size, mostWalkFile)
		}
		b := make([]byte, size)
		if n, err := f.ReadAt(b, 0); err != nil && n < len(b) {
			return fmt.Errorf("%s: %w", r.file, err)
		}
		if err := x.whole(r, bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))); err != nil {
			return err
		}
		return r.flush()
	}
	return r.bad("", "is in no format that is known; use --from with one of %s", strings.Join(WalkFormats(), ", "))
}

func (r *walkReader) bad(where, problem string, args ...any) error {
	return &WalkError{File: r.file, Where: where, Problem: fmt.Sprintf(problem, args...)}
}

// errDone ends a reading whose caller wants no more.
var errDone = fmt.Errorf("done")

// see adds a sighting to the walk under way.
func (r *walkReader) see(s ledger.Sighting) error {
	r.walk.Seen = append(r.walk.Seen, s)
	if len(r.walk.Seen) < ledger.MaxSightings {
		return nil
	}
	return r.flush()
}

// flush hands out the walk under way, and begins the next part.
func (r *walkReader) flush() error {
	if r.done || len(r.walk.Seen) == 0 {
		return nil
	}
	w := r.walk
	w.Run = cmp.Or(w.Run, path.Base(strings.ReplaceAll(r.file, `\`, "/")))
	r.walk.Seen = nil
	r.walk.Part++
	w.Identify()
	if !r.yield(w, nil) {
		r.done = true
		return errDone
	}
	return nil
}
