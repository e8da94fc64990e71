package memtree_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// privateWords are the words that docs/terms.md excludes from texts: only the people who wrote memtree read them as
// terms. Some of their uses are plain English; the test checks their number.
var privateWords = regexp.MustCompile(`(?i)\b(told|tells?|says?|said|words?|stands?|stood|kept|nobody)\b`)

// wordBudget is the maximum number of private words of each class of files. A number may only fall: lower it when the
// test reports that fewer are left. The texts are the English of the PO files and the documents; comments are those of
// Go outside of tests.
var wordBudget = []struct {
	class  string
	most   int
	files  []string // patterns; of a folder that ends in /... all Go files below it
	choose *regexp.Regexp
}{
	{"command line", 134, []string{"internal/cli/say/zh.po"}, msgid},
	{"manual", 66, []string{"cmd/memtree/manual/en.txt"}, anything},
	{"pages", 18, []string{"internal/pages/zh.po"}, msgid},
	{"packages", 22, []string{"internal/po/library.po"}, msgid},
	{"MCP tools", 52, []string{"internal/mcpserver/*.go"}, quoted},
	{"specification", 46, []string{"server/openapi.json"}, described},
	{"documents", 255, []string{"README.md", "docs/*.md", "skills/*/*.md", "clients/*/README.md"}, anything},
	{"comments", 320, []string{"./..."}, comment},
}

var (
	msgid     = regexp.MustCompile(`(?s)msgid .*?msgstr`)
	quoted    = regexp.MustCompile("\"[^\"\\n]*\"|`[^`]*`")
	described = regexp.MustCompile(`"(?:description|summary)": ".*"`)
	anything  = regexp.MustCompile(`(?s).*`)
	comment   = regexp.MustCompile(`(?m)^\s*//.*$`)
)

// TestTermsPrivate: the vocabulary of our own does not come back into what people and agents read.
func TestTermsPrivate(t *testing.T) {
	for _, b := range wordBudget {
		found := 0
		for _, pattern := range b.files {
			for _, file := range filesOf(t, pattern) {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				for _, part := range b.choose.FindAllString(string(text), -1) {
					found += len(privateWords.FindAllString(part, -1))
				}
			}
		}
		require.NotZero(t, found, "%s: nothing was read", b.class)
		if found > b.most {
			t.Errorf("%s: %d words of our own, at most %d; docs/terms.md has the plain ones", b.class, found, b.most)
		}
		if found < b.most/2 {
			t.Errorf("%s: %d words of our own are left; lower the budget of %d", b.class, found, b.most)
		}
	}
}

// filesOf returns the files of a pattern; of ./... the Go files of the repository without tests.
func filesOf(t *testing.T, pattern string) []string {
	t.Helper()
	if pattern != "./..." {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		return slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
	}
	var files []string
	require.NoError(t, filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	}))
	return files
}
