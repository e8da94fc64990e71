package pages

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/tree"
)

// reviewData is everything that waits for a person.
type reviewData struct {
	Proposals []evolution.Proposal
	Rejected  []evolution.Rejection
	Imports   imports
	Done      string // what was just done
	Back      bool   // what was just done can be taken back on the page of decisions
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
	case "reject":
		d.Done, d.Back = said.say("Refused: %d.", n), true
	case "refuse":
		d.Done = said.say("Refused: %d. Their pages take it back.", n)
	}
	return s.render(w, http.StatusOK, s.page(r, v, "review", said.say("Review"), &d))
}

// decide applies a person's decision on a proposal.
func (s *Site) decide(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	d := evolution.ReviewDecision{By: v.Who, Why: field(r, "why")}
	switch key := field(r, "key"); field(r, "word") {
	case "accept":
		d.Accept = []string{key}
	case "reject":
		d.Reject = []string{key}
		if d.Why != "" && field(r, "sure") == "" {
			return s.sureToReject(w, r, v, key)
		}
	default:
		return &tree.FieldError{Field: "word", Problem: "is neither accept nor reject; choose one"}
	}
	if _, err := v.Memory.Review().Decide(r.Context(), d); err != nil {
		return err
	}
	return seeOther(w, r, v, "review", "done", field(r, "word"), "n", "1")
}

// sureToReject shows the consequences of a rejection, before it is made.
func (s *Site) sureToReject(w http.ResponseWriter, r *http.Request, v *Visitor, key string) error {
	all, err := v.Memory.Review().Proposals(r.Context())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(p evolution.Proposal) bool { return p.Key == key })
	if at < 0 {
		return &tree.FieldError{Field: "key", Problem: "names no draft that waits; somebody may have decided on it"}
	}
	said := s.speech(v.Lang)
	return s.question(w, r, v, http.StatusOK, &confirmation{
		Sentence: said.say("Its advice is given no more, nor from its %d cases and later ones alike. It can be undone.",
			len(all[at].Node.Children)),
		Yes: said.say("Yes, refuse it"), To: v.in("review"), From: v.in("review/" + key),
		Fields: url.Values{"key": {key}, "word": {"reject"}, "why": {field(r, "why")}, "sure": {"1"}},
	})
}
