// Package walk reads what test tools saw of an application, as walks for its map.
//
// [Read] knows the format of a file by its content:
//
//	playwright   a trace (zip) of Playwright: actions with their selectors, pages, calls
//	har          an HTTP archive: pages and calls
//	aria         an ARIA snapshot (YAML) of one page
//	openapi      a description of interfaces (JSON or YAML)
//	sitemap      sitemap.xml: pages
//	midscene     a cache of Midscene (YAML): selectors of elements that its prompts name
//	requirements a table of requirements (CSV)
//	memtree      JSON lines with walks of memtree's own form
//
// Values that were typed, bodies, headers and cookies are not read. Files are untrusted: each has limits, and an error
// names file, line or part, and what to do.
package walk

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

// Options say what a file does not.
type Options struct {
	Product string
	Build   string
	Test    string // the test that ran; a trace names its own
	Page    string // the page of a snapshot; "": by the file's name, modal.aria.yaml → /modal
	Format  string // "": by the content
}

// mostFile bounds a file that is read whole, in bytes.
const mostFile = 64 << 20

// FileError is a fault of a file.
type FileError struct {
	File    string
	Where   string // a line or part, "" for the whole
	Problem string // a sentence without its subject: what is wrong, and what to do
}

func (e *FileError) Error() string {
	if e.Where == "" {
		return e.File + ": " + e.Problem
	}
	return e.File + ", " + e.Where + ": " + e.Problem
}

// formatReader is a reader of one format.
type formatReader struct {
	name  string
	is    func(name string, head []byte) bool
	whole func(r *fileReader, b []byte) error // of a file that is read whole
	parts func(r *fileReader, f io.ReaderAt, size int64) error
}

// formats are tried in this order.
func formats() []formatReader {
	return []formatReader{
		{name: "playwright", is: isZip, parts: (*fileReader).playwright},
		{name: "sitemap", is: isSitemap, whole: (*fileReader).sitemap},
		{name: "har", is: isHAR, parts: (*fileReader).har},
		{name: "openapi", is: isOpenAPI, whole: (*fileReader).openapi},
		{name: "memtree", is: isLines, parts: (*fileReader).lines},
		{name: "midscene", is: isMidscene, whole: (*fileReader).midscene},
		{name: "aria", is: isAria, whole: (*fileReader).aria},
		{name: "requirements", is: isTable, whole: (*fileReader).table},
	}
}

// Formats returns the names of the formats.
func Formats() (out []string) {
	for _, f := range formats() {
		out = append(out, f.name)
	}
	return out
}

// fileReader hands the sightings of one file to yield, as walks.
type fileReader struct {
	file  string
	o     Options
	walk  ledger.Walk
	yield func(ledger.Walk, error) bool
	done  bool
}

// Read reads the walks of a file. name is shown in errors, and names the page of a snapshot. An error ends the walks.
func Read(name string, f io.ReaderAt, size int64, o Options) iter.Seq2[ledger.Walk, error] {
	return func(yield func(ledger.Walk, error) bool) {
		r := &fileReader{file: name, o: o, yield: yield}
		if err := r.read(f, size); err != nil && !r.done {
			yield(ledger.Walk{}, err)
		}
	}
}

func (r *fileReader) read(f io.ReaderAt, size int64) error {
	head := make([]byte, min(size, 64<<10))
	if n, err := f.ReadAt(head, 0); err != nil && n < len(head) {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if size == 0 {
		return r.bad("", "is empty")
	}
	for _, x := range formats() {
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
		if size > mostFile {
			return r.bad("", "has %d bytes; the most of this format is %d", size, mostFile)
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
	return r.bad("", "is in no format that is known; use --from with one of %s", strings.Join(Formats(), ", "))
}

func (r *fileReader) bad(where, problem string, args ...any) error {
	return &FileError{File: r.file, Where: where, Problem: fmt.Sprintf(problem, args...)}
}

// errDone ends a reading that nobody wants to go on.
var errDone = fmt.Errorf("done")

// see adds a sighting to the walk under way.
func (r *fileReader) see(s ledger.Sighting) error {
	r.walk.Seen = append(r.walk.Seen, s)
	if len(r.walk.Seen) < ledger.MaxSightings {
		return nil
	}
	return r.flush()
}

// flush hands out the walk under way, and begins the next part.
func (r *fileReader) flush() error {
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
