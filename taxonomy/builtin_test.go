package taxonomy

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
)

// TestBuiltin compares builtin.go with builtin.yaml, and writes it with -update.
// Parsing the YAML at the start of every command would take some ten milliseconds;
// Go code takes none.
func TestBuiltin(t *testing.T) {
	source, err := os.ReadFile("builtin.yaml")
	require.NoError(t, err)
	doc, unread, err := decode("builtin.yaml", source)
	require.NoError(t, err)
	require.Empty(t, unread)
	tax, unfit := doc.onto("builtin.yaml", &Taxonomy{})
	require.Empty(t, unfit)
	golden.Equal(t, "builtin.go", asGo(t, tax))
	files, err := filepath.Glob("checks/*.yaml")
	require.NoError(t, err)
	var all document
	for _, name := range files { // sorted
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		doc, unread, err := decode(name, source)
		require.NoError(t, err)
		require.Empty(t, unread)
		all.checks = append(all.checks, doc.checks...)
	}
	tax, unfit = all.onto("checks", tax)
	require.Empty(t, unfit)
	golden.Equal(t, "builtin_checks.go", checksAsGo(t, tax))
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

func textAsGo(s Text) string { return fmt.Sprintf("Text{EN: %q, ZH: %q}", s.EN, s.ZH) }

func checksAsGo(t *testing.T, tax *Taxonomy) string {
	var b strings.Builder
	b.WriteString("// Code generated from checks/*.yaml by TestBuiltin -update; DO NOT EDIT.\n\n" +
		"package taxonomy\n\nfunc builtinChecks() []Check {\nreturn []Check{\n")
	for _, c := range tax.checks {
		fmt.Fprintf(&b, "{\nID: %q, Wider: %q, Name: %s,\nErrorTypes: %#v,\n", c.ID, c.Wider, textAsGo(c.Name), c.ErrorTypes)
		if len(c.Directions) > 0 {
			b.WriteString("Directions: []Direction{")
			for _, d := range c.Directions {
				fmt.Fprintf(&b, "%q,", string(d))
			}
			b.WriteString("},\n")
		}
		for _, a := range []struct {
			name string
			Advice
		}{{"Missed", c.Missed}, {"Alarm", c.Alarm}} {
			if !a.Empty() {
				fmt.Fprintf(&b, "%s: Advice{\nTitle: %s,\nDo: %s,\nWith: %s,\nMistake: %s,\nWhen: %s,\n},\n",
					a.name, textAsGo(a.Title), textAsGo(a.Do), textAsGo(a.With), textAsGo(a.Mistake), textAsGo(a.When))
			}
		}
		for _, l := range []struct {
			name string
			cues []Cue
		}{{"Asked", c.Asked}, {"Said", c.Said}, {"Claimed", c.Claimed}} {
			if len(l.cues) > 0 {
				fmt.Fprintf(&b, "%s: []Cue{\n%s},\n", l.name, cuesAsGo(l.cues))
			}
		}
		if len(c.Facts) > 0 {
			fmt.Fprintf(&b, "Facts: %#v,\n", c.Facts)
		}
		if len(c.Shows) > 0 {
			fmt.Fprintf(&b, "Shows: %#v,\n", c.Shows)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n}\n")
	src, err := format.Source([]byte(b.String()))
	require.NoError(t, err)
	return string(src)
}

func cuesAsGo(cues []Cue) string {
	var b strings.Builder
	for i, c := range cues {
		fmt.Fprintf(&b, "{%q, %v},", c.Phrase, c.Weight)
		if i%6 == 5 || i == len(cues)-1 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func asGo(t *testing.T, tax *Taxonomy) string {
	var b strings.Builder
	b.WriteString("// Code generated from builtin.yaml by TestBuiltin -update; DO NOT EDIT.\n\npackage taxonomy\n\n")
	text := func(s Text) string { return fmt.Sprintf("Text{EN: %q, ZH: %q}", s.EN, s.ZH) }
	b.WriteString("func builtinGroups() []ErrorGroup {\nreturn []ErrorGroup{\n")
	for _, g := range tax.groups {
		fmt.Fprintf(&b, "{ID: %q, Name: %s},\n", g.ID, text(g.Name))
	}
	b.WriteString("}\n}\n\nfunc builtinErrors() []ErrorType {\nreturn []ErrorType{\n")
	for _, e := range tax.errors {
		fmt.Fprintf(&b, "{\nID: %q,\nGroup: %q,\nName: %s,\nDescription: %s,\nChecklist: %s,\n",
			e.ID, e.Group, text(e.Name), text(e.Description), text(e.Checklist))
		if e.Brief != (Text{}) {
			fmt.Fprintf(&b, "Brief: %s,\n", text(e.Brief))
		}
		if len(e.Cues) > 0 {
			b.WriteString("Cues: []Cue{\n")
			for i, c := range e.Cues {
				fmt.Fprintf(&b, "{%q, %v},", c.Phrase, c.Weight)
				if i%6 == 5 || i == len(e.Cues)-1 {
					b.WriteString("\n")
				}
			}
			b.WriteString("},\n")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n}\n\nfunc builtinScenes() []SceneType {\nreturn []SceneType{\n")
	for _, s := range tax.scenes {
		fmt.Fprintf(&b, "{\nID: %q,\nParent: %q,\nName: %s,\nChecklist: %s,\nAliases: %#v,\n},\n", s.ID, s.Parent,
			text(s.Name), text(s.Checklist), s.Aliases)
	}
	b.WriteString("}\n}\n")
	src, err := format.Source([]byte(b.String()))
	require.NoError(t, err)
	return string(src)
}
