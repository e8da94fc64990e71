package pages

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"sync"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// askData is the guidance that an agent would get.
type askData struct {
	memtree.Query
	Asked bool
	Text  string
	Given []left
	Left  []left
}

// Further reports whether a field in the collapsed part of the form is set.
func (d *askData) Further() bool {
	return d.Scope.Suite+d.Scope.Build+d.Scene.ID+d.Scene.Route+d.Observation != ""
}

// left is a near memory; Why is why it was not given.
type left struct {
	enhance.Considered
	Title, Why string
}

// At most leftMost of these are shown, and beyond leftLeast those alone that fit by leftRel.
const (
	leftMost  = 8
	leftLeast = 3
	leftRel   = 0.05
)

// far ranks what was not given: first what a person decided on.
func far(c *enhance.Considered) int {
	if c.Left.Code.ByPerson() {
		return 0
	}
	return 1
}

// titleMost is the maximum length of the name of a memory, in characters.
const titleMost = 120

func (s *Site) ask(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	said := s.speech(v.Lang)
	d := askData{Query: memtree.Query{
		Prompt: field(r, "prompt"), Scene: tree.Scene{ID: field(r, "scene"), Route: field(r, "route")},
		Scope: tree.Scope{Product: field(r, "product"), Suite: field(r, "suite"), Test: field(r, "test"),
			Build: field(r, "build")},
		Observation: field(r, "observation"),
	}}
	if d.Prompt != "" {
		if err := d.Query.Check(); err != nil {
			return err
		}
		x, err := v.Memory.Explain(r.Context(), d.Query)
		if err != nil {
			return err
		}
		name := func(id string) string { return s.title(r, v, id) }
		d.Asked, d.Text = true, x.Text
		slices.SortStableFunc(x.Considered, func(a, b enhance.Considered) int { return far(&a) - far(&b) })
		for _, c := range x.Considered {
			switch {
			case c.Left.Code == "" && !x.Abstained:
				d.Given = append(d.Given, left{c, s.title(r, v, c.ID), ""})
			case len(d.Left) < leftMost && (len(d.Left) < leftLeast || c.Rel >= leftRel):
				d.Left = append(d.Left, left{c, s.title(r, v, c.ID), said.because(c.Left.Sentence, c.Left.Args, name)})
			}
		}
	}
	return s.render(w, http.StatusOK, s.page(r, v, "ask", said.say("What guidance would the agent get?"), &d))
}

// title names a memory: a case by its task, since many cases have one title; by the id if it has no title or is gone.
func (s *Site) title(r *http.Request, v *Visitor, id string) string {
	if ledger.IsFact(id) {
		f, err := v.Memory.Knowledge().Get(r.Context(), id)
		if err != nil {
			return id
		}
		return f.Text
	}
	n, err := v.Memory.Tree().Get(r.Context(), id)
	if err != nil {
		return id
	}
	if n.CaseData != nil && n.CaseData.TestCase.Prompt != "" {
		return text.Clip(text.Line(n.CaseData.TestCase.Prompt), titleMost)
	}
	c := v.shown(&n).Content
	return cmp.Or(c.Title, c.Description, id)
}

// shown returns a memory in the language of the visitor, as far as it has texts in it.
func (v *Visitor) shown(n *tree.Node) tree.Node {
	return enhance.NewWording(v.Memory.Taxonomy()).Shown(n, v.Lang)
}

// isMemory matches the id of a memory.
var isMemory = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ces]_[a-z0-9]{8,}$`)
})

// because formats a sentence of another package in the language of the visitor; name returns the title of a memory.
func (s *speech) because(sentence string, values []any, name func(id string) string) string {
	args := make([]any, len(values))
	for i, arg := range values {
		switch v := arg.(type) {
		case tree.Type:
			args[i] = s.Level(v)
		case taxonomy.Direction:
			args[i] = s.Direction(v)
		case string:
			args[i] = v
			if isMemory().MatchString(v) {
				args[i] = "“" + text.Clip(name(v), 80) + "”"
			}
		default:
			args[i] = v
		}
	}
	return s.say(sentence, args...)
}
