package taxonomy

import (
	"encoding/gob"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
)

// TestBuiltin compares builtin.gob with builtin.yaml and checks/*.yaml, and writes it with -update.
func TestBuiltin(t *testing.T) {
	tax := &Taxonomy{}
	files, err := filepath.Glob("checks/*.yaml")
	require.NoError(t, err)
	var checks document
	for _, name := range append([]string{"builtin.yaml"}, files...) { // sorted
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		doc, unread, err := decode(name, source)
		require.NoError(t, err)
		require.Empty(t, unread)
		if name != "builtin.yaml" {
			checks.checks = append(checks.checks, doc.checks...)
			continue
		}
		var unfit []*ParseError
		tax, unfit = doc.onto(name, tax)
		require.Empty(t, unfit)
	}
	tax, unfit := checks.onto("checks", tax)
	require.Empty(t, unfit)
	var b strings.Builder
	require.NoError(t, gob.NewEncoder(&b).Encode(stored{tax.groups, tax.errors, tax.scenes, tax.checks}))
	golden.Equal(t, "builtin.gob", b.String())
}

// TestExamples: every check has a file of sentences, every file a check, and they are of a kind that there is.
func TestExamples(t *testing.T) {
	files, err := exampleFiles.ReadDir("examples")
	require.NoError(t, err)
	require.Len(t, files, len(Default().checks))
	for _, c := range Default().checks {
		require.NotEmpty(t, c.Sentences().Said, c.ID)
	}
	bad := fstest.MapFS{"examples/layout.txt": {Data: []byte("a comment\n== said\nOne.\n\n== sung\nTwo.\n")}}
	_, err = readExamples(bad, "layout")
	require.ErrorContains(t, err, `examples/layout.txt, line 5: there is no kind of sentence "sung"`)
}
