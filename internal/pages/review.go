package pages

import (
	"net/http"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/tree"
)

// reviewData is what waits for a person.
type reviewData struct {
	Proposals []evolution.Proposal
	Rejected  []evolution.Rejection
	Imports   imports
	Done      string // what was done just now
}

func (s *Site) review(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx, said := r.Context(), s.speech(v.Lang)
	var d reviewData
	var err error
	if d.Proposals, err = v.Memory.Review().Proposals(ctx); err != nil {
		return err
	}
	for i := range d.Proposals {
		p := &d.Proposals[i]
		p.Node = v.shown(&p.Node)
		if p.Replaces != nil {
			now := v.shown(p.Replaces)
			p.Replaces = &now
		}
	}
	if d.Rejected, err = v.Memory.Review().Rejected(ctx); err != nil {
		return err
	}
	if d.Imports, err = said.imports(ctx, v.Memory); err != nil {
		return err
	}
	n := atoi(field(r, "n"))
	switch field(r, "done") {
	case "accept":
		d.Done = said.say("In use now, on probation: %d.", n)
	case "refuse":
		d.Done = said.say("Refused: %d. Their pages take it back.", n)
	}
	return s.render(w, http.StatusOK, s.page(r, v, "review", said.say("Review"), &d))
}

// decide takes a person's word on a proposal.
func (s *Site) decide(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	var accept, reject []string
	switch key := field(r, "key"); field(r, "word") {
	case "accept":
		accept = []string{key}
	case "reject":
		reject = []string{key}
	default:
		return &tree.FieldError{Field: "word", Problem: "is neither accept nor reject; choose one"}
	}
	if _, err := v.Memory.Review().Decide(r.Context(), accept, reject, field(r, "why")); err != nil {
		return err
	}
	return seeOther(w, r, v, "review")
}
