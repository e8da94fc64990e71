package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/po"

	"github.com/memtree/memtree/assertion"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// said returns, for each literal passed to say, its files, and for other sentences the packages that contain them.
func said(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, c := range retrieval.Codes() {
		out[c.Sentence()] = []string{"retrieval"}
	}
	for _, s := range enhance.Sentences() {
		out[s] = append(out[s], "enhance")
	}
	for _, s := range append(fact.Reasons(), fact.Unknown.String(), fact.Holds.String(), fact.Broken.String()) {
		out[s] = append(out[s], "fact")
	}
	for _, s := range assertion.Reasons() {
		out[s] = append(out[s], "assertion")
	}
	for _, s := range tree.CorrectionSentences() {
		out[s] = append(out[s], "tree")
	}
	for _, s := range knowledge.Reasons() {
		out[s] = append(out[s], "knowledge")
	}
	for english := range sectionsOf(chineseFile, mistakesOf) { // TestMistakesInChinese reports which of them occur
		if out[english] == nil {
			out[english] = mistakesOf
		}
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	plots, err := filepath.Glob("../../internal/plot/*.go")
	require.NoError(t, err)
	fset := token.NewFileSet()
	for _, name := range append(files, plots...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		require.NoError(t, err)
		if strings.HasPrefix(name, "../../") {
			name = filepath.Dir(name)[len("../../"):]
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "say" {
				return true
			}
			s, ok := literal(call.Args[0])
			require.True(t, ok, "%s: say takes a literal, so that it can be translated", fset.Position(call.Pos()))
			out[s] = append(out[s], name)
			return true
		})
	}
	return out
}

// literal returns the text of a literal, or of several with + between them.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		x, ok1 := literal(e.X)
		y, ok2 := literal(e.Y)
		return x + y, ok1 && ok2 && e.Op == token.ADD
	}
	return "", false
}

func TestEverySentenceIsSaidInBothLanguages(t *testing.T) {
	words, used := chinese(), said(t)
	for english, where := range used {
		other, ok := words[english]
		if !ok {
			t.Errorf("%s: no Chinese for\n%q", where, english)
			continue
		}
		args := argsOf(english)
		if len(args) == 0 {
			continue // without a translation
		}
		require.NotContains(t, fmt.Sprintf(english, args...), "%!", english)
		require.NotContains(t, fmt.Sprintf(other, args...), "%!", "the Chinese of %q", english)
	}
	for english := range words {
		if used[english] == nil {
			t.Errorf("nobody says %q", english)
		}
	}
}

// TestTextsStandUnderWhoSaysThem: a section of the file has the name of the file or package that contains its
// entries.
func TestTextsStandUnderWhoSaysThem(t *testing.T) {
	used := said(t)
	for section := range strings.SplitSeq(chineseTexts(), "\n# ") {
		name, entries, _ := strings.Cut(section, "\n\n")
		texts, err := po.Read(entries)
		require.NoError(t, err)
		for english := range texts {
			require.Contains(t, used[english], name, "%q stands under %s", english, name)
		}
	}
}

// argsOf returns sample arguments for an English sentence.
func argsOf(english string) (args []any) {
	for _, v := range regexp.MustCompile(`%[-+ #0-9.]*[a-z%]`).FindAllString(english, -1) {
		switch v[len(v)-1] {
		case '%':
		case 'd':
			args = append(args, 7)
		case 'f', 'g':
			args = append(args, 0.7)
		default:
			args = append(args, "seven")
		}
	}
	return args
}

func TestLanguageOf(t *testing.T) {
	env := func(kv ...string) func(string) string {
		return func(k string) string {
			for i := 0; i < len(kv); i += 2 {
				if kv[i] == k {
					return kv[i+1]
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		args []string
		env  func(string) string
		lang string
		bad  string
	}{
		{nil, env(), "en", ""},
		{nil, env("LANG", "zh_CN.UTF-8"), "zh", ""},
		{nil, env("LANG", "zh_CN.UTF-8", "LC_ALL", "C"), "en", ""},
		{nil, env("LANG", "de_DE", "LC_MESSAGES", "ZH_TW"), "zh", ""},
		{[]string{"guide", "--lang", "zh"}, env(), "zh", ""},
		{[]string{"--lang=en"}, env("LANG", "zh_CN"), "en", ""},
		{[]string{"--lang=fr"}, env("LANG", "zh_CN"), "zh", "fr"},
		{[]string{"--lang"}, env(), "en", ""},
		{[]string{"--", "--lang=zh"}, env(), "en", ""},
	} {
		s := speechFor(c.args, c.env)
		require.Equal(t, c.lang, s.lang, "%v", c.args)
		require.Equal(t, c.bad, s.badLang, "%v", c.args)
	}
}
