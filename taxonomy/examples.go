package taxonomy

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// exampleFiles hold the sentences of the built-in checks, a file for each, because sixteen
// thousand sentences are data and no code: the compiler need not read them.
//
//go:embed examples/*.txt
var exampleFiles embed.FS

// addExamples gives the checks the sentences of the files that are named after them. An
// error names the file and the line.
func addExamples(checks []Check, files fs.FS) error {
	names, err := fs.Glob(files, "examples/*.txt")
	if err != nil {
		return err
	}
	place := make(map[string]int, len(checks))
	for i := range checks {
		place[checks[i].ID] = i
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		i, ok := place[strings.TrimSuffix(path.Base(name), ".txt")]
		if !ok {
			return fmt.Errorf("%s: no check has this id", name)
		}
		if err := checks[i].readExamples(string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// readExamples reads a file of sentences, one a line. A line such as "== said" says of which
// kind those below it are; what stands before the first such line is a comment.
func (c *Check) readExamples(text string) error {
	var list *[]string
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		kind, isKind := strings.CutPrefix(line, "== ")
		switch {
		case isKind && kind == "said":
			list = &c.Examples
		case isKind && kind == "claimed":
			list = &c.Claims
		case isKind && kind == "asked":
			list = &c.Tasks
		case isKind:
			return fmt.Errorf("line %d: there is no kind of sentence %q; write said, claimed or asked", n, kind)
		case list != nil && line != "":
			*list = append(*list, line)
		}
	}
	return nil
}
