package taxonomy

import (
	"fmt"
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
)

// TestBuiltin keeps builtin.go what builtin.yaml says. Parsing the YAML at the
// start of every command would cost some ten milliseconds; as Go it costs none.
func TestBuiltin(t *testing.T) {
	source, err := os.ReadFile("builtin.yaml")
	require.NoError(t, err)
	doc, err := decode("builtin.yaml", source)
	require.NoError(t, err)
	tax, err := doc.onto("builtin.yaml", &Taxonomy{})
	require.NoError(t, err)
	golden.Equal(t, "builtin.go", asGo(t, tax))
}

func asGo(t *testing.T, tax *Taxonomy) string {
	var b strings.Builder
	b.WriteString("// Code generated from builtin.yaml by TestBuiltin -update; DO NOT EDIT.\n\npackage taxonomy\n\n")
	text := func(s Text) string { return fmt.Sprintf("Text{EN: %q, ZH: %q}", s.EN, s.ZH) }
	b.WriteString("func builtinGroups() []Group {\nreturn []Group{\n")
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
		fmt.Fprintf(&b, "{\nID: %q,\nParent: %q,\nName: %s,\nChecklist: %s,\nAliases: %#v,\n},\n", s.ID, s.Parent, text(s.Name), text(s.Checklist), s.Aliases)
	}
	b.WriteString("}\n}\n")
	src, err := format.Source([]byte(b.String()))
	require.NoError(t, err)
	return string(src)
}
