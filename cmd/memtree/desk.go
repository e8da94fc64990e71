package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// desk is the user's side of a command that runs in the user's own process; see holder.Desk.
type desk struct{ *app }

func (desk) Open(name string) (io.ReadCloser, error) {
	return os.Open(name) //nolint:gosec // the user names the file
}

func (desk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (desk) Path(name string) (string, error) { return name, nil }

func (desk) Same(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

func (d desk) Write(name string, b []byte) error { return d.writeWhole(name, b) }

// Edit opens the text in the editor of $VISUAL or $EDITOR.
func (d desk) Edit(ctx context.Context, name string, b []byte) ([]byte, error) {
	editor := d.editor()
	if len(editor) == 0 {
		return nil, d.noEditor()
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
	c.Stdin, c.Stdout, c.Stderr = d.stdin, d.stderr, d.stderr
	if err := c.Run(); err != nil {
		return nil, &failure{d.say("the editor %s failed, and nothing changed: %s", editor[0], err.Error()), err}
	}
	return os.ReadFile(name) //nolint:gosec // our own
}

// editor is the user's editor with its flags, nil if none is set.
func (a *app) editor() []string {
	if editor := strings.Fields(a.getenv("VISUAL")); len(editor) > 0 {
		return editor
	}
	return strings.Fields(a.getenv("EDITOR"))
}

func (a *app) noEditor() error { return &usageError{a.say("set $EDITOR, or name a file with --file")} }
