package ingest

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

// FileStatement is a statement about a product as read from a file, and its place there.
type FileStatement struct {
	ledger.Statement
	At string // file and line, or file
}

// StatementOptions configures ReadStatements with what a file leaves open.
type StatementOptions struct {
	Product string // product of statements that name none
	// Columns names the columns of a list of issues, by the keys of IssueColumns. A column that it does not name is
	// found by its usual names.
	Columns map[string]string
}

// Limits of what is read.
const (
	mostStatementFile = 32 << 20 // bytes
	mostObservations  = 20_000   // of a folder
	mostStatementLine = 1 << 20
	mostStatements    = 20_000 // statements
)

// StatementError is what is wrong with a file of statements, or with one statement in it.
type StatementError struct {
	At      string // file and line, or file
	Problem string // a sentence whose subject, the statement or file, is left out
}

func (e *StatementError) Error() string { return e.At + ": " + e.Problem }

func badStatement(at, problem string, args ...any) error {
	return &StatementError{at, fmt.Sprintf(problem, args...)}
}

// ReadStatements reads the statements about products in the file called name, or, if that is a folder, in observations
// of the tool agent-qa. It returns the statements that it could read, and joins the errors of the others. It skips
// closed issues without a build in which they are fixed.
func ReadStatements(name string, o StatementOptions) ([]FileStatement, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read statements: %w", err)
	}
	if !info.IsDir() {
		b, err := readStatementFile(os.DirFS(filepath.Dir(name)), filepath.Base(name), info.Size())
		if err != nil {
			return nil, err
		}
		return statementsOf(filepath.ToSlash(name), b, o)
	}
	return observationFolder(os.DirFS(name), o)
}

func readStatementFile(in fs.FS, name string, size int64) ([]byte, error) {
	if size > mostStatementFile {
		return nil, badStatement(name, "has %d bytes; the most is %d", size, mostStatementFile)
	}
	b, err := fs.ReadFile(in, name)
	if err != nil {
		return nil, fmt.Errorf("read statements: %w", err)
	}
	return b, nil
}

// observationFolder reads the Markdown files below a folder, in the order of their names.
func observationFolder(in fs.FS, o StatementOptions) (out []FileStatement, problems error) {
	files := 0
	err := fs.WalkDir(in, ".", func(name string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		if files++; files > mostObservations {
			return badStatement(name, "is one of more than %d files; read a part of the folder", mostObservations)
		}
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		b, err := readStatementFile(in, name, info.Size())
		if err == nil {
			var r FileStatement
			if r, err = observation(name, b, o); err == nil {
				out = append(out, r)
			}
		}
		problems = errors.Join(problems, err)
		return nil
	})
	if err == nil && files == 0 {
		err = badStatement(".", "has no Markdown file; name the folder with products, suites or tests in it")
	}
	return out, errors.Join(err, problems)
}

// statementsOf reads the content of one file. The name has the tier of an observation of agent-qa.
func statementsOf(name string, b []byte, o StatementOptions) ([]FileStatement, error) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	switch head := bytes.TrimSpace(b); {
	case len(head) == 0:
		return nil, badStatement(name, "is empty")
	case bytes.HasPrefix(head, []byte("---")):
		r, err := observation(name, b, o)
		if err != nil {
			return nil, err
		}
		return []FileStatement{r}, nil
	case head[0] == '{' || head[0] == '[':
		return statementObjects(name, b, o)
	default:
		return issueTable(name, b, o)
	}
}

// addStatement appends statements up to a limit.
func addStatement(out []FileStatement, r FileStatement) ([]FileStatement, error) {
	if len(out) >= mostStatements {
		return out, badStatement(r.At, "is one statement more than %d; read the file in parts", mostStatements)
	}
	return append(out, r), nil
}

// IssueColumns returns the fields of an issue that are read from a list, each with the usual names of its column in
// lower case.
func IssueColumns() map[string][]string {
	return map[string][]string{
		"statement": {"summary", "title", "name", "subject"},
		"state":     {"state", "status", "resolution"},
		"fixed":     {"fixed", "fixed in", "fix version", "fix version/s", "fix versions", "fixversion", "milestone"},
		"product":   {"product", "component", "component/s", "components", "project", "project name"},
		"page":      {"page", "route", "url path", "screen"},
		"key":       {"key", "issue key", "id", "number", "iid"},
	}
}

// closedStates are the states of an issue that is not met any more.
var closedStates = []string{"closed", "done", "resolved", "fixed", "verified", "won't fix", "duplicate", "invalid",
	"rejected"}

// issue returns the statement of a known bug. ok is false for one that is over, without a build in which it is fixed.
func issue(at string, o StatementOptions, get func(column string) string) (r FileStatement, ok bool, err error) {
	text := get("statement")
	if text == "" {
		return r, false, badStatement(at, "has no summary; name its column, statement=NAME")
	}
	fixed := get("fixed")
	if fixed == "" && slices.Contains(closedStates, strings.ToLower(get("state"))) {
		return r, false, nil
	}
	r = FileStatement{At: at, Statement: ledger.Statement{Text: text, Kind: ledger.KnownBug, Fixed: fixed}}
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
