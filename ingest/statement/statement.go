// Package statement reads and writes what is known of products under test, as statements for package knowledge.
//
//	memtree   JSON lines of memtree's own form
//	agent-qa  observations of agent-qa: Markdown with front matter, in products/NAME, suites/ID and tests/ID
//	issues    a list of known bugs: CSV with a head, a JSON array, or JSON lines, with the columns of a tracker's export
//
// Files are untrusted: each has limits, and an error names file and line, and what to do. Whether a statement may be
// given to agents is not decided here; see knowledge.Clean.
package statement

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtree/memtree/ledger"
)

// Read is a statement of a file.
type Read struct {
	ledger.Statement
	At string // file and line, or file
}

// Options set what a file leaves open.
type Options struct {
	Product string            // of statements that name none
	Columns map[string]string // of a list of issues, by the names in Columns; others are found by their usual names
}

// Limits of what is read.
const (
	mostFile  = 32 << 20 // bytes
	mostFiles = 20_000   // of a folder
	mostLine  = 1 << 20
	mostRead  = 20_000 // statements
)

// InputError is a fault of a file, or of a statement in it.
type InputError struct {
	At      string // file and line, or file
	Problem string // a sentence without its subject
}

func (e *InputError) Error() string { return e.At + ": " + e.Problem }

func bad(at, problem string, args ...any) error {
	return &InputError{at, fmt.Sprintf(problem, args...)}
}

// Path reads a file, or a folder of observations of agent-qa. It returns the statements that could be read and joins
// the errors of the others.
func Path(name string, o Options) ([]Read, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read statements: %w", err)
	}
	if !info.IsDir() {
		b, err := readFile(os.DirFS(filepath.Dir(name)), filepath.Base(name), info.Size())
		if err != nil {
			return nil, err
		}
		return encoded(filepath.ToSlash(name), b, o)
	}
	return folder(os.DirFS(name), o)
}

func readFile(in fs.FS, name string, size int64) ([]byte, error) {
	if size > mostFile {
		return nil, bad(name, "has %d bytes; the most is %d", size, mostFile)
	}
	b, err := fs.ReadFile(in, name)
	if err != nil {
		return nil, fmt.Errorf("read statements: %w", err)
	}
	return b, nil
}

// folder reads the Markdown files below a folder, in the order of their names.
func folder(in fs.FS, o Options) (out []Read, problems error) {
	files := 0
	err := fs.WalkDir(in, ".", func(name string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		if files++; files > mostFiles {
			return bad(name, "is one of more than %d files; read a part of the folder", mostFiles)
		}
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		b, err := readFile(in, name, info.Size())
		if err == nil {
			var r Read
			if r, err = observation(name, b, o); err == nil {
				out = append(out, r)
			}
		}
		problems = errors.Join(problems, err)
		return nil
	})
	if err == nil && files == 0 {
		err = bad(".", "has no Markdown file; name the folder with products, suites or tests in it")
	}
	return out, errors.Join(err, problems)
}

// encoded reads the content of one file. The name has the tier of an observation of agent-qa.
func encoded(name string, b []byte, o Options) ([]Read, error) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	switch head := bytes.TrimSpace(b); {
	case len(head) == 0:
		return nil, bad(name, "is empty")
	case bytes.HasPrefix(head, []byte("---")):
		r, err := observation(name, b, o)
		if err != nil {
			return nil, err
		}
		return []Read{r}, nil
	case head[0] == '{' || head[0] == '[':
		return objects(name, b, o)
	default:
		return table(name, b, o)
	}
}

// add appends statements up to a limit.
func add(out []Read, r Read) ([]Read, error) {
	if len(out) >= mostRead {
		return out, bad(r.At, "is one statement more than %d; read the file in parts", mostRead)
	}
	return append(out, r), nil
}

// Columns are what a list of issues may have, with the usual names of the columns.
func Columns() map[string][]string {
	return map[string][]string{
		"statement": {"summary", "title", "name", "subject"},
		"state":     {"state", "status", "resolution"},
		"fixed":     {"fixed", "fixed in", "fix version", "fix version/s", "fix versions", "fixversion", "milestone"},
		"product":   {"product", "component", "component/s", "components", "project", "project name"},
		"page":      {"page", "route", "url path", "screen"},
		"key":       {"key", "issue key", "id", "number", "iid"},
	}
}

// over are the states of an issue that is not met any more.
var over = []string{"closed", "done", "resolved", "fixed", "verified", "won't fix", "duplicate", "invalid", "rejected"}

// issue returns the statement of a known bug. ok is false for one that is over, without a build in which it is fixed.
func issue(at string, o Options, get func(column string) string) (r Read, ok bool, err error) {
	text := get("statement")
	if text == "" {
		return r, false, bad(at, "has no summary; name its column, statement=NAME")
	}
	fixed := get("fixed")
	if fixed == "" && slices.Contains(over, strings.ToLower(get("state"))) {
		return r, false, nil
	}
	r = Read{At: at, Statement: ledger.Statement{Text: text, Kind: ledger.KnownBug, Fixed: fixed}}
	if key := get("key"); key != "" {
		r.Text = key + ": " + text
	}
	if r.Scope.Product = get("product"); r.Scope.Product == "" {
		r.Scope.Product = o.Product
	}
	if p := get("page"); p != "" {
		r.Pages = []string{p}
	}
	return r, true, nil
}
