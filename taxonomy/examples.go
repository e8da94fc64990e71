package taxonomy

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// exampleFiles hold the sentences of the built-in checks, a file for each, because sixteen thousand sentences are data
// and not code: the compiler need not read them.
//
//go:embed examples/*.txt
var exampleFiles embed.FS

// Sentences holds example sentences of a check, of three kinds. What recognizes checks in notes and tasks is trained on
// them.
type Sentences struct {
	Said    []string // sentences of evaluators' notes and of lists of defects
	Claimed []string // sentences that wrong agents gave as their reason
	Asked   []string // sentences of tasks
}

// Sentences returns the example sentences of c: the built-in ones, then those that a team added. Every call reads the
// built-in ones anew, because few processes need them.
func (c *Check) Sentences() Sentences {
	var s Sentences
	if c.builtin {
		var err error
		if s, err = readExamples(exampleFiles, c.ID); err != nil {
			panic("taxonomy: " + err.Error()) // the files are compiled in, and TestExamples reads them all
		}
	}
	s.Said = append(s.Said, c.Examples...)
	s.Claimed = append(s.Claimed, c.Claims...)
	s.Asked = append(s.Asked, c.Tasks...)
	return s
}

// readExamples reads the file of a check, one sentence a line. A line such as "== said" is the heading of the kind of
// the lines below it; text before the first heading is a comment. An error names the file and the line.
func readExamples(files fs.FS, check string) (Sentences, error) {
	name := "examples/" + check + ".txt"
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return Sentences{}, err
	}
	var s Sentences
	var list *[]string
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		kind, isKind := strings.CutPrefix(line, "== ")
		switch {
		case isKind && kind == "said":
			list = &s.Said
		case isKind && kind == "claimed":
			list = &s.Claimed
		case isKind && kind == "asked":
			list = &s.Asked
		case isKind:
			return Sentences{}, fmt.Errorf("%s, line %d: there is no kind of sentence %q; write said, claimed or asked",
				name, n, kind)
		case list != nil && line != "":
			*list = append(*list, line)
		}
	}
	return s, nil
}
