package pages

import (
	"errors"
	"maps"
	"net/http"
	"net/url"

	"github.com/memtree/memtree/curation"
)

// confirmation asks a person for a confirmation. The form that confirms sends Fields to the page To.
type confirmation struct {
	Sentence, Yes string
	To, From      string // addresses of pages; From is the target of "no"
	Fields        url.Values
}

func (s *Site) question(w http.ResponseWriter, r *http.Request, v *Visitor, status int, q *confirmation) error {
	return s.render(w, status, s.page(r, v, "question", s.speech(v.Lang).say("Are you sure?"), q))
}

// over asks for a confirmation to overrule another person's decision. It returns any other error.
func (s *Site) over(w http.ResponseWriter, r *http.Request, v *Visitor, err error) error {
	var refused *curation.RefusedError
	if !errors.As(err, &refused) || refused.Why != curation.Theirs {
		return err
	}
	said, fields := s.speech(v.Lang), url.Values{"over": {"1"}}
	maps.Copy(fields, r.PostForm)
	p := curation.Past{At: refused.At, Labels: refused.Labels}
	p.By, p.Kind = refused.By, refused.Theirs
	return s.question(w, r, v, http.StatusConflict, &confirmation{
		Sentence: said.takingBack(&p, v.Who), Yes: said.say("Decide otherwise all the same"), To: r.URL.Path,
		From: r.URL.Path, Fields: fields,
	})
}

// fromOf returns the page from which a form was sent: that of a memory, or the list of decisions.
func fromOf(r *http.Request, v *Visitor) string {
	if id := field(r, "from"); id != "" {
		return v.in(pageOf(id))
	}
	return v.in("history")
}
