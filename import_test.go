package memtree_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/memtree/memtree"

// layer is one row of ARCHITECTURE.md's table of packages.
type layer struct{ ours, thirdParty []string }

func layers(t *testing.T) map[string]layer {
	t.Helper()
	b, err := os.ReadFile("ARCHITECTURE.md")
	require.NoError(t, err)
	words := regexp.MustCompile("`([^`]+)`")
	rows := map[string]layer{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		var l layer
		for _, m := range words.FindAllStringSubmatch(cells[3], -1) {
			l.ours = append(l.ours, m[1])
		}
		l.thirdParty = strings.Fields(cells[4])
		rows[strings.Trim(strings.TrimSpace(cells[1]), "`")] = l
	}
	return rows
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Standard   bool
	Doc        string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Doc", "./...").Output()
	require.NoError(t, err)
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

// TestLayers holds the imports of every package against ARCHITECTURE.md.
func TestLayers(t *testing.T) {
	table := layers(t)
	require.Greater(t, len(table), 10, "the table could not be read")
	seen := map[string]bool{}
	used := map[string]bool{} // permissions of a package, with its name before them
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if name == "" {
			name = "."
		}
		if strings.HasPrefix(name, "quality") {
			continue // measurements: tests only
		}
		row, ok := table[name]
		if !ok {
			t.Errorf("package %s is not in ARCHITECTURE.md", name)
			continue
		}
		seen[name] = true
		if p.Doc == "" {
			t.Errorf("package %s has no package comment", name)
		}
		for _, imp := range p.Imports {
			by, ok := allowed(row, imp)
			if !ok {
				t.Errorf("%s imports %s, which ARCHITECTURE.md does not allow", name, imp)
			}
			used[name+" "+by] = true
		}
		if base := name[strings.LastIndex(name, "/")+1:]; slices.Contains(
			[]string{"util", "utils", "common", "helpers", "models", "types"}, base) {
			t.Errorf("package %s says nothing by its name", name)
		}
	}
	for name, row := range table {
		if !seen[name] {
			t.Errorf("ARCHITECTURE.md lists %s, which does not exist", name)
			continue
		}
		for _, permission := range slices.Concat(row.ours, row.thirdParty) {
			if !used[name+" "+permission] {
				t.Errorf("ARCHITECTURE.md lets %s import %s, which it does not; take it out of the table", name, permission)
			}
		}
	}
}

// TestLayersKeepTestsApart: a package that imports testing is a part of the tests, and nothing that ships imports it,
// by any row of the table.
func TestLayersKeepTestsApart(t *testing.T) {
	all := packages(t)
	tests := map[string]bool{}
	for _, p := range all {
		tests[p.ImportPath] = slices.Contains(p.Imports, "testing")
	}
	require.True(t, tests[module+"/store/storetest"], "store/storetest is the conformance suite, which imports testing")
	for _, p := range all {
		for _, imp := range p.Imports {
			if tests[imp] && !tests[p.ImportPath] {
				t.Errorf("%s imports %s outside its _test.go files; "+
					"that is a package for tests, and only tests may import it", p.ImportPath, imp)
			}
		}
	}
}

// TestCommandIsAClient: the command has no way to what is stored but the root. Those
// that work on the files of a store, whatever is in them, and they alone, know the files.
func TestCommandIsAClient(t *testing.T) {
	ofFiles := []string{"backup.go", "compact.go", "fsck.go"}
	names, err := filepath.Glob("cmd/memtree/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, imp := range f.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			if strings.HasPrefix(path, module+"/store/") && !slices.Contains(ofFiles, filepath.Base(name)) {
				t.Errorf("%s imports %s; a command opens a memory with memtree.Open, and reads it with Memory.Tree", name, path)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"Store", "Batch"}, s.Sel.Name) {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "store" {
					t.Errorf("%s names store.%s; Memory is the only writer, store.Reader is what is read", name, s.Sel.Name)
				}
			}
			return true
		})
	}
}

// allowed reports whether a row permits an import, and by which word of its; "" for the
// standard library, which all may import.
func allowed(row layer, imp string) (by string, ok bool) {
	if rest, ours := strings.CutPrefix(imp, module); ours {
		name := strings.TrimPrefix(rest, "/")
		if name == "" {
			name = "."
		}
		return name, slices.Contains(row.ours, name)
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		return "", true
	}
	i := slices.IndexFunc(row.thirdParty, func(m string) bool {
		return strings.Contains(imp+"/", "/"+m+"/") || strings.HasPrefix(imp+"/", m+"/")
	})
	if i < 0 {
		return "", false
	}
	return row.thirdParty[i], true
}

// TestMapNamesFiles: every file that ARCHITECTURE.md names is somewhere in the house.
func TestMapNamesFiles(t *testing.T) {
	b, err := os.ReadFile("ARCHITECTURE.md")
	require.NoError(t, err)
	files := strings.Join(tracked(t), "\n/")
	named := regexp.MustCompile("`([\\w./*-]+\\.(?:go|po|yaml|txt|tmpl|md))`|\\]\\(([\\w./-]+)\\)")
	for _, m := range named.FindAllStringSubmatch(string(b), -1) {
		name := m[1] + m[2]
		pattern := "(?m)/" + strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, "[^/]*") + "$"
		if name != "memtree.yaml" && !regexp.MustCompile(pattern).MatchString("/"+files) { // that one is a team's own
			t.Errorf("ARCHITECTURE.md names %s, which is not there", name)
		}
	}
}

// mostFiles is how many files a package may have before its comment has to name the main ones.
const mostFiles = 8

// TestCommentsNameFiles: the comment of a large package names at least three of its files, and every file
// that a package comment names is there.
func TestCommentsNameFiles(t *testing.T) {
	named := regexp.MustCompile(`\b[a-z0-9_]+\.go\b`)
	count, comments := map[string]int{}, map[string]string{}
	for _, name := range tracked(t) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		require.NoError(t, err)
		count[path.Dir(name)]++
		comments[path.Dir(name)] += f.Doc.Text()
	}
	delete(count, ".") // ARCHITECTURE.md goes through its files
	for dir, n := range count {
		names := named.FindAllString(comments[dir], -1)
		if n > mostFiles && len(names) < 3 {
			t.Errorf("package %s has %d files; its comment has to name the main ones", dir, n)
		}
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("the comment of package %s names %s, which is not there", dir, name)
			}
		}
	}
}

// tracked lists the files of the repository.
func tracked(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "ls-files").Output()
	if err != nil {
		t.Skip("not a checkout of git")
	}
	return strings.Fields(string(out))
}

// TestAlone: what make race leaves out has no lock and starts no goroutine of a group, so that the
// race detector would find nothing there.
func TestAlone(t *testing.T) {
	b, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(b), "\nALONE    = ")
	require.True(t, ok)
	names, _, _ := strings.Cut(rest, "#")
	left := strings.Split(names, "|")
	for _, p := range packages(t) {
		if i := slices.Index(left, strings.TrimPrefix(p.ImportPath, module+"/")); i >= 0 {
			left = slices.Delete(left, i, i+1)
			for _, imp := range p.Imports {
				require.NotContains(t, []string{"sync", "sync/atomic", "golang.org/x/sync/errgroup"}, imp, p.ImportPath)
			}
		}
	}
	require.Empty(t, left, "no such packages")
}
