package pages

import (
	"net/http"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// shownVerdicts is how many verdicts the inbox shows at one time.
const shownVerdicts = 20

// inboxData is what the inbox shows.
type inboxData struct {
	Total    int
	Scored   int
	Expected float64
	Enough   bool // past errors predict new ones
	Known    int  // verdicts whose truth is known
	Verdicts []verdict
	Said     *tree.Verdict // of the evaluation that was labelled just now
}

// verdict is one row of the inbox.
type verdict struct {
	memtree.Unlabelled
	ID      string
	outcome // what the agent says of the thing it judged
	Reasons []string
}

func (s *Site) inbox(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx, said := r.Context(), s.speech(v.Lang)
	box, err := v.Memory.Inbox(ctx, shownVerdicts)
	if err != nil {
		return err
	}
	d := inboxData{Total: box.Total, Scored: box.Scored, Expected: box.Expected}
	for i := range box.Waiting {
		u := &box.Waiting[i]
		d.Enough, d.Known = d.Enough || u.Risk.Enough, u.Risk.Known
		d.Verdicts = append(d.Verdicts, verdict{
			*u, u.Evaluation.Key(), outcomeOf(u.Evaluation.Judgment), said.reasons(&u.Risk),
		})
	}
	if id := field(r, "said"); id != "" {
		if now, err := v.Memory.Curation().Evaluation(ctx, id); err == nil && now.Labelled {
			d.Said = &now
		}
	}
	return s.render(w, http.StatusOK, s.page(r, v, "inbox", said.say("Inbox"), &d))
}

// reasons says what speaks for wrong, the strongest first, at most three.
func (s *speech) reasons(r *risk.Risk) (out []string) {
	for i := range r.Because {
		if b := &r.Because[i]; b.LogOdds > 0 && len(out) < 3 {
			out = append(out, s.reason(b))
		}
	}
	return out
}

func (s *speech) reason(r *risk.Reason) string {
	words := func() string { return joined(r.WholeWords(), s.say(", ")) }
	switch r.Signal {
	case "place":
		return s.say("such verdicts were often wrong here")
	case "truth":
		return s.say("what was true of this case before")
	case "judge":
		return s.say("this judge was often wrong")
	case "words":
		return s.say("words of its reason: %s", words())
	case "style":
		return s.say("its reason reads like wrong ones")
	case "seen":
		return s.say("words of what it saw: %s", words())
	case "reasons":
		return s.say("it was wrong before for such a reason")
	case "runs":
		return s.say("what was true of runs like it")
	case "facts":
		return s.say("the page itself says otherwise")
	default:
		return s.say("length and tone of the run and its reason")
	}
}

func joined(words []string, with string) (out string) {
	for i, w := range words {
		if i > 0 {
			out += with
		}
		out += w
	}
	return out
}

// label takes a person's word on a verdict.
func (s *Site) label(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx, id := r.Context(), field(r, "evaluation")
	o := curation.Options{By: v.Who}
	if field(r, "truth") == "undo" {
		if _, err := v.Memory.Curation().Undo(ctx, id, o); err != nil {
			return err
		}
		return seeOther(w, r, v, "inbox")
	}
	truth, err := truthOf(field(r, "truth"), field(r, "reason"))
	if err != nil {
		return err
	}
	d, err := v.Memory.Curation().Relabel(ctx, id, truth, o)
	if err != nil {
		return err
	}
	return seeOther(w, r, v, "inbox", "said", d.Verdict.Evaluation)
}

// truthOf reads what a button says.
func truthOf(said, reason string) (curation.Truth, error) {
	right := said == "right"
	t := curation.Truth{Correct: &right, Reason: reason}
	switch said {
	case "right":
	case string(taxonomy.FalsePass), string(taxonomy.FalseFail), string(taxonomy.Other):
		t.Direction = taxonomy.Direction(said)
	default:
		return t, &tree.FieldError{Field: "truth", Problem: "is none of right, false_pass, false_fail and other; choose one"}
	}
	return t, nil
}
