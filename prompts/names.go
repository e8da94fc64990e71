package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// NamesInput is elements of an application, for which a model finds the names that people use. All texts come from
// outside; Names cleans, cuts and fences them.
type NamesInput struct {
	Lang     string         // language of the instructions: Chinese for "zh" or "zh-…", else English
	Elements []NamesElement // the elements, 1 to MaxNamesElements; an answer refers to them as e1, e2, …
}

// NamesElement is an element of a page, such as a button.
type NamesElement struct {
	Page string // route of the page
	Role string // ARIA role
	Name string // accessible name; "" for none
}

// Limits of a prompt of Names and of its answer.
const (
	MaxNamesElements = 40 // most elements in one prompt of Names
	maxNames         = 12 // of an element
	longestName      = 60 // characters
)

var namesSchema = json.RawMessage(`{"type":"object","properties":{"elements":{"type":"array",` +
	`"items":{"type":"object","properties":{"e":{"type":"string"},"names":{"type":"array","items":{"type":"string"}}},` +
	`"required":["e","names"],"additionalProperties":false}}},"required":["elements"],"additionalProperties":false}`)

// Names returns the prompt that asks a model what else people call the elements. The part that is the same for all
// inputs comes first. in.Read decodes the answer.
func (s *Set) Names(in NamesInput) (Prompt, error) {
	if n := len(in.Elements); n == 0 || n > MaxNamesElements {
		return Prompt{}, fmt.Errorf("prompt names: there are %d elements, 1 to %d can be shown", n, MaxNamesElements)
	}
	var b strings.Builder
	for i, e := range in.Elements {
		fmt.Fprintf(&b, "e%d %s | %s | %s\n", i+1, listLine(e.Page, maxValue), listLine(e.Role, maxValue),
			listLine(e.Name, maxValue))
	}
	elements := fenceOrDash("elements", b.String(), MaxNamesElements*(3*maxValue+20))
	return s.render("names", in.Lang, map[string]any{"Elements": elements}, namesSchema)
}

// Read decodes an answer to the prompt made from in: the names of each element, in the order of in.Elements, nil for
// an element that the answer omits. err joins the problems of the answer, written for the model.
func (in NamesInput) Read(raw json.RawMessage) (names [][]string, err error) {
	var a struct {
		Elements []struct {
			E     string   `json:"e"`
			Names []string `json:"names"`
		} `json:"elements"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	var bad []error
	names = make([][]string, len(in.Elements))
	for _, e := range a.Elements {
		n, err := strconv.Atoi(strings.TrimPrefix(e.E, "e"))
		if err != nil || !strings.HasPrefix(e.E, "e") || n < 1 || n > len(names) {
			bad = append(bad, fmt.Errorf("elements: there is no element %q", text.Clip(e.E, longestName)))
			continue
		}
		if len(e.Names) > maxNames {
			bad = append(bad, fmt.Errorf("elements.%s: there are %d names; write %d at most", e.E, len(e.Names), maxNames))
			e.Names = e.Names[:maxNames]
		}
		out := []string{}
		for _, s := range e.Names {
			if s = text.Line(text.Clean(s)); s != "" && len([]rune(s)) <= longestName && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		names[n-1] = out
	}
	return names, errors.Join(bad...)
}
