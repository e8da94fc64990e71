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

// TestLayersKeepTestsApart: a package that imports testing is a part of the tests, and
// nothing that ships imports it, whatever the table says.
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
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "tree" {
					t.Errorf("%s names tree.%s; Memory is the only writer, tree.Reader is what is read", name, s.Sel.Name)
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

// TestMapHasEveryFile: a row of "Every file" names all files of its package that are no test's,
// and no file that is not there.
func TestMapHasEveryFile(t *testing.T) {
	rows := fileRows(t)
	require.Greater(t, len(rows), 20, "the rows could not be read")
	files := tracked(t)
	named := map[string]bool{}
	for dir, names := range rows {
		for _, name := range names {
			there := false
			for _, file := range files {
				if ok, err := path.Match(path.Join(dir, name), file); ok && err == nil {
					there, named[file] = true, true
				}
			}
			if !there {
				t.Errorf("the row of %s in ARCHITECTURE.md names %s, which is not there", dir, name)
			}
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".go") && !ofTests(file) && !named[file] {
			t.Errorf("the row of %s in ARCHITECTURE.md says nothing of %s", path.Dir(file), path.Base(file))
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

// fileRows are the names of files in the rows of "Every file", by folder. What stands in
// brackets says what a file is about.
func fileRows(t *testing.T) map[string][]string {
	t.Helper()
	b, err := os.ReadFile("ARCHITECTURE.md")
	require.NoError(t, err)
	_, every, _ := strings.Cut(string(b), "## Every file")
	about, word := regexp.MustCompile(`\([^()]*\)`), regexp.MustCompile("`([^`]+)`")
	rows := map[string][]string{}
	for line := range strings.Lines(every) {
		words := word.FindAllStringSubmatch(about.ReplaceAllString(line, ""), -1)
		if !strings.HasPrefix(line, "| `") || len(words) == 0 {
			continue
		}
		dir := words[0][1]
		if dir == "memtree" {
			dir = "."
		}
		for _, w := range words[1:] {
			rows[dir] = append(rows[dir], w[1])
		}
	}
	return rows
}

// ofTests reports whether a file is for tests or tools alone.
func ofTests(file string) bool {
	return strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") ||
		slices.ContainsFunc([]string{
			"tools/", "store/storetest/", "llm/llmtest/", "internal/", "quality/", "store/json/peers/",
		}, func(dir string) bool { return strings.HasPrefix(file, dir) })
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
