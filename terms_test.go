package memtree_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTermsHaveOwners: every term of docs/terms.md appears there once and has one owner, which is in the code: a
// package, or a name in it, or a field or method of that.
func TestTermsHaveOwners(t *testing.T) {
	b, err := os.ReadFile("docs/terms.md")
	require.NoError(t, err)
	packages, terms := map[string]map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 3 || !strings.Contains(cells[2], "`") {
			continue
		}
		owner := strings.Trim(strings.TrimSpace(cells[2]), "`")
		for term := range strings.SplitSeq(cells[1], ",") {
			require.NotContains(t, terms, strings.TrimSpace(term), "docs/terms.md says it twice")
			terms[strings.TrimSpace(term)] = true
		}
		folder, name := split(owner)
		if packages[folder] == nil {
			packages[folder] = declared(t, folder)
		}
		if !packages[folder][name] {
			t.Errorf("%s: docs/terms.md says that %s decides it, which is not in the code", strings.TrimSpace(cells[1]), owner)
		}
	}
	require.Greater(t, len(terms), 50, "the table could not be read")
}

// split returns the folder of an owner and its name in the package there, "" for the package.
func split(owner string) (folder, name string) {
	slash := strings.LastIndex(owner, "/") + 1
	base, name, _ := strings.Cut(owner[slash:], ".")
	if folder = owner[:slash] + base; folder == "memtree" {
		folder = "."
	}
	if internal := filepath.Join("internal", folder); folder != "." && isFolder(internal) {
		folder = internal
	}
	return folder, name
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// declared returns what the package in a folder declares, fields and methods as Type.Name, and "".
func declared(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	out := map[string]bool{"": len(files) > 0}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				out[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					addSpec(out, s)
				}
			}
		}
	}
	return out
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	x := d.Recv.List[0].Type
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	if id, ok := x.(*ast.Ident); ok {
		return id.Name + "."
	}
	return "" // of a generic type, which owns no term
}

func addSpec(out map[string]bool, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, id := range s.Names {
			out[id.Name] = true
		}
	case *ast.TypeSpec:
		out[s.Name.Name] = true
		if st, ok := s.Type.(*ast.StructType); ok {
			for _, f := range st.Fields.List {
				for _, id := range f.Names {
					out[s.Name.Name+"."+id.Name] = true
				}
			}
		}
	}
}
