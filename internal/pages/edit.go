package pages

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/tree"
)

// editData is a lesson to be edited.
type editData struct {
	*tree.Node
	Draft   gate.Draft
	Why     string
	Refused []string // why the gates refuse the text
}

// moreLessons is the number of lessons that can be added at one time.
const moreLessons = 1

func (s *Site) edit(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	n, err := v.Memory.Tree().Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.editor(w, r, v, http.StatusOK, &editData{Node: &n, Draft: curation.DraftOf(&n)})
}

func (s *Site) editor(w http.ResponseWriter, r *http.Request, v *Visitor, status int, d *editData) error {
	d.Draft.Lessons = append(d.Draft.Lessons, make([]tree.Lesson, moreLessons)...)
	return s.render(w, status, s.page(r, v, "edit", s.speech(v.Lang).say("Word it better"), d))
}

// rewrite replaces the text of a lesson by a person's, or shows why the gates refuse it and keeps the input.
func (s *Site) rewrite(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx := r.Context()
	n, err := v.Memory.Tree().Get(ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	d := editData{Node: &n, Draft: draftOf(r, &n), Why: field(r, "why")}
	if field(r, "revision") != fmt.Sprint(n.Revision) {
		d.Refused = []string{s.speech(v.Lang).say("It was changed meanwhile; look at it again, then save.")}
		return s.editor(w, r, v, http.StatusConflict, &d)
	}
	_, err = v.Memory.Curation().Edit(ctx, n.ID, d.Draft, curation.Options{By: v.Who, Why: d.Why,
		Over: field(r, "over") != ""})
	var refused *curation.GateError
	var said *curation.RefusedError
	switch {
	case errors.As(err, &refused):
		d.Refused = plainReasons(refused.Reasons)
	case errors.As(err, &said) && said.Why == curation.Already:
		d.Refused = []string{s.speech(v.Lang).say("Nothing was changed: it reads so already.")}
	case errors.As(err, &said) && said.Why == curation.Theirs:
		return s.over(w, r, v, err)
	case err != nil:
		return err
	default:
		return seeOther(w, r, v, "memories/"+n.ID)
	}
	return s.editor(w, r, v, http.StatusUnprocessableEntity, &d)
}

// draftOf reads the form. It skips a lesson without text.
func draftOf(r *http.Request, n *tree.Node) gate.Draft {
	d := curation.DraftOf(n)
	d.Title, d.Description = field(r, "title"), field(r, "description")
	d.AppliesWhen, d.NotWhen = lines(field(r, "when")), lines(field(r, "notWhen"))
	was := d.Lessons
	d.Lessons = nil
	for i := range len(was) + moreLessons {
		var l tree.Lesson
		if i < len(was) {
			l = was[i]
		}
		l.Check, l.Instead = field(r, fmt.Sprint("check", i)), field(r, fmt.Sprint("instead", i))
		l.Mistake = field(r, fmt.Sprint("mistake", i))
		if l.Check+l.Instead+l.Mistake != "" {
			d.Lessons = append(d.Lessons, l)
		}
	}
	return d
}

// lines returns the lines of a text that are not blank.
func lines(s string) (out []string) {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
