package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/memtree/memtree/tree"
)

// Attachments opens the files that reports name, such as pictures, within one folder. Neither "..", nor an absolute
// path, nor a link leads out of the folder.
type Attachments struct {
	root  *os.Root
	dir   string            // its name, for messages
	alone map[string]string // by the base name: the path of the report that it matched
}

// OpenAttachments opens the folder dir, in which attachments are looked for. The caller closes the result.
func OpenAttachments(dir string) (*Attachments, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the folder
	}
	return &Attachments{root, dir, map[string]string{}}, nil
}

// Close closes the folder. Files that Open opened stay open.
func (a *Attachments) Close() error { return a.root.Close() } //nolint:wrapcheck // it names the folder

// Open opens an attachment by its path in a report. Usually that is a path on the machine that ran the test, so Open
// uses the longest end of the path that exists in the folder. If only the file name exists, Open accepts it for the
// first path with that name and refuses other paths, because tools give pictures of many tests the same name. An error
// is a *tree.FieldError.
func (a *Attachments) Open(name string) (io.ReadCloser, error) {
	bad := func(problem string) error { return &tree.FieldError{Field: "picture", Problem: problem} }
	parts := strings.Split(strings.TrimLeft(path.Clean(strings.ReplaceAll(name, `\`, "/")), "/"), "/")
	for len(parts) > 1 && (parts[0] == ".." || strings.HasSuffix(parts[0], ":")) {
		parts = parts[1:]
	}
	for i := range parts {
		at := path.Join(parts[i:]...)
		info, err := a.root.Lstat(at)
		switch {
		case err != nil:
			continue
		case i > 0 && i == len(parts)-1 && !a.first(at, name):
			return nil, bad("is one of several pictures of this name in the report; keep their folders too")
		case info.Mode()&os.ModeSymlink != 0:
			return nil, bad("is a link; a picture is a file of its own")
		case !info.Mode().IsRegular():
			return nil, bad("is no file")
		case info.Size() > tree.MaxPicture:
			return nil, bad("has more than 8 MiB")
		}
		f, err := a.root.Open(at)
		if err != nil {
			return nil, bad("cannot be opened: " + plainly(err))
		}
		return f, nil
	}
	return nil, bad(fmt.Sprintf("is not in the folder %q; copy it there, or name the folder that has it with "+
		"--attachments", a.dir))
}

// first reports whether a path is the first, or equal to the first, that matched by base name alone.
func (a *Attachments) first(name, of string) bool {
	a.alone[name] = cmp.Or(a.alone[name], of)
	return a.alone[name] == of
}

// plainly returns the text of an error without the path, which the sentence has.
func plainly(err error) string {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
