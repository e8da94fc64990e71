package pages

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/po"
)

var (
	saidInTemplate = regexp.MustCompile(`say "((?:[^"\\]|\\.)*)"`)
	saidInCode     = regexp.MustCompile(`say\("((?:[^"\\]|\\.)*)"`)
)

// Every sentence of a page has a Chinese translation, and every translation is used.
func TestEverySentenceIsSaidInBothLanguages(t *testing.T) {
	said := map[string]bool{}
	collect := func(b []byte, what *regexp.Regexp) {
		for _, m := range what.FindAllSubmatch(b, -1) {
			said[string(m[1])] = true
		}
	}
	require.NoError(t, fs.WalkDir(files, "templates", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := files.ReadFile(path)
		collect(b, saidInTemplate)
		return err
	}))
	code, err := fs.Glob(os.DirFS("."), "*.go")
	require.NoError(t, err)
	for _, name := range code {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		collect(b, saidInCode)
	}
	b, err := files.ReadFile("zh.po")
	require.NoError(t, err)
	chinese, err := po.Read(string(b))
	require.NoError(t, err)
	library, err := po.Read(po.Library)
	require.NoError(t, err)
	for english := range said {
		other, ok := chinese[english]
		if !ok {
			other, ok = library[english]
		}
		require.True(t, ok, "no Chinese for %q", english)
		require.Equal(t, strings.Count(english, "%"), strings.Count(other, "%"), english)
	}
	for english := range chinese {
		require.True(t, said[english], "nobody says %q", english)
	}
}

// No template has a script or style of its own, which the policy of the pages would stop.
func TestNothingInline(t *testing.T) {
	require.NoError(t, fs.WalkDir(files, "templates", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := files.ReadFile(path)
		require.NotRegexp(t, `(?i)<script>|<style|\sstyle=|\son[a-z]+=|javascript:`, string(b), path)
		return err
	}))
}
