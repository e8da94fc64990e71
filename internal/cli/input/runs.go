package input

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/tree"
)

// ShownRejects and keptRejects limit the rejected lines on the screen and in --json.
const (
	ShownRejects = 20 // most rejected lines that are printed on the screen
	keptRejects  = 10_000
)

// clockError is how far a clock in another place of the world may be ahead.
const clockError = 24 * time.Hour

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// UnreadField is a field in a file of runs that was ignored, and the file.
type UnreadField struct {
	File string `json:"file"`
	ingest.Unread
}

// RunFiles reads the judged runs in files, passes on the valid ones, and counts and reports the invalid ones.
type RunFiles struct {
	*Files
	Bar      *say.ProgressBar
	Run      string                                  // id of the run, for lines without one
	Reports  *report.FileReader                      // reads the files; nil: each file's beginning decides its format
	Keep     func(report.Shot) (tree.Picture, error) // stores the pictures of reports; nil: ignored
	Pictures Pictures
	Skipped  int // tests of reports that have no verdict
	Unknown  []UnreadField
	read     int64
	total    int64    // bytes of all files; 0 if not known
	Rejected []Reject // the first rejected lines and files, at most keptRejects
	Rejects  int      // number of all rejected lines and files
	Empty    []string // files without content; each of them is also a reject
	Unread   int      // files rejected as a whole, the empty ones included
	Ahead    int      // runs dated more than a day in the future
	last     time.Time
}

// RunFiles returns a RunFiles for files, which File then reads. label names the job on the progress bar.
func (f *Files) RunFiles(files []string, label string) (*RunFiles, error) {
	total, err := f.sizes(files)
	if err != nil {
		return nil, err
	}
	return &RunFiles{Files: f, total: total, Bar: f.Progress(label, say.Bytes), Rejected: []Reject{},
		Pictures: Pictures{Why: []report.LeftPicture{}}}, nil
}

// Refusals returns a RunFiles without files, which only counts and reports invalid lines that other code finds.
func (f *Files) Refusals(label string) *RunFiles {
	return &RunFiles{Files: f, Bar: f.Progress(label, say.Count), Rejected: []Reject{}}
}

// sizes returns the total size of the files, in bytes. It finds a missing file before any is read.
func (f *Files) sizes(files []string) (total int64, err error) {
	for _, name := range files {
		if name == "-" {
			total = -1
			continue
		}
		info, err := f.Stat(name)
		switch {
		case err != nil:
			return 0, err
		case info.IsDir():
			return 0, f.Fail(nil, "%s is a folder; name the files in it, such as %s/*.jsonl", name, name)
		case total >= 0 && info.Mode().IsRegular():
			total += info.Size()
		}
	}
	return max(total, 0), nil
}

// File reads one file, or standard input for "-", and passes each valid run to take. A file that is broken in the
// middle counts as rejected; the runs before that remain, and the caller can read further files. See Take for errors.
func (in *RunFiles) File(ctx context.Context, name string, take func(e *tree.Evaluation) error) error {
	r, name, err := in.openFile(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // only read
	before := len(in.Unknown)
	err = in.Take(ctx, name, in.runsOf(name, r), take)
	in.unreadLines(name, in.Unknown[before:])
	return err
}

// unreadLines prints the ignored fields of a file.
func (in *RunFiles) unreadLines(name string, fields []UnreadField) {
	if in.JSON || len(fields) == 0 {
		return
	}
	in.Bar.End()
	var names []string
	for _, f := range fields {
		switch {
		case f.Agents:
			in.Note(in.Say("%s: where a run has note and reason, note is taken for the evaluator's words, and reason, "+
				"taken for the agent's own, is left out. The agent's belongs into judgment.", name))
			continue
		case f.Near != "":
			names = append(names, in.Say("%s (is %s meant?)", f.Field, f.Near))
			continue
		}
		names = append(names, f.Field)
	}
	if len(names) > 0 {
		in.Note(in.Say("%s: fields that are not read: %s.", name, strings.Join(names, in.Say(", "))))
	}
}

// Take passes each valid run in runs, those of the file name, to take. It counts and reports invalid lines and a file
// of no known form, and does not return them as an error. An error of take or of the disk, or the end of ctx, ends it.
func (in *RunFiles) Take(ctx context.Context, name string, runs iter.Seq2[tree.Evaluation, error],
	take func(e *tree.Evaluation) error,
) error {
	for e, err := range runs {
		var line *ingest.LineError
		var file *ingest.FileError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &line):
			in.Reject(Reject{File: cmp.Or(line.File, name), Line: line.Line, Field: line.Field, Error: line.Problem})
		case errors.As(err, &file):
			if in.Unread++; file.Empty {
				in.Empty = append(in.Empty, name)
			}
			in.Reject(Reject{File: name, Error: file.Problem})
			return nil
		case err != nil:
			return fmt.Errorf("read %s: %w", name, err)
		default:
			if e.At.After(time.Now().Add(clockError)) {
				in.Ahead++
				in.last = later(in.last, e.At)
			}
			if err := take(&e); err != nil {
				return err
			}
		}
		in.Bar.Step(in.read, in.total)
	}
	return nil
}

// runsOf reads a file: as a report if the command or the beginning of the file identifies one, else as memtree's own
// format.
func (in *RunFiles) runsOf(name string, r io.Reader) iter.Seq2[tree.Evaluation, error] {
	if in.Reports != nil {
		return in.Reports.File(name, r)
	}
	b := bufio.NewReaderSize(r, report.Sniff)
	begin, _ := b.Peek(report.Sniff) // an error returns with the next read
	rd, err := report.NewReader(report.Recognise(begin), report.Options{Run: in.Run, Keep: in.Keep})
	if err != nil {
		return ingest.ReadRun(name, b, in.Run, func(f ingest.Unread) {
			in.Unknown = append(in.Unknown, UnreadField{name, f})
		})
	}
	return in.reportOf(name, b, rd)
}

// reportOf reads a file that is a whole report.
func (in *RunFiles) reportOf(name string, r io.Reader, rd *report.FileReader) iter.Seq2[tree.Evaluation, error] {
	return func(yield func(tree.Evaluation, error) bool) {
		defer func() {
			in.Skipped += rd.Skipped
			in.Pictures.Add(rd)
		}()
		for _, part := range []iter.Seq2[tree.Evaluation, error]{rd.File(name, r), rd.End()} {
			for e, err := range part {
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

func (in *RunFiles) openFile(ctx context.Context, name string) (io.ReadCloser, string, error) {
	if name == "-" {
		return countedFile{io.NopCloser(interruptible{ctx, in.Stdin}), in}, in.Name(name), nil
	}
	var f io.ReadCloser
	var err error
	if info, e := in.Stat(name); e == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		f, err = in.openPipe(ctx, name)
	} else {
		f, err = in.Open(name)
	}
	if err != nil {
		return nil, name, err
	}
	return countedFile{f, in}, name, nil
}

// countedFile counts the bytes that are read from a file, for the progress bar.
type countedFile struct {
	io.ReadCloser
	in *RunFiles
}

func (c countedFile) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.in.read += int64(n)
	return n, err //nolint:wrapcheck // io.Reader's contract
}
