package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/tree"
)

// How many rejected lines are named on the screen, and how many kept for JSON.
const (
	shownRejects = 20
	keptRejects  = 10_000
)

// reject is a line that was not taken.
type reject struct {
	File  string `json:"file"`
	Line  int    `json:"line"`
	Field string `json:"field"`
	Error string `json:"error"`
}

func (r reject) String() string {
	if r.Line == 0 && r.Field == "" {
		return r.File + " " + r.Error // it is about the file as a whole
	}
	where := r.File
	if r.Line > 0 {
		where = fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	return where + ": " + join(r.Field, r.Error)
}

func join(field, problem string) string {
	if field == "" || problem == "" {
		return field + problem
	}
	return field + " " + problem
}

// intake reads files of judged runs: what can be used goes on, what cannot is
// named and counted.
type intake struct {
	*app
	bar      *progress
	run      string // of lines that name none
	read     int64
	total    int64 // 0: not known
	rejected []reject
	rejects  int
	empty    []string // files with nothing in them; each is a reject too
	unread   int      // files that are of no use as a whole, these among them
}

func (a *app) intake(files []string, label string) (*intake, error) {
	total, err := a.sizes(files)
	if err != nil {
		return nil, err
	}
	return &intake{app: a, total: total, bar: a.progress(label, byteCount), rejected: []reject{}}, nil
}

// sizes adds up the files, so that a missing one is said before any is read.
func (a *app) sizes(files []string) (total int64, err error) {
	for _, name := range files {
		if name == "-" {
			total = -1
			continue
		}
		info, err := os.Stat(name)
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

// file reads one file, - being standard input, and gives each evaluation to
// take. A file that cannot be read on is a reject too: what came before it is
// kept, and so are the other files.
func (in *intake) file(ctx context.Context, name string, take func(e *tree.Evaluation) error) error {
	r, name, err := in.openFile(ctx, name)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // only read
	for e, err := range ingest.ReadRun(name, r, in.run) {
		var line *ingest.LineError
		var file *ingest.FileError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &line):
			in.reject(reject{File: name, Line: line.Line, Field: line.Field, Error: line.Problem})
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
		in.bar.step(in.read, in.total)
	}
	return nil
}

func (in *intake) openFile(ctx context.Context, name string) (io.ReadCloser, string, error) {
	if name == "-" {
		return counted{io.NopCloser(interruptible{ctx, in.stdin}), in}, in.say("standard input"), nil
	}
	f, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, name, err
	}
	return counted{f, in}, name, nil
}

// counted counts what is read from a file, for the bar.
type counted struct {
	io.ReadCloser
	in *intake
}

func (c counted) Read(p []byte) (int, error) {
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
		in.bar.end()
		in.complain(x.String())
	}
}

// hidden says how many rejects were not named.
func (in *intake) hidden() {
	if n := in.rejects - shownRejects; n > 0 && !in.json {
		in.complain(in.say("and %d more lines that cannot be used (--json lists them)", n))
	}
}

// err is errRejected if anything was.
func (in *intake) err() error {
	if in.rejects > 0 {
		return errRejected
	}
	return nil
}
