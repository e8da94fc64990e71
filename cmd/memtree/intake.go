package main

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

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/tree"
)

// shownRejects and keptRejects limit the rejected lines on the screen and in --json.
const (
	shownRejects = 20
	keptRejects  = 10_000
)

// reject is a line that was rejected.
type reject struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Field string `json:"field"`
	Error string `json:"error"`
}

// rejectLine describes a rejected line and the reason.
func (a *app) rejectLine(r reject) string {
	why := a.mistake(r.Error)
	if r.Line == 0 && r.Field == "" {
		return r.File + " " + why // the file as a whole was rejected
	}
	where := r.File
	if r.Line > 0 {
		where = fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	return where + ": " + join(r.Field, why)
}

func join(field, problem string) string {
	if field == "" || problem == "" {
		return field + problem
	}
	return field + " " + problem
}

// unreadField is an ignored field of a file of runs.
type unreadField struct {
	File string `json:"file"`
	ingest.Unread
}

// intake reads files of judged runs. It passes on valid runs, and reports the invalid ones.
type intake struct {
	*app
	bar      *screen.Progress
	run      string                                  // id of the run, for lines without one
	reports  *report.Reader                          // reads the files, if their format is a known report
	keep     func(report.Shot) (tree.Picture, error) // stores the pictures of reports; nil: ignored
	pictures ingestedPictures
	skipped  int // tests of reports that have no verdict
	unknown  []unreadField
	read     int64
	total    int64 // bytes of all files; 0 if not known
	rejected []reject
	rejects  int
	empty    []string // files without content; each of them is also a reject
	unread   int      // files rejected as a whole, the empty ones included
}

func (a *app) intake(files []string, label string) (*intake, error) {
	total, err := a.sizes(files)
	if err != nil {
		return nil, err
	}
	return &intake{app: a, total: total, bar: a.progress(label, screen.Bytes), rejected: []reject{},
		pictures: ingestedPictures{Why: []report.LeftPicture{}}}, nil
}

// sizes returns the total size of the files, in bytes. It finds a missing file before any is read.
func (a *app) sizes(files []string) (total int64, err error) {
	for _, name := range files {
		if name == "-" {
			total = -1
			continue
		}
		info, err := a.statNamed(name)
		switch {
		case err != nil:
			return 0, err
		case info.IsDir():
			return 0, &failure{a.say("%s is a folder; name the files in it, such as %s/*.jsonl", name, name), nil}
		case total >= 0 && info.Mode().IsRegular():
			total += info.Size()
		}
	}
	return max(total, 0), nil
}

// file reads one file, or standard input for "-", and passes each evaluation to take. If reading fails midway, the
// file becomes a reject; the evaluations before that remain, and the other files are still read.
func (in *intake) file(ctx context.Context, name string, take func(e *tree.Evaluation) error) error {
	r, name, err := in.openFile(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // only read
	before := len(in.unknown)
	err = in.take(ctx, name, in.runsOf(name, r), take)
	in.unreadLines(name, in.unknown[before:])
	return err
}

// unreadLines prints the ignored fields of a file.
func (in *intake) unreadLines(name string, fields []unreadField) {
	if in.json || len(fields) == 0 {
		return
	}
	in.bar.End()
	var names []string
	for _, f := range fields {
		switch {
		case f.Agents:
			in.note(in.say("%s: where a run has note and reason, note is taken for the evaluator's words, and reason, "+
				"taken for the agent's own, is left out. The agent's belongs into judgment.", name))
			continue
		case f.Near != "":
			names = append(names, in.say("%s (is %s meant?)", f.Field, f.Near))
			continue
		}
		names = append(names, f.Field)
	}
	if len(names) > 0 {
		in.note(in.say("%s: fields that are not read: %s.", name, strings.Join(names, in.say(", "))))
	}
}

// take passes on the evaluations of a file.
func (in *intake) take(ctx context.Context, name string, runs iter.Seq2[tree.Evaluation, error],
	take func(e *tree.Evaluation) error,
) error {
	for e, err := range runs {
		var line *ingest.LineError
		var file *ingest.FileError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &line):
			in.reject(reject{File: cmp.Or(line.File, name), Line: line.Line, Field: line.Field, Error: line.Problem})
		case errors.As(err, &file):
			if in.unread++; file.Empty {
				in.empty = append(in.empty, name)
			}
			in.reject(reject{File: name, Error: file.Problem})
			return nil
		case err != nil:
			return fmt.Errorf("read %s: %w", name, err)
		default:
			if err := take(&e); err != nil {
				return err
			}
		}
		in.bar.Step(in.read, in.total)
	}
	return nil
}

// runsOf reads a file: as a report if the command or the beginning of the file identifies one, else as memtree's own
// format.
func (in *intake) runsOf(name string, r io.Reader) iter.Seq2[tree.Evaluation, error] {
	if in.reports != nil {
		return in.reports.File(name, r)
	}
	b := bufio.NewReaderSize(r, report.Sniff)
	begin, _ := b.Peek(report.Sniff) // an error returns with the next read
	rd, err := report.NewReader(report.Recognise(begin), report.Options{Run: in.run, Keep: in.keep})
	if err != nil {
		return ingest.ReadRun(name, b, in.run, func(f ingest.Unread) {
			in.unknown = append(in.unknown, unreadField{name, f})
		})
	}
	return in.reportOf(name, b, rd)
}

// reportOf reads a file that is a whole report.
func (in *intake) reportOf(name string, r io.Reader, rd *report.Reader) iter.Seq2[tree.Evaluation, error] {
	return func(yield func(tree.Evaluation, error) bool) {
		defer func() {
			in.skipped += rd.Skipped
			in.pictures.note(rd)
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

func (in *intake) openFile(ctx context.Context, name string) (io.ReadCloser, string, error) {
	if name == "-" {
		return countedFile{io.NopCloser(interruptible{ctx, in.stdin}), in}, in.fileName(name), nil
	}
	var f io.ReadCloser
	var err error
	if info, e := in.statNamed(name); e == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		f, err = in.openPipe(ctx, name)
	} else {
		f, err = in.openNamed(name)
	}
	if err != nil {
		return nil, name, err
	}
	return countedFile{f, in}, name, nil
}

// fileName returns the display name of a file that the user named: "-" is standard input.
func (a *app) fileName(path string) string {
	if path == "-" {
		return a.say("standard input")
	}
	return path
}

// countedFile counts the bytes that are read from a file, for the progress bar.
type countedFile struct {
	io.ReadCloser
	in *intake
}

func (c countedFile) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.in.read += int64(n)
	return n, err //nolint:wrapcheck // io.Reader's contract
}

func (in *intake) reject(x reject) {
	in.rejects++
	if len(in.rejected) < keptRejects {
		in.rejected = append(in.rejected, x)
	}
	if !in.json && in.rejects <= shownRejects {
		in.bar.End()
		in.complain(in.rejectLine(x))
	}
}

// hidden prints how many rejects the screen did not show.
func (in *intake) hidden() {
	if n := in.rejects - shownRejects; n > 0 && !in.json {
		in.complain(in.say("and %d more lines that cannot be used (--json lists them)", n))
	}
}

// err returns errRejected if anything was rejected.
func (in *intake) err() error {
	if in.rejects > 0 {
		return errRejected
	}
	return nil
}
