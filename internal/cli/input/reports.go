package input

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtree/memtree/ingest/report"
)

// reportNames are the file name suffixes by which the reports of a format are found in a folder.
var reportNames = map[report.Format][]string{
	report.JUnit: {".xml"}, report.Playwright: {".json"}, report.Midscene: {".html", ".json"}, report.Promptfoo: {".json"},
	report.Allure: {
		"-result.json",
	}, report.Pytest: {".json"}, report.Inspect: {".eval", ".json"}, report.DeepEval: {".json"},
	report.UIBench: {".json"},
	report.CSV:     {".csv", ".tsv", ".xlsx"}, report.Map: {".json", ".jsonl"},
}

// Reports returns files, with each folder replaced by the files in it that have a name of reports of this format. In
// folders it skips links, which may lead outside, and all else that is not a regular file. A folder without reports is
// an error, and so is a device that the user names, because it has no end.
func (f *Files) Reports(format string, files []string) (out []string, err error) {
	for _, name := range files {
		info, err := f.Stat(name)
		switch {
		case name != "-" && err == nil && info.IsDir():
			found, err := f.reportsIn(format, name)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
			continue
		case name != "-" && err == nil && info.Mode()&fs.ModeDevice != 0:
			return nil, f.Fail(nil, "%s is a device; name a file, or - for standard input", name)
		}
		out = append(out, name)
	}
	return out, nil
}

// reportsIn returns the reports in a folder, in order of their names.
func (f *Files) reportsIn(format, name string) (out []string, err error) {
	folder, err := f.Path(name)
	if err != nil {
		return nil, err
	}
	all, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	ends := reportNames[report.Format(format)]
	for _, e := range all {
		if e.Type().IsRegular() && slices.ContainsFunc(ends, func(end string) bool {
			return strings.HasSuffix(strings.ToLower(e.Name()), end)
		}) {
			out = append(out, filepath.Join(name, e.Name()))
		}
	}
	if len(out) == 0 {
		return nil, f.Fail(nil, "%s has no file whose name ends with %s; name the folder that the tool "+
			"writes, or the files", name, strings.Join(ends, f.Say(" or ")))
	}
	return out, nil
}

// Pictures counts the pictures in reports that were stored and skipped, as --json prints it.
type Pictures struct {
	Kept int `json:"kept"` // pictures that were stored
	Left int `json:"left"` // pictures that were not stored
	// Again is the part of Kept whose runs were recorded before; those runs keep their first pictures.
	Again int                  `json:"again,omitempty"`
	Why   []report.LeftPicture `json:"why"` // reasons for the first of Left
}

// Add adds the counts of rd, the reader of one report.
func (p *Pictures) Add(rd *report.FileReader) {
	p.Kept += rd.Pictures
	p.Left += rd.Left
	p.Why = append(p.Why, rd.Why...)
}

// openPipe opens a named pipe. That blocks until a writer opens it; ctx interrupts it.
func (in *RunFiles) openPipe(ctx context.Context, name string) (io.ReadCloser, error) {
	type opened struct {
		f   io.ReadCloser
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := in.Open(name)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return struct {
			io.Reader
			io.Closer
		}{interruptible{ctx, o.f}, io.NopCloser(nil)}, nil // closing it would wait for the writer
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
