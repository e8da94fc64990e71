package pages

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// historyData is the list of decisions, the latest first.
type historyData struct {
	By    string   // only decisions of this person; "": of all
	Names []string // of all people with a decision, sorted
	Words []decisionRow
	Next  string // address of the next page; "" if this is the last
	Done  string // the decision that was just taken back
}

// decisionRow is a decision with its subject.
type decisionRow struct {
	curation.Past
	Title string
	Of    string // id of the memory it is about; "": it no longer exists
}

// history lists people's decisions on memories and verdicts.
func (s *Site) history(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	all, err := v.Memory.Curation().History(r.Context(), "")
	if err != nil {
		return err
	}
	said := s.speech(v.Lang)
	d := historyData{By: field(r, "by")}
	if back := field(r, "done"); back != "" {
		d.Done = said.say("Taken back: %s", said.Decision(tree.DecisionKind(back)))
	}
	from, n := atoi(field(r, "from")), 0
	names := map[string]bool{}
	for i := range all {
		names[all[i].By] = true
		if d.By != "" && all[i].By != d.By {
			continue
		}
		if n++; n > from && len(d.Words) < listed {
			d.Words = append(d.Words, s.decision(r, v, &all[i]))
		}
	}
	delete(names, "")
	d.Names = slices.Sorted(maps.Keys(names))
	if n > from+listed {
		d.Next = "?" + url.Values{"by": {d.By}, "from": {strconv.Itoa(from + listed)}}.Encode()
	}
	return s.render(w, http.StatusOK, s.page(r, v, "history", said.say("Decisions"), &d))
}

// decision returns a decision with its subject. A verdict is named by its case, else by its run.
func (s *Site) decision(r *http.Request, v *Visitor, p *curation.Past) decisionRow {
	d := decisionRow{Past: *p, Of: p.Node}
	for i := range p.Before {
		d.Of = cmp.Or(d.Of, p.Before[i].ID)
	}
	if run, ok := v.Memory.Curation().Kept(p.Evaluation); ok {
		d.Title = run.Prompt
	} else {
		d.Title = s.title(r, v, d.Of)
	}
	if !s.exists(r, v, d.Of) {
		d.Of = ""
	}
	d.Title = cmp.Or(d.Title, p.Evaluation)
	return d
}

// exists reports whether there is a memory or fact of an id.
func (s *Site) exists(r *http.Request, v *Visitor, id string) bool {
	if ledger.IsFact(id) {
		_, err := v.Memory.Knowledge().Get(r.Context(), id)
		return err == nil
	}
	_, err := v.Memory.Tree().Get(r.Context(), id)
	return err == nil
}

// takeBack takes back a decision, given by its id. A decision of another person, or on several verdicts, is shown
// first and confirmed.
func (s *Site) takeBack(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	of := field(r, "of")
	all, err := v.Memory.Curation().History(r.Context(), "")
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(p curation.Past) bool { return p.ID == of })
	if at < 0 {
		return &tree.FieldError{Field: "of", Problem: "names no decision; look at the list again"}
	}
	p, sure := &all[at], field(r, "sure") != ""
	if (p.By != v.Who || len(p.Verdicts) > 1) && !sure {
		said := s.speech(v.Lang)
		q := confirmation{Sentence: said.takingBack(p, v.Who), Yes: said.say("Yes, take it back"), To: v.in("history"),
			From: fromOf(r, v), Fields: url.Values{"of": {of}, "sure": {"1"}, "from": {field(r, "from")}}}
		if n := len(p.Verdicts); n > 1 {
			q.Yes = said.say("Yes, take all %d back", n)
		}
		return s.question(w, r, v, http.StatusOK, &q)
	}
	o := curation.Options{By: v.Who, Why: field(r, "why"), Over: sure}
	done, err := v.Memory.Curation().Undo(r.Context(), of, o)
	if err != nil {
		return err
	}
	if id := field(r, "from"); id != "" {
		return seeOther(w, r, v, pageOf(id))
	}
	return seeOther(w, r, v, "history", "done", string(done.Undone.Kind))
}

// takingBack returns a sentence on a decision and its author.
func (s *speech) takingBack(p *curation.Past, who string) string {
	by, what := s.Who(p.By), s.decided(p)
	if p.By == who {
		return s.say("You decided this on %s: %s.", day(p.At), what)
	}
	return s.say("%s decided this on %s: %s.", by, day(p.At), what)
}

// decided returns what was decided; for labels, the number of each kind.
func (s *speech) decided(p *curation.Past) string {
	what := s.Decision(p.Kind)
	if len(p.Labels) == 0 {
		return what
	}
	n := map[string]int{}
	for i := range p.Labels {
		n[s.Verdict(&p.Labels[i])]++
	}
	kinds := slices.Sorted(maps.Keys(n))
	if len(p.Labels) == 1 {
		return what + s.say(": ") + kinds[0]
	}
	for i, k := range kinds {
		kinds[i] = s.say("%d × %s", n[k], k)
	}
	return s.say("%d verdicts labelled", len(p.Labels)) + s.say(": ") + joined(kinds, s.say(", "))
}

// decidedOf is decided for templates, which have a decision embedded in another type.
func (s *speech) decidedOf(of any) string {
	switch p := of.(type) {
	case *decisionRow:
		return s.decided(&p.Past)
	case decisionRow:
		return s.decided(&p.Past)
	case curation.Past:
		return s.decided(&p)
	}
	return ""
}
