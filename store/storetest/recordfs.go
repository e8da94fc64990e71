package storetest

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/afero"
)

// RecordFS is an afero.Fs that records every operation of the kinds of Op as a line of text, for a golden file that
// shows what a store does to its files.
type RecordFS struct {
	hookFS

	mu    sync.Mutex
	lines []recordedOp
}

type recordedOp struct {
	kind Op
	text string
}

// NewRecordFS returns a RecordFS that passes all operations to below.
func NewRecordFS(below afero.Fs) *RecordFS {
	r := &RecordFS{}
	r.hookFS = hookFS{Fs: below, hook: r.record}
	return r
}

// Name returns "RecordFS".
func (r *RecordFS) Name() string { return "RecordFS" }

func (r *RecordFS) record(k Op, path, detail string) error {
	if k == opShortWrite {
		return nil // the hook is called for it after every write, which already has a line
	}
	line := string(k) + " " + filepath.ToSlash(path)
	if detail != "" {
		line += " " + filepath.ToSlash(detail)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, recordedOp{k, line})
	return nil
}

// Note adds a line of the test's own to the record, such as the name of the next step.
func (r *RecordFS) Note(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, recordedOp{text: "# " + line})
}

// Text returns the recorded lines, except operations of the kinds in without, and clears the record.
func (r *RecordFS) Text(without ...Op) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, l := range r.lines {
		if !slices.Contains(without, l.kind) {
			b.WriteString(l.text + "\n")
		}
	}
	r.lines = nil
	return b.String()
}
