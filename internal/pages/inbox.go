package pages

import (
	"net/http"
	"strconv"

	"github.com/memtree/memtree"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// shownVerdicts is the number of verdicts on a page of the inbox.
const shownVerdicts = 15

// inboxData is the content of the inbox.
type inboxData struct {
	choosing
	notice
	From     int    // number of verdicts on the pages before this one
	Next     string // address of the next page; "" if this is the last
	Total    int
	Scored   int
	Expected float64
	Enough   bool // past errors predict new ones
	Known    int  // verdicts with a label
	Verdicts []inboxRow
}

// inboxRow is one row of the inbox.
type inboxRow struct {
	inbox.Unlabelled
	ID          string
	outcomeView // the agent's judgment
	Reasons     []string
}

func (s *Site) inbox(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return s.showInbox(w, r, v, http.StatusOK, nil)
}

// showInbox writes the inbox; met is a label that was refused, because another person had decided.
func (s *Site) showInbox(w http.ResponseWriter, r *http.Request, v *Visitor, status int, met *meanwhile) error {
	said := s.speech(v.Lang)
	chosen, err := choose(r, v, v.Memory.Inbox().Choices())
	if err != nil {
		return err
	}
	chosen.Risky = true
	d := inboxData{choosing: chosen, From: atoi(r.URL.Query().Get("from")), notice: noticeOf(r, v)}
	d.Met = met
	box, err := v.Memory.Inbox().Find(r.Context(), d.Query, d.From, shownVerdicts)
	if err != nil {
		return err
	}
	d.Total, d.Scored, d.Expected = box.Total, box.Scored, box.Expected
	if next := d.From + len(box.Waiting); next < box.Total {
		d.Next = d.address("from", strconv.Itoa(next))
	}
	for i := range box.Waiting {
		u := &box.Waiting[i]
		d.Enough, d.Known = d.Enough || u.Risk.Enough, u.Risk.Known
		d.Verdicts = append(d.Verdicts, inboxRow{
			*u, u.Evaluation.Key(), outcomeOf(u.Evaluation.Judgment),
			append(said.look(v.Memory, &u.Evaluation), said.reasons(&u.Risk)...),
		})
	}
	return s.render(w, status, s.page(r, v, "inbox", said.say("Inbox"), &d))
}

// Most is the maximum number of verdicts that can be labelled at once.
func (d *inboxData) Most() int { return curation.MostLabels }

// reasons returns the evidence that the verdict is wrong, the strongest first, at most three.
func (s *speech) reasons(r *risk.Risk) (out []string) {
	switch b := &r.Before; {
	case b.Wrong > 0 && b.Known == 1:
		out = append(out, s.say("wrong on this test before"))
	case b.Wrong > 0:
		out = append(out, s.say("wrong on this test before: %d of %d", b.Wrong, b.Known))
	}
	for i := range r.Because {
		if b := &r.Because[i]; b.LogOdds > 0 && len(out) < 3 {
			out = append(out, s.reason(b))
		}
	}
	return out
}

// look returns what a second look found of a verdict, with its quotation; nil without one.
func (s *speech) look(m *memtree.Memory, e *tree.Evaluation) []string {
	l, ok := m.Inbox().Looks().Of(*e)
	if !ok {
		return nil
	}
	_, quote := l.Quoted()
	switch c := l.Code(); {
	case l.P != nil && l.Contradicts():
		return []string{s.say("a model that decides contradicts it; what that means is learned from labels")}
	case l.P != nil:
		return []string{s.say("a model that decides bears the verdict out; what that means is learned from labels")}
	case l.MadeUp():
		return []string{s.say("a second look that counts for nothing: what it quotes is not in the evidence")}
	case c == look.Unseen || quote == "":
		return []string{s.say("a second look: the evidence does not show it")}
	case c == look.Beyond:
		return []string{s.say("a second look bears the verdict out, by something beyond the agent's control: “%s”",
			text.Fit(text.Line(quote), 200))}
	case l.Contradicts():
		return []string{s.say("a second look contradicts it: “%s”", text.Fit(text.Line(quote), 200))}
	}
	return []string{s.say("a second look bears the verdict out: “%s”", text.Fit(text.Line(quote), 200))}
}

func (s *speech) reason(r *risk.Reason) string {
	words := func() string { return joined(r.Words, s.say(", ")) }
	switch r.Signal {
	case "place":
		return s.say("such verdicts were often wrong here")
	case "truth":
		return s.say("what was true of this case before")
	case "judge":
		return s.say("this judge was often wrong")
	case "words":
		if len(r.Words) == 0 {
			return s.say("its reason reads like wrong ones")
		}
		return s.say("words of its reason: %s", words())
	case "style":
		return s.say("its reason reads like wrong ones")
	case "seen":
		switch r.From {
		case risk.FromPrompt:
			return s.say("words of its task: %s", words())
		case risk.FromObservation:
			return s.say("words of what it saw: %s", words())
		case risk.FromBoth:
			return s.say("its task and what it saw: %s", words())
		}
		return s.say("what it was asked and what it saw")
	case "reasons":
		return s.say("it was wrong before for such a reason")
	case "runs":
		return s.say("what was true of runs like it")
	case "confidence":
		return s.say("the judge's own confidence")
	case "look":
		return s.say("what a second look found")
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
