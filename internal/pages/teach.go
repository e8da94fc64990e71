package pages

import (
	"errors"
	"net/http"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// teachData is a lesson that a person writes, and why it was refused.
type teachData struct {
	curation.TaughtLesson
	Refused []string
	Same    string // id of the lesson with the same content
}

// teach shows the form. The address can set its fields, for example from a frequent note.
func (s *Site) teach(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return s.teacher(w, r, v, http.StatusOK, &teachData{TaughtLesson: lessonOf(r)})
}

func (s *Site) teacher(w http.ResponseWriter, r *http.Request, v *Visitor, status int, d *teachData) error {
	return s.render(w, status, s.page(r, v, "teach", s.speech(v.Lang).say("Teach a lesson"), d))
}

// taught adds a lesson, or shows why not and keeps the input.
func (s *Site) taught(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	d := teachData{TaughtLesson: lessonOf(r)}
	done, err := v.Memory.Curation().Teach(r.Context(), d.TaughtLesson, curation.Options{By: v.Who, Why: field(r, "why")})
	var refused *curation.GateError
	var said *curation.RefusedError
	var wrong *tree.FieldError
	switch {
	case errors.As(err, &refused):
		d.Refused = plainReasons(refused.Reasons)
	case errors.As(err, &said) && said.Why == curation.Alike:
		d.Refused, d.Same = []string{s.speech(v.Lang).say("Another lesson says the same; word that one better.")}, said.ID
	case errors.As(err, &said) && said.Why == curation.Banned:
		by := s.speech(v.Lang).Who(said.By)
		d.Refused = []string{s.speech(v.Lang).say("A lesson like this was banned or rejected by %s; undo that first.", by)}
		d.Same = said.ID
	case errors.As(err, &said):
		d.Refused, d.Same = []string{s.speech(v.Lang).say("This lesson is there already.")}, said.ID
	case errors.As(err, &wrong):
		d.Refused = []string{s.speech(v.Lang).wrongField(wrong)}
	case err != nil:
		return err
	default:
		return seeOther(w, r, v, "memories/"+done.Action.Node)
	}
	return s.teacher(w, r, v, http.StatusUnprocessableEntity, &d)
}

func lessonOf(r *http.Request) curation.TaughtLesson {
	return curation.TaughtLesson{Lesson: field(r, "lesson"), When: lines(field(r, "when")), Product: field(r, "product"),
		For: lines(field(r, "for")), NotFor: lines(field(r, "notFor")),
		Direction: taxonomy.Direction(field(r, "direction"))}
}
