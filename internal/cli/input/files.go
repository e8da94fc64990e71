// Package input reads what a user passes to a command: files, folders, standard input, files of judged runs, and what
// the user writes in an editor. Each has a limit, and Ctrl-C ends each wait. It also writes the files that a user
// names.
//
// It reads the settings of commands and of the service too (config.go): each is a flag, a variable or a key of the
// config file, under one name.
package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/whole"
)

// Files opens and writes the files that the user of a command names.
type Files struct {
	*say.Voice
	Away *Away // nil: the command runs in the user's own process
}

// Away describes a command that runs in another process than its user's.
type Away struct {
	Dir       string // working folder of the user
	SameFiles bool   // both processes see the same files
	Command   string // command of the process in which it runs
	PID       int    // id of that process
}

// Path returns the path at which this process finds the file that the user calls name. For a command of another
// process, name is relative to that process's folder; a file that only that process has, such as its standard input, is
// an error.
func (f *Files) Path(name string) (string, error) {
	if f.Away == nil {
		return name, nil
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.Away.Dir, name)
	}
	if !f.Away.SameFiles || ofOneProcess(path) {
		return "", f.Fail(nil, "%s cannot be read by the process that holds the store, as in a container of its own; "+
			"put it where both can read it, or stop that process first", name)
	}
	return path, nil
}

// ofOneProcess reports whether a path is another file in each process that opens it.
func ofOneProcess(path string) bool {
	for _, prefix := range []string{"/dev/std", "/dev/fd/", "/dev/tty", "/proc/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// Paths returns the paths of several files, as Path does.
func (f *Files) Paths(names []string) ([]string, error) {
	out := make([]string, len(names))
	for i, name := range names {
		var err error
		if out[i], err = f.Path(name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// AsNamed returns err with the path in it replaced by name, as the user wrote it.
func AsNamed(name string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: p.Op, Path: name, Err: p.Err}
	}
	return err
}

// Open opens the file that the user calls name, for reading.
func (f *Files) Open(name string) (*os.File, error) {
	path, err := f.Path(name)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path) //nolint:gosec // the user names it
	return file, AsNamed(name, err)
}

// Stat returns a description of the file that the user calls name, as os.Stat does.
func (f *Files) Stat(name string) (fs.FileInfo, error) {
	path, err := f.Path(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	return info, AsNamed(name, err)
}

// Same reports whether x and y name the same existing file.
func (f *Files) Same(x, y string) bool {
	xi, err := f.Stat(x)
	yi, err2 := f.Stat(y)
	return err == nil && err2 == nil && os.SameFile(xi, yi)
}

// Edit lets the user change the text b in the editor of $VISUAL or $EDITOR, and returns the result. name is the name of
// the temporary file. Without an editor it returns an error with advice.
func (f *Files) Edit(ctx context.Context, name string, b []byte) ([]byte, error) {
	editor := strings.Fields(f.Getenv("VISUAL"))
	if len(editor) == 0 {
		editor = strings.Fields(f.Getenv("EDITOR"))
	}
	switch {
	case len(editor) == 0:
		return nil, f.Usage("set $EDITOR, or name a file with --file")
	case f.Away != nil:
		return nil, f.Usage("memtree %s (process %d) holds the store and opens no editor; name a file with --file",
			f.Away.Command, f.Away.PID)
	}
	dir, err := os.MkdirTemp("", "memtree-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a copy
	name = filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(name, b, 0o600); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, editor[0], append(editor[1:], name)...) //nolint:gosec // the user's own editor
	c.Stdin, c.Stdout, c.Stderr = f.Stdin, f.Stderr, f.Stderr
	if err := c.Run(); err != nil {
		return nil, f.Fail(err, "the editor %s failed, and nothing changed: %s", editor[0], err.Error())
	}
	return os.ReadFile(name) //nolint:gosec // our own
}

// Write writes b to the file that the user calls name, atomically and with mode 0644.
func (f *Files) Write(name string, b []byte) error {
	path, err := f.Path(name)
	if err != nil {
		return err
	}
	if err := whole.Bytes(path, 0o644, b); err != nil {
		return f.Fail(err, "cannot write %s; choose a folder that exists and that you may write to", name)
	}
	return nil
}

// Name returns path for messages; "-" is called standard input.
func (f *Files) Name(path string) string {
	if path == "-" {
		return f.Say("standard input")
	}
	return path
}

// Reader opens the file that the user calls name, or standard input for "-". Reads from standard input fail once ctx
// ends.
func (f *Files) Reader(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(interruptible{ctx, f.Stdin}), nil
	}
	return f.Open(name)
}

// Text returns the text of a file, or of standard input for "-". More than most bytes are an error.
func (f *Files) Text(ctx context.Context, name string, most int64) (string, error) {
	in, err := f.Reader(ctx, name)
	if err != nil {
		return "", err
	}
	defer in.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", f.Name(name), err)
	}
	if int64(len(b)) > most {
		return "", f.Fail(nil, "%s is longer than %s, which is the most", f.Name(name), say.Bytes(most))
	}
	return string(b), nil
}

// Lines calls do with the lines of a file, or of standard input for "-". It skips blank lines and removes white space
// around the others; n is the number of the line, from 1. A line longer than longest bytes is an error. Lines stops at
// the first error of do and returns it.
func (f *Files) Lines(ctx context.Context, name string, longest int, do func(n int, line []byte) error) error {
	in, err := f.Reader(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longest)
	for n := 1; lines.Scan(); n++ {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			if err := do(n, line); err != nil {
				return err
			}
		}
	}
	switch err := lines.Err(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return f.Fail(err, "%s cannot be read: %s", f.Name(name), err.Error())
	}
	return nil
}
