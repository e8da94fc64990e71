package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/retrieval"
)

// said returns every literal that is given to say, and where.
func said(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	fset := token.NewFileSet()
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, e.Name(), nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "say" {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			require.True(t, ok, "%s: say takes a literal, so that it can be translated", fset.Position(call.Pos()))
			s, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			out[s] = fset.Position(lit.Pos()).String()
			return true
		})
	}
	return out
}

func TestEverySentenceIsSaidInBothLanguages(t *testing.T) {
	words, used := chinese(), said(t)
	maps.Copy(words, chineseReasons())
	maps.Copy(words, chineseStore())
	maps.Copy(words, chineseTransfer())
	maps.Copy(words, chineseEvolution())
	maps.Copy(words, chineseRemarks())
	for _, c := range retrieval.Codes() {
		used[c.Sentence()] = "retrieval"
	}
	for _, s := range enhance.Sentences() {
		used[s] = "enhance"
	}
	for _, s := range fact.Reasons() {
		used[s] = "fact"
	}
	for _, s := range []fact.State{fact.Unknown, fact.Holds, fact.Broken} {
		used[s.String()] = "fact"
	}
	for english, where := range used {
		other, ok := words[english]
		if !ok {
			t.Errorf("%s: no Chinese for\n%q", where, english)
			continue
		}
		args := argsOf(english)
		if len(args) == 0 {
			continue // said as it is
		}
		require.NotContains(t, fmt.Sprintf(english, args...), "%!", english)
		require.NotContains(t, fmt.Sprintf(other, args...), "%!", "the Chinese of %q", english)
	}
	for english := range words {
		if used[english] == "" {
			t.Errorf("nobody says %q", english)
		}
	}
}

// argsOf returns arguments such as an English sentence is given.
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
