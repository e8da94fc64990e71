package say

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/po"
	"github.com/memtree/memtree/ledger"

	"github.com/memtree/memtree/assertion"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
)

// The folders of what is printed, from here.
const (
	root    = "../../../"
	command = root + "cmd/memtree/"
)

// said returns, for each literal that is printed, its files, and for other sentences the packages that contain them.
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
	for _, s := range ledger.CorrectionSentences() {
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
	var files []string
	for _, of := range []string{
		command + "*.go", root + "internal/plot/*.go", root + "internal/wording/*.go", root + "internal/cli/*/*.go",
	} {
		found, err := filepath.Glob(of)
		require.NoError(t, err)
		files = append(files, found...)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "facts") || strings.HasPrefix(base, "walk") {
			continue // what is wrong with statements and walks is English alone: rough_edges.md
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		require.NoError(t, err)
		if name = name[len(root):]; strings.HasPrefix(name, "internal/") {
			name = filepath.Dir(name)
		} else {
			name = filepath.Base(name)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			at, ok := map[string]int{"say": 0, "Say": 0, "Usage": 0, "Fail": 1}[sel.Sel.Name]
			if !ok {
				return true
			}
			s, ok := literal(call.Args[at])
			require.True(t, ok, "%s: %s takes a literal, so that it can be translated", fset.Position(call.Pos()), sel.Sel.Name)
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
	for section := range strings.SplitSeq(chineseEntries(), "\n# ") {
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
		v := New(Process{Args: c.args, Getenv: c.env})
		require.Equal(t, c.lang, v.Lang, "%v", c.args)
		require.Equal(t, c.bad, v.BadLang, "%v", c.args)
	}
}

// TestEveryMistakeHasChinese: each text in the code that finds mistakes is part of a pattern.
func TestEveryMistakeHasChinese(t *testing.T) {
	verbs := regexp.MustCompile(`\\?[uU+]*%[-+ #0-9.]*[a-zA-Z]`)
	patterns := slices.Collect(maps.Keys(sectionsWords()))
	for i := range patterns {
		patterns[i] = verbs.ReplaceAllString(patterns[i], "%s")
	}
	files, err := filepath.Glob(root + "ingest/*.go")
	require.NoError(t, err)
	reports, err := filepath.Glob(root + "ingest/report/*.go")
	require.NoError(t, err)
	for _, name := range slices.Concat(files, reports, []string{root + "internal/judgment/denied.go",
		root + "tree/evaluation.go", root + "tree/evidence.go"}) {
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "facts") || strings.HasPrefix(base, "walk") {
			continue // what is wrong with statements and walks is English alone: rough_edges.md
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, _ := literal(lit)
			if !strings.Contains(strings.TrimSpace(text), " ") || strings.Contains(text, "%w") {
				return true // a name, or the wrapping of an error that is no mistake
			}
			text = strings.TrimPrefix(verbs.ReplaceAllString(text, "%s"), "%s") // it may begin with a constant
			if !regexp.MustCompile(`[a-z]{2}`).MatchString(text) {
				return true // only placeholders
			}
			require.True(t, slices.ContainsFunc(patterns, func(p string) bool { return strings.Contains(p, text) }),
				"%s: %q has no Chinese in zh.po", name, text)
			return true
		})
	}
}

// TestSentenceOfAPurge: whatever stops a purge that is committed, the sentence calls it unfinished.
func TestSentenceOfAPurge(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		v := New(Process{Args: []string{"--lang=" + lang}, Getenv: func(string) string { return "" }})
		want := map[string]string{"en": "out of use for good", "zh": "已清除的内容不再使用"}[lang]
		for _, cause := range []error{store.ErrFull, syscall.ENOSPC, store.ErrFailed, context.Canceled} {
			got := v.Sentence(fmt.Errorf("forget: %w", &store.UnfinishedPurgeError{Cause: cause}))
			require.Contains(t, got, want)
			require.NotContains(t, got, "half-written")
		}
	}
}
