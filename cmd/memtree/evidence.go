package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree/tree"
)

// pictureAt returns the file of a picture.
func pictureAt(a *app, p *tree.Picture) string { return filepath.Join(a.store.Dir, p.File()) }

// evidencePart is one part of the evidence of a run, as the terminal shows it.
type evidencePart struct {
	name, text string
	most       int // lines on a card
}

// evidenceParts returns the evidence that a test tool recorded of a run. Without a failure it begins with the agent's
// observation.
func evidenceParts(a *app, e *tree.Evidence, seen string) (out []evidencePart) {
	switch {
	case e != nil && e.Failure != "":
		out = append(out, evidencePart{a.Say("found"), e.Failure, 8})
	case seen != "":
		out = append(out, evidencePart{a.Say("saw"), seen, 5})
	}
	if e == nil {
		return out
	}
	var steps strings.Builder
	for i, s := range e.Steps {
		line := fmt.Sprintf("%d. %s", i+1, s.Title)
		if s.Failed {
			line += " ← " + a.Say("failed here")
		}
		steps.WriteString(line + "\n")
	}
	out = append(out, evidencePart{a.Say("steps"), steps.String(), 8})
	for i := range e.Pictures {
		p := &e.Pictures[i]
		out = append(out, evidencePart{a.Say("picture"),
			fmt.Sprintf("%s (%d × %d)\n%s", p.Name, p.Width, p.Height, pictureAt(a, p)), 4})
	}
	for _, l := range e.Links {
		out = append(out, evidencePart{a.Say("link"), dotted(l.Name, l.URL), 2})
	}
	return out
}
