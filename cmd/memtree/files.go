package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree/internal/whole"
)

// hiddenError is a file of the user that the process with the store cannot see.
type hiddenError struct{ name string }

func (e *hiddenError) Error() string {
	return e.name + " cannot be read by the process that holds the store"
}

// path returns the path at which this process finds a file that the user names. The user of another process names it
// relative to another folder. Files that only that process has, such as its standard input, are an error.
func (a *app) path(name string) (string, error) {
	if a.on == nil {
		return name, nil
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.on.e.Dir, name)
	}
	if !a.on.e.SameFiles || ofOneProcess(path) {
		return "", &hiddenError{name}
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

func (a *app) paths(names []string) ([]string, error) {
	out := make([]string, len(names))
	for i, name := range names {
		var err error
		if out[i], err = a.path(name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// asNamed replaces the path in an error by the name that the user gave.
func asNamed(name string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: p.Op, Path: name, Err: p.Err}
	}
	return err
}

// openNamed opens a file that the user names.
func (a *app) openNamed(name string) (*os.File, error) {
	path, err := a.path(name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path) //nolint:gosec // the user names it
	return f, asNamed(name, err)
}

// statNamed describes a file that the user names.
func (a *app) statNamed(name string) (fs.FileInfo, error) {
	path, err := a.path(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	return info, asNamed(name, err)
}

// sameFile reports whether two names are of one file.
func (a *app) sameFile(x, y string) bool {
	xi, err := a.statNamed(x)
	yi, err2 := a.statNamed(y)
	return err == nil && err2 == nil && os.SameFile(xi, yi)
}

// inEditor lets the user edit a text in the editor of $VISUAL or $EDITOR, in a file of that name.
func (a *app) inEditor(ctx context.Context, name string, b []byte) ([]byte, error) {
	editor := strings.Fields(a.getenv("VISUAL"))
	if len(editor) == 0 {
		editor = strings.Fields(a.getenv("EDITOR"))
	}
	switch {
	case len(editor) == 0:
		return nil, &usageError{a.say("set $EDITOR, or name a file with --file")}
	case a.on != nil:
		return nil, &usageError{a.say("memtree %s (process %d) holds the store and opens no editor; name a file with --file",
			a.on.about.Command, a.on.pid())}
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
	c.Stdin, c.Stdout, c.Stderr = a.stdin, a.stderr, a.stderr
	if err := c.Run(); err != nil {
		return nil, &failure{a.say("the editor %s failed, and nothing changed: %s", editor[0], err.Error()), err}
	}
	return os.ReadFile(name) //nolint:gosec // our own
}

// writeWhole writes a file atomically, with mode 0644.
func (a *app) writeWhole(name string, b []byte) error {
	path, err := a.path(name)
	if err != nil {
		return err
	}
	if err := whole.Bytes(path, 0o644, b); err != nil {
		return &failure{a.say("cannot write %s; choose a folder that exists and that you may write to", name), err}
	}
	return nil
}
